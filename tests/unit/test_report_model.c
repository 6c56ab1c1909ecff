/* test_report_model.c
 * What a report is made of: cells and sums of tables by their names, numbers in groups, things by keys; and what is to be done
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "table-window.h"

#include "stats/report/report.h"
#include "stats/report/remedies.h"

static wmem_allocator_t *pool;

/* In place of curves: who is who at an address, by what the polls of each API tell. */
struct curves {
    const char *address, *host;
};

const char *
curves_host(const struct curves *curves, const char *address)
{
    return strcmp(curves->address, address) == 0 ? curves->host : NULL;
}

static stat_tap_table_item columns[] = { STAT_TEXT("Client"), STAT_COUNT("Polls"), STAT_REAL("Time", 2),
    STAT_COUNT("Answers") };

static bool
count(struct stat_rows *rows, const packet_info *pinfo, const void *tapped)
{
    const unsigned row = stat_rows_add(rows, NULL, NULL);
    stat_tap_table_item_type *cells = stat_rows_cells(rows, row);

    (void)pinfo;
    stat_cell_set_text(&cells[0], (const char *)tapped);
    cells[1].value.uint_value = 4000000000u + row;
    cells[3].value.uint_value = 7 + row;
    if (row != 0) {
        stat_cell_set_real(&cells[2], 2.5 * row);
    }
    return true;
}

static const struct stat_kind kind = {
    .name = "model",
    .title = "Model",
    .columns = columns,
    .num_columns = 4,
    .count = count,
};

static void
test_tables(void)
{
    const struct stat_rows *rows;
    struct curves curves[NUM_MODEL_APIS] = { { "10.0.0.1", "PC" }, { "10.0.0.2", "" } };
    struct model model = { .curves = { &curves[0], &curves[1] } };
    stat_tap_table_item_type *cells, guarded[5];

    window_open("test", &kind);
    rows = (const struct stat_rows *)window;
    for (unsigned i = 0; i < NUM_MODEL_TABLES; i++) {
        model.tables[i] = (struct stat_rows *)window;
    }
    CHECK(model_polls(&model) == 0, "no row");
    window_bring(1, "server", "me", "first");
    window_bring(2, "server", "me", "second");
    CHECK(model_column(rows, "Client") == 0 && model_column(rows, "Answers") == 3 && model_column(rows, "None") == 4 &&
            model_column(rows, "Cli") == 4,
        "columns");
    CHECK(strcmp(model_cell(pool, rows, 1, "Client"), "second") == 0, "%s", model_cell(pool, rows, 1, "Client"));
    CHECK(strcmp(model_cell(pool, rows, 1, "Polls"), "4000000001") == 0, "%s", model_cell(pool, rows, 1, "Polls"));
    CHECK(strcmp(model_cell(pool, rows, 0, "Time"), "") == 0, "no mean: %s", model_cell(pool, rows, 0, "Time"));
    CHECK(strcmp(model_cell(pool, rows, 1, "Time"), "2.50") == 0, "%s", model_cell(pool, rows, 1, "Time"));
    CHECK(strcmp(model_cell(pool, rows, 1, "None"), "") == 0 && strcmp(model_text(pool, rows, 1, 4), "") == 0,
        "no column");
    CHECK(model_number(rows, 1, "Answers") == 8 && model_number(rows, 0, "Answers") == 7, "%u",
        model_number(rows, 1, "Answers"));
    CHECK(model_number(rows, 1, "None") == 0 && model_number(rows, 1, "Client") == 0 &&
            model_number(rows, 1, "Time") == 0,
        "no number");
    /* What stands behind a row is none of its cells. */
    cells = stat_rows_cells(rows, 1);
    memcpy(guarded, cells, 4 * sizeof *cells);
    guarded[4] = (stat_tap_table_item_type){ .type = TABLE_ITEM_UINT, .value.uint_value = 77 };
    g_ptr_array_index(rows->cells, 1) = guarded;
    CHECK(model_number(rows, 1, "Answers") == 8 && model_number(rows, 1, "None") == 0 &&
            strcmp(model_text(pool, rows, 1, 4), "") == 0,
        "behind a row");
    g_ptr_array_index(rows->cells, 1) = cells;
    /* More than 32 bits have room for. */
    CHECK(model_sum(rows, "Polls") == UINT64_C(8000000001) && model_sum(rows, "Answers") == 15 &&
            model_sum(rows, "None") == 0,
        "sums");
    CHECK(model_polls(&model) == UINT64_C(8000000016), "those of both APIs");

    CHECK(strcmp(model_machine(pool, &model, "10.0.0.1"), "PC (10.0.0.1)") == 0 &&
            strcmp(model_machine(pool, &model, "10.0.0.2"), "10.0.0.2") == 0 &&
            strcmp(model_machine(pool, &model, "10.0.0.3"), "10.0.0.3") == 0,
        "%s", model_machine(pool, &model, "10.0.0.1"));
    curves[1] = (struct curves){ "10.0.0.2", "OTHER" };
    CHECK(strcmp(model_machine(pool, &model, "10.0.0.2"), "OTHER (10.0.0.2)") == 0, "%s",
        model_machine(pool, &model, "10.0.0.2"));
    curves[1].host = "10.0.0.2";
    CHECK(strcmp(model_machine(pool, &model, "10.0.0.2"), "10.0.0.2") == 0, "%s",
        model_machine(pool, &model, "10.0.0.2"));
}

static void
test_grouped(void)
{
#define S "\xE2\x80\xAF"
    static const char *const cases[][2] = {
        { "0", "0" },
        { "999", "999" },
        { "1000", "1" S "000" },
        { "12345", "12" S "345" },
        { "123456", "123" S "456" },
        { "1234567890", "1" S "234" S "567" S "890" },
        { "-1", "-1" },
        { "-999", "-999" },
        { "-1000", "-1" S "000" },
        { "-123456", "-123" S "456" },
        { "1234.5678", "1" S "234.5678" },
        { "-1234.5", "-1" S "234.5" },
        { "1234e5", "1234e5" },
        { "1234 ms", "1234 ms" },
        { "", "" },
        { "name", "name" },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        CHECK(strcmp(model_grouped(pool, cases[i][0]), cases[i][1]) == 0, "%s: %s", cases[i][0],
            model_grouped(pool, cases[i][0]));
    }
}

static void
test_gathered(void)
{
    struct gathered gathered = { .scope = pool };
    char key[] = "0";

    CHECK(gathered_count(&gathered) == 0, "%u", gathered_count(&gathered));
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5; i++) {
            unsigned *thing;

            key[0] = (char)('0' + i);
            thing = (unsigned *)gathered_add(&gathered, key, sizeof *thing);
            CHECK(*thing == round * i && gathered_at(&gathered, i) == thing, "%u: %u", i, *thing);
            *thing = i;
        }
    }
    CHECK(gathered_count(&gathered) == 5, "%u", gathered_count(&gathered));
}

/* The first sign that fits counts, and what comes from the wire behind it never decides. */
static void
test_remedies(void)
{
    static const struct {
        const char *outcome, *says;
        enum remedy_whom whom;
        uint32_t pdh;
    } cases[] = {
        { "connection refused in frame 2", "refuses the TCP connection", WHOM_SERVER, 0x800007D0 },
        { "no answer to SYN in frame 1", "does not answer", WHOM_NETWORK, 0x800007D0 },
        { "no answer to SYN to the object's port in frame 1",
            "gives an object at port 135, but does not answer at the dynamic port of that object", WHOM_SERVER,
            0x800007D0 },
        { "no answer to PerflibV2QueryCounterData of frame 5", "did not answer", WHOM_SERVER, 0 },
        { "ERROR_ACCESS_DENIED in frame 9", "denies access to the counters", WHOM_SERVER, 0xC0000BDB },
        { "STATUS_ACCESS_DENIED", "denies access", WHOM_SERVER, 0 },
        { "Session Setup: STATUS_LOGON_FAILURE, user connection refused",
            "refuses the logon: unknown user or wrong password", WHOM_CLIENT, 0 },
        { "Session Setup: STATUS_ODD, user connection refused", "answered with an error", WHOM_SERVER, 0 },
        { "connection refus, user ed", "answered with an error", WHOM_SERVER, 0 },
        { "connection refused, user bind_nak", "refuses the TCP connection", WHOM_SERVER, 0x800007D0 },
        { "", "answered with an error", WHOM_SERVER, 0 },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct remedy *remedy = remedy_for(cases[i].outcome);

        CHECK(strcmp(remedy->says, cases[i].says) == 0 && remedy->whom == cases[i].whom && remedy->pdh == cases[i].pdh,
            "%s: %s", cases[i].outcome, remedy->says);
    }
    CHECK(strcmp(remedy_for_missing("first sample")->says, "has one value, and needs two") == 0, "first sample");
    CHECK(strcmp(remedy_for_missing("fault nca_s_server_too_busy")->says, "is too busy to take the call") == 0,
        "a fault");
    CHECK(strcmp(remedy_for_missing("no fault nca_s_server_too_busy")->says, "did not come") == 0, "no fault");
    CHECK(strcmp(remedy_for_missing("")->says, "did not come") == 0, "anything");
    CHECK(remedy_for_sealed("no key: Wireshark knows no RC4")->whom == WHOM_CLIENT, "Wireshark");
    CHECK(remedy_for_sealed("the password of no key: Wireshark ")->whom == WHOM_OWNER, "a user who is called so");
    CHECK(remedy_for_sealed("needs the password of anonymous")->whom == WHOM_OWNER, "a user who is called so");
    CHECK(remedy_for_sealed("the logon is not in the capture")->whom == WHOM_CAPTURE, "no logon");
    CHECK(strcmp(remedy_for_set("PLA_E_DCS_IN_USE (Start, frame 5)")->says, "is in use") == 0 &&
            strcmp(remedy_for_set("E_FAIL (Start, frame 5)")->says, "failed") == 0,
        "sets");
    CHECK(strcmp(remedy_whom_text(WHOM_CLIENT), "whoever runs {C}") == 0 &&
            strcmp(remedy_whom_text(WHOM_CAPTURE), "whoever took the capture") == 0,
        "whom");
}

int
main(void)
{
    wmem_init_scopes();
    pool = wmem_epan_scope();
    test_tables();
    test_grouped();
    test_gathered();
    test_remedies();
    return check_result();
}
