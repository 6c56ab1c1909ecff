/* test_rows_text.c
 * Tables in a terminal: lines of 120 cells, at the cell where something no longer fits; columns and rows that are left out
 *
 * Each cell takes its column's width and " |" behind it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/rows.h"

#include <string.h>

#include "check.h"

enum { NAME, N, WHAT, MANY, FRAME, NUM_COLUMNS };
#define COLUMNS_OF(...) \
    bits_of((const unsigned[]){ __VA_ARGS__ }, sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned))

static struct stat_column columns[NUM_COLUMNS] = { STAT_TEXT("key", "Name"), STAT_COUNT("key", "N"),
    STAT_TEXT("key", "What"), STAT_COUNT("key", "Many"), STAT_COUNT("key", "Frame") };
static struct stat_view views[2];
static const char *further;

static bool
count_nothing(struct stat_rows *in _U_, const packet_info *pinfo _U_, const void *tapped _U_)
{
    return false;
}

static void
append_further(const struct stat_rows *of _U_, GString *out)
{
    g_string_append(out, further);
}

static struct stat_kind kind = {
    .name = "lines",
    .title = "Lines",
    .columns = columns,
    .num_columns = NUM_COLUMNS,
    .count = count_nothing,
    .views = views,
    .num_views = 1,
    .append_text = append_further,
    .frames = STAT_BIT(FRAME),
};

static struct stat_rows *rows;

static uint64_t
bits_of(const unsigned *some, size_t count)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < count; i++) {
        bits |= STAT_BIT(some[i]);
    }
    return bits;
}

/* A table of these columns, without rows. */
static void
begin(uint64_t shown)
{
    memset(views, 0, sizeof views);
    views[0].columns = shown;
    kind.num_views = 1;
    further = "";
    rows = stat_rows_new(&kind, "lines", "lines", "Lines");
    rows->is_text = true;
    rows->ui.stat_tap_init_cb(&rows->ui);
}

static void
add(const char *name, unsigned n, const char *what, unsigned many)
{
    stat_tap_table_item_type *cells = stat_rows_cells(rows, stat_rows_add(rows, NULL, NULL));

    stat_cell_set_text(&cells[NAME], name);
    cells[N].value.uint_value = n;
    stat_cell_set_text(&cells[WHAT], what);
    cells[MANY].value.uint_value = many;
}

static const char *
line(void)
{
    stat_rows_write_text(rows);
    return g_array_index(rows->ui.tables, stat_tap_table *, 0)->title;
}

#define CHECK_LINES(expected) \
    do { \
        const char *expected_ = (expected), *lines_ = line(); \
        CHECK(strcmp(lines_, expected_) == 0, "\n%s\ninstead of\n%s", lines_, expected_); \
    } while (0)

/* So many letters. */
static const char *
letters(unsigned count, char letter)
{
    char *text = (char *)wmem_alloc(wmem_epan_scope(), count + 1);

    memset(text, letter, count);
    text[count] = '\0';
    return text;
}

#define TEXT(...) wmem_strdup_printf(wmem_epan_scope(), __VA_ARGS__)

static void
test_narrow_table_has_short_texts(void)
{
    begin(COLUMNS_OF(NAME, N, WHAT, FRAME));
    add("alpha", 5, "x", 0);
    add("b", 1234, "yy", 0);
    stat_rows_cells(rows, 1)[FRAME].value.uint_value = 7;
    /* However often it is drawn, its heads are one line. */
    for (unsigned i = 0; i < 2; i++) {
        CHECK_LINES("alpha |   5 |x    |      |\n"
                    "b     |1234 |yy   |    7 |");
        CHECK(strchr(rows->heads.column_name, '\n') == NULL, "%s", rows->heads.column_name);
    }
}

static void
test_no_line_is_longer_than_the_terminal(void)
{
    /* 100 + 1 + 7 + 4 and 4 times 2 are 120. */
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    add(letters(100, 'a'), 1, "1234567", 2);
    CHECK_LINES(TEXT("%s |1 |1234567 |   2 |", letters(100, 'a')));
    CHECK(strcmp(rows->heads.column_name, TEXT("Name%*s |N |What    |Many", 96, "")) == 0, "%s",
        rows->heads.column_name);
    /* One more: the beginning stays, and the whole stands below, with the column's name. */
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    add(letters(101, 'a'), 1, "1234567", 2);
    add("short", 1, "x", 2);
    CHECK_LINES(TEXT("%s... |1 |1234567 |   2 |\n    Name: %s\nshort%*s |1 |x       |   2 |", letters(97, 'a'),
        letters(101, 'a'), 95, ""));
    /* The same of the widest of the others. */
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    add(letters(50, 'a'), 1, letters(58, 'b'), 2);
    add(letters(50, 'a'), 1, letters(57, 'b'), 2);
    CHECK_LINES(TEXT("%s |1 |%s... |   2 |\n    What: %s\n%s |1 |%s |   2 |", letters(50, 'a'), letters(54, 'b'),
        letters(58, 'b'), letters(50, 'a'), letters(57, 'b')));
    /* Both give, down to the same width: 107 are left for them. */
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    add(letters(60, 'a'), 1, letters(59, 'b'), 2);
    add(letters(53, 'a'), 1, letters(53, 'b'), 2);
    CHECK(strcmp(line(),
              TEXT("%s... |1 |%s... |   2 |\n    Name: %s\n    What: %s\n%s |1 |%s  |   2 |", letters(50, 'a'),
                  letters(51, 'b'), letters(60, 'a'), letters(59, 'b'), letters(53, 'a'), letters(53, 'b'))) == 0 ||
            strcmp(line(),
                TEXT("%s... |1 |%s... |   2 |\n    Name: %s\n    What: %s\n%s  |1 |%s |   2 |", letters(51, 'a'),
                    letters(50, 'b'), letters(60, 'a'), letters(59, 'b'), letters(53, 'a'), letters(53, 'b'))) == 0,
        "%s", line());
    /* Columns that may go go first, but where there is room they stay. */
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    views[0].optional = COLUMNS_OF(N, MANY);
    add(letters(100, 'a'), 1, "1234567", 2);
    CHECK_LINES(TEXT("%s |1 |1234567 |   2 |", letters(100, 'a')));
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    views[0].optional = COLUMNS_OF(N, MANY);
    add(letters(101, 'a'), 1, "1234567", 2);
    CHECK_LINES(TEXT("%s |1 |1234567 |\nNo room for: Many. Windows and files have these columns.", letters(101, 'a')));
    begin(COLUMNS_OF(NAME, N, WHAT, MANY));
    views[0].optional = COLUMNS_OF(N, MANY);
    add(letters(108, 'a'), 1, "1234567", 2);
    CHECK_LINES(TEXT("%s |1234567 |\nNo room for: N, Many. Windows and files have these columns.", letters(108, 'a')));
    /* Letters of two cells, and of none. */
    begin(COLUMNS_OF(NAME, N));
    add("\xE6\x97\xA5\xE6\x9C\xAC", 1, "", 0);
    add("e\xCC\x81", 2, "", 0);
    CHECK_LINES("\xE6\x97\xA5\xE6\x9C\xAC |1 |\ne\xCC\x81    |2 |");
}

/* Of numbers nine of ten need their width; a row with a wider one takes it from its first text. */
static void
test_numbers_keep_their_width(void)
{
    GString *expected = g_string_new(NULL);

    begin(COLUMNS_OF(NAME, N, WHAT));
    for (unsigned i = 0; i < 10; i++) {
        /* 106 + 1 + 7 and 3 times 2 are 120; the last number takes 9 more. */
        add(i == 9 ? letters(97, 'a') : letters(106, 'a'), i == 9 ? 1234567890 : i, "1234567", 0);
        g_string_append_printf(expected, i == 9 ? "%s |1234567890 |1234567 |" : "%s |%u |1234567 |\n",
            i == 9 ? letters(97, 'a') : letters(106, 'a'), i);
    }
    CHECK_LINES(expected->str);
    /* Of one with two such it does not. */
    stat_cell_set_text(&stat_rows_cells(rows, 9)[NAME], letters(98, 'a'));
    g_string_truncate(expected, expected->len - strlen("|1234567890 |1234567 |") - 98);
    g_string_append_printf(expected, "%s... |1234567890 |1234567 |\n    Name: %s", letters(94, 'a'), letters(98, 'a'));
    CHECK_LINES(expected->str);
    /* Where the first text has not as much it stands below: 4 + 1 + 106 and 6 are less than 120, 9 more are not. */
    begin(COLUMNS_OF(NAME, N, WHAT));
    g_string_truncate(expected, 0);
    for (unsigned i = 0; i < 10; i++) {
        add("a", i == 9 ? 1234567890 : i, letters(106, 'b'), 0);
        g_string_append_printf(expected, i == 9 ? "a    |%s |%s |\n    N: 1234567890" : "a    |%s |%s |\n",
            i == 9 ? "." : TEXT("%u", i), letters(106, 'b'));
    }
    CHECK_LINES(expected->str);
    g_string_free(expected, TRUE);
}

/* Where numbers alone take more than a line, short texts make no room, and none has less than its column's name. */
static void
test_numbers_alone_may_be_wider_than_a_line(void)
{
    static struct stat_column many[13] = { STAT_TEXT("key", "Name") };
    static struct stat_kind full;

    full = kind;
    full.columns = many;
    full.num_columns = array_length(many);
    full.views = NULL;
    full.num_views = 0;
    full.append_text = NULL;
    full.frames = 0;
    for (unsigned column = 1; column < array_length(many); column++) {
        many[column] = columns[N];
    }
    for (unsigned width = 6; width <= 8; width++) {
        GString *expected = g_string_new(letters(width, 'a'));
        stat_tap_table_item_type *cells;

        many[0].item.column_name = width < 8 ? "Name" : "A longer name";
        if (width == 8) {
            g_string_append(expected, "     ");
        }

        rows = stat_rows_new(&full, "full", "full", "Full");
        rows->is_text = true;
        rows->ui.stat_tap_init_cb(&rows->ui);
        cells = stat_rows_cells(rows, stat_rows_add(rows, NULL, NULL));
        stat_cell_set_text(&cells[NAME], letters(width, 'a'));
        for (unsigned column = 1; column < array_length(many); column++) {
            cells[column].value.uint_value = UINT32_MAX;
            g_string_append(expected, " |4294967295");
        }
        g_string_append(expected, " |");
        CHECK_LINES(expected->str);
        g_string_free(expected, TRUE);
    }
}

static void
test_texts_break_between_words(void)
{
    static const struct {
        unsigned widths[4];
        const char *format;
    } cases[] = {
        { { 60, 59 }, "%s %s" },
        { { 60, 60 }, "%s\n    %s" },
        { { 40, 39, 39 }, "%s %s %s" },
        { { 40, 39, 40 }, "%s %s\n    %s" },
        { { 60, 60, 55 }, "%s\n    %s %s" },
        { { 60, 60, 56 }, "%s\n    %s\n    %s" },
        { { 130, 60, 55, 1 }, "%s\n    %s %s\n    %s" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const char *words[4];
        GString *sentence = g_string_new(NULL);

        for (unsigned w = 0; w < 4; w++) {
            words[w] = letters(cases[i].widths[w], (char)('a' + w));
            g_string_append_printf(sentence, w == 0 || words[w][0] == '\0' ? "%s" : " %s", words[w]);
        }
        for (unsigned way = 0; way < 3; way++) {
            begin(COLUMNS_OF(NAME));
            if (way == 0) {
                stat_rows_end_with(rows, &(struct key_needed){ KEY_KEYTAB, sentence->str });
            } else if (way == 1) {
                further = TEXT("\n%s\n", sentence->str);
            } else {
                stat_rows_set_sentence(rows, stat_rows_add_sentence(rows), sentence->str);
            }
            CHECK_LINES(TEXT(cases[i].format, words[0], words[1], words[2], words[3]));
        }
        g_string_free(sentence, TRUE);
    }
    /* Below a row 10 cells are taken: "    What: ". Further lines stand behind 8. */
    for (unsigned width = 59; width <= 60; width++) {
        begin(COLUMNS_OF(NAME, N));
        views[0].below = COLUMNS_OF(WHAT);
        add("a", 1, TEXT("%s %s", letters(50, 'b'), letters(width, 'c')), 0);
        add("d", 2, "", 0);
        CHECK_LINES(TEXT("a    |1 |\n    What: %s%s%s\nd    |2 |", letters(50, 'b'), width == 59 ? " " : "\n        ",
            letters(width, 'c')));
    }
}

/* Rows that have nothing to say in a view are left out of it, and the view where no row is left. */
static void
test_empty_rows_are_left_out_of_views(void)
{
    begin(COLUMNS_OF(NAME, N));
    kind.num_views = 2;
    views[1] =
        (struct stat_view){ .title = "Further", .columns = COLUMNS_OF(NAME, MANY), .needs = COLUMNS_OF(WHAT, MANY) };
    add("a", 1, "", 0);
    CHECK_LINES("a    |1 |");
    add("much longer", 1, "", 0);
    add("b", 2, "x", 0);
    add("c", 3, "", 12345);
    CHECK_LINES("a           |1 |\nmuch longer |1 |\nb           |2 |\nc           |3 |\n"
                "Further:\nName | Many |\nb    |    0 |\nc    |12345 |");
}

int
main(void)
{
    wmem_init_scopes();
    test_narrow_table_has_short_texts();
    test_no_line_is_longer_than_the_terminal();
    test_numbers_keep_their_width();
    test_numbers_alone_may_be_wider_than_a_line();
    test_texts_break_between_words();
    test_empty_rows_are_left_out_of_views();
    return check_result();
}
