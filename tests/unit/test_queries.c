/* test_queries.c
 * Queries: whose a handle is, what was added to it, and which block of a poll is which of its counters
 *
 * [MS-PCQ] 2.2.1, 3.1.4.1.4 to 3.1.4.1.8
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "query-calls.h"

#define NONE PERF_ID_NONE
#define ALL  PERF_WILDCARD_COUNTER

static const e_guid_t handle = { .data1 = 0xab };

/* Whose handle it is: that of its connection, else the latest of the server. */
static void
check_handles(void)
{
    struct query *first, *second, *other;

    new_capture();
    CHECK(queries_find(SERVER(1), &handle) == NULL && queries_begun() == 0, "none yet");
    first = queries_open(SERVER(1), &handle, &states[0], 0, 10);
    CHECK(first->opened_in == 10 && first->number == 1 && queries_begun() == 1 && first->connection == CONNECTION(0),
        "opened");
    CHECK(queries_find(SERVER(1), &handle) == first && queries_find(SERVER(2), &handle) == NULL, "of its server");
    CHECK(queries_use(SERVER(1), &handle, &states[0]) == first, "on its connection");
    CHECK(queries_use(SERVER(1), &handle, &states[1]) == first, "on another of its client's");
    CHECK(queries_use(SERVER(1), &handle, &states[2]) == first, "handed on, as nothing is missing");
    CHECK(queries_use(SERVER(2), &handle, &states[0]) == first, "its connection is enough");
    states[1].is_whole = states[2].is_whole = false;
    CHECK(queries_use(SERVER(1), &handle, &states[1]) == first, "what is missing was its client's");
    other = queries_use(SERVER(1), &handle, &states[2]);
    CHECK(other != first && other->opened_in == 0 && other->number == 2, "another may have opened it");
    CHECK(queries_find(SERVER(1), &handle) == other && queries_use(SERVER(1), &handle, &states[0]) == first, "both");
    CHECK(queries_use(SERVER(1), &handle, &states[2]) == other, "that one again");

    /* Opened anew while it is open, and on another connection: the first is open there all the same. */
    second = queries_open(SERVER(1), &handle, &states[2], 2, 20);
    CHECK(second->number == 3 && queries_use(SERVER(1), &handle, &states[0]) == first, "two are open");

    /* What was added to one that nobody can use any more is forgotten. */
    for (unsigned on = 0; on < 2; on++) {
        new_capture();
        first = queries_open(SERVER(1), &handle, &states[0], 0, 10);
        begin();
        add_counter_identifier(1, 5, 0, "", 0, 0);
        change_query(first, true);
        queries_open(SERVER(1), &handle, &states[on], 1, 20);
        CHECK((first->identifiers == NULL) == (on == 0), "connection %u", on);
    }

    /* Other servers: the same handle is another's. */
    new_capture();
    first = queries_open(SERVER(1), &handle, &states[0], 0, 10);
    CHECK(queries_opened_elsewhere(first) == first, "itself");
    second = queries_use(SERVER(2), &handle, &states[2]);
    CHECK(second != first && queries_opened_elsewhere(second) == first, "of another server");
    CHECK(queries_opened_elsewhere(queries_use(SERVER(1), &(e_guid_t){ .data1 = 1 }, &states[0])) == NULL, "nobody's");

    /* Who answers before it is named may be who is named. */
    new_capture();
    first = queries_open(SERVER(0), &handle, &states[0], 0, 10);
    CHECK(queries_find(SERVER(2), &handle) == first, "named later");
}

/* A handle that was used before the answer that opened it. */
static void
check_opened_late(void)
{
    static const struct {
        uint32_t begun;
        unsigned used_on, opened_on;
        bool is_same;
    } cases[] = {
        { 0, 0, 0, true },
        { 1, 0, 0, false }, /* it had been used before it was asked for */
        { 0, 1, 0, false },
        { UINT32_MAX, 0, 0, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *used, *opened;

        new_capture();
        used = queries_use(SERVER(1), &handle, &states[cases[i].used_on]);
        opened = queries_open(SERVER(1), &handle, &states[cases[i].opened_on], cases[i].begun, 10);
        CHECK((used == opened) == cases[i].is_same && opened->opened_in == 10, "%zu", i);
        /* Used on another connection of the client's it is found by what was opened since. */
        CHECK(queries_use(SERVER(1), &handle, &states[0]) == opened, "%zu", i);
        CHECK(queries_use(SERVER(1), &handle, &states[cases[i].used_on]) == opened, "%zu", i);
    }
    {
        struct query *used, *opened;

        new_capture();
        opened = queries_open(SERVER(1), &handle, &states[0], 0, 10);
        used = queries_open(SERVER(1), &handle, &states[0], 0, 20);
        CHECK(used != opened, "opened already");
    }
}

/* One that was closed may be another's by now, unless the capture would hold that. */
static void
check_closed(void)
{
    static const struct {
        const char *what;
        unsigned on;
        struct connection_state since; /* what came after */
        bool is_still_closed;
    } cases[] = {
        { "nothing is missing", 0, { .is_whole = true }, true },
        { "what was missing before", 0, { .all_gaps = 3 }, true },
        { "missing since", 0, { .all_gaps = 4, .is_whole = true }, false },
        { "an opening lacks its answer", 0, { .all_gaps = 3, .any_lacks_open = true }, false },
        { "without numbers", 0, { .all_gaps = 3, .is_unnumbered = true }, false },
        { "another connection", 1, { .is_whole = true }, true },
        { "another, not whole", 1, { .is_whole = false }, false },
        { "another, missing", 1, { .all_gaps = 3, .is_whole = true }, false },
        { "another lacks an opening", 1, { .is_whole = true, .any_lacks_open = true }, false },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct connection_state at_close, since = cases[i].since;
        struct query *query, *used;

        new_capture();
        query = queries_open(SERVER(1), &handle, &states[0], 0, 10);
        begin();
        add_counter_identifier(1, 5, 0, "", 0, 0);
        change_query(query, true);
        at_close = states[0];
        at_close.all_gaps = cases[i].on == 0 && since.all_gaps != 0 ? 3 : 0;
        queries_close(query, &at_close, 30);
        queries_close(query, &at_close, 40);
        CHECK(query->closed_in == 30 && query->identifiers == NULL, "%u", query->closed_in);
        since.connection = CONNECTION(cases[i].on);
        used = queries_use(SERVER(1), &handle, &since);
        CHECK((used == query) == cases[i].is_still_closed, "%s", cases[i].what);
        CHECK(used == query || (used->opened_in == 0 && used->closed_in == 0), "%s", cases[i].what);
        /* Nothing is added to what is closed. */
        begin();
        add_counter_identifier(1, 5, 0, "", 0, 0);
        change_query(query, true);
        CHECK(query->identifiers == NULL, "%s", cases[i].what);
    }
}

/* When a call was sent, as far as changes go. */
static void
check_changes(void)
{
    struct connection_state *state = &states[0];
    struct query *query;
    uint32_t moment;

    new_capture();
    query = open_query(1, 10);
    moment = queries_moment(query);
    CHECK(queries_num_identifiers(query, moment, state) == 0, "it has none");
    begin();
    add_counter_identifier(1, 5, 0, "", 0, 0);
    add_counter_identifier(1, 6, 0, "", 4200, 0); /* refused */
    add_counter_identifier(1, 5, 7, "", 0, 0);
    queries_change_sent(query, state);
    CHECK(queries_moment(query) != moment && queries_num_identifiers(query, queries_moment(query), state) == -1,
        "under way");
    moment = queries_moment(query);
    {
        const struct lpdata data = parsed(lpdata_parse_identifiers);

        CHECK(queries_first_added(query, &data) == 0, "none was there");
        queries_changed(query, &data, true);
        CHECK(queries_num_identifiers(query, moment, state) == -1, "asked while it was changed");
        moment = queries_moment(query);
        CHECK(queries_num_identifiers(query, moment, state) == 2, "two");
        CHECK(queries_first_added(query, &data) == 1, "the first was added");
        queries_change_sent(query, state);
        queries_unchanged(query);
        CHECK(queries_num_identifiers(query, moment, state) == -1, "before another call");
        CHECK(queries_num_identifiers(query, queries_moment(query), state) == 2, "nothing changed");
        /* A buffer that is cut leaves open what was added. */
        queries_change_sent(query, state);
        ((struct lpdata *)&data)->is_cut = true;
        queries_changed(query, &data, true);
        CHECK(queries_num_identifiers(query, queries_moment(query), state) == -1, "a buffer that is cut");
    }

    /* What is removed that is not there, or added that is: what the query has is no longer known. */
    for (unsigned add = 0; add < 2; add++) {
        new_capture();
        query = open_query(1, 10);
        begin();
        add_counter_identifier(1, 5, 0, "x", 0, 0);
        add_counter_identifier(1, 6, 0, "x", 0, 0);
        change_query(query, true);
        begin();
        add_counter_identifier(1, 5, 0, "x", 0, 0);
        change_query(query, false);
        CHECK(queries_num_identifiers(query, queries_moment(query), state) == 1, "one is left");
        begin();
        add_counter_identifier(1, add ? 6 : 5, 0, "x", 0, 0);
        change_query(query, add);
        CHECK(queries_num_identifiers(query, queries_moment(query), state) == -1, "%u", add);
    }
}

/* Where the number of a query's identifiers can't be told; and its only change. */
static void
check_known(void)
{
    static const struct {
        const char *what;
        bool is_lost, is_unnumbered, is_not_only, is_shared, is_closed, is_not_opened;
    } cases[] = {
        { .what = "known" },
        { .what = "a call was lost since it was opened", .is_lost = true },
        { .what = "without numbers", .is_unnumbered = true },
        { .what = "another connection", .is_not_only = true },
        { .what = "shared", .is_shared = true },
        { .what = "closed", .is_closed = true },
        { .what = "not opened", .is_not_opened = true },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *query;
        uint32_t moment;

        new_capture();
        query = cases[i].is_not_opened ? queries_use(SERVER(1), &handle, &states[0]) : open_query(0xab, 10);
        queries_called(query, !cases[i].is_not_opened, CONNECTION(0));
        states[0].gaps = states[0].all_gaps = cases[i].is_lost;
        states[0].is_unnumbered = cases[i].is_unnumbered;
        states[0].is_only = !cases[i].is_not_only;
        queries_called(query, false, CONNECTION(cases[i].is_shared));
        if (cases[i].is_closed) {
            queries_close(query, &states[0], 20);
        }
        CHECK(queries_num_identifiers(query, queries_moment(query), &states[0]) == (i == 0 ? 0 : -1), "%s",
            cases[i].what);
        moment = queries_moment(query);
        queries_change_sent(query, &states[0]);
        CHECK(queries_is_only_change(query, moment, &states[0]) == (i == 0), "%s", cases[i].what);
        CHECK(queries_is_in_order(query) == (!cases[i].is_not_only && !cases[i].is_shared), "%s", cases[i].what);
    }
    for (unsigned i = 0; i < 5; i++) {
        struct connection_state sent;
        struct query *query;
        uint32_t moment;

        new_capture();
        query = open_query(1, 10);
        if (i == 1) {
            queries_change_sent(query, &states[0]); /* another is under way */
        }
        moment = queries_moment(query);
        sent = states[0];
        queries_change_sent(query, &states[0]);
        if (i == 2) {
            queries_change_sent(query, &states[0]); /* and another since */
        } else if (i == 3) {
            states[0].gaps++; /* or one was lost since */
        } else if (i == 4) {
            queries_unchanged(query); /* or it was answered */
        }
        CHECK(queries_is_only_change(query, moment, &sent) == (i == 0), "%u", i);
    }
}

/* What an identifier may mean of those that a query has: by counterset, by counter, by instance, patterns on either side. */
static void
check_may_be_added(void)
{
    static const struct {
        uint32_t set, counter;
        const char *name;
        uint32_t id;
        struct {
            uint32_t set, counter;
            const char *name;
            uint32_t id;
        } asked;
        bool may_be;
    } cases[] = {
        { 1, 5, "x", 7, { 1, 5, "x", 7 }, true },
        { 1, 5, "x", 7, { 1, 5, "x", 8 }, true }, /* whatever the id */
        { 1, 5, "x", 7, { 1, 5, "X", 7 }, true },
        { 1, 5, "x", 7, { 1, 5, "y", 7 }, false },
        { 1, 5, "x", 7, { 1, 6, "x", 7 }, false },
        { 1, 5, "x", 7, { 2, 5, "x", 7 }, false },
        { 1, 5, "x", 7, { 1, 5, "*", NONE }, true },
        { 1, 5, "x", 7, { 1, 5, "", 7 }, true },
        { 1, 5, "x", 7, { 1, 6, "*", NONE }, false },
        { 1, 5, "x", 7, { 1, ALL, "y", 7 }, true },
        { 1, 5, "x", 7, { 2, ALL, "x", 7 }, false },
        { 1, 5, "*", NONE, { 1, 5, "y", 8 }, true },
        { 1, 5, "", NONE, { 1, 5, "y", 8 }, true },
        { 1, 5, "*", NONE, { 1, 6, "y", 8 }, false },
        { 1, ALL, "x", 7, { 1, 6, "x", 7 }, true },
        { 1, ALL, "x", 7, { 1, 6, "y", 7 }, false },
        { 1, ALL, "*", NONE, { 1, 6, "y", 7 }, true },
        { 1, ALL, "*", NONE, { 2, 6, "y", 7 }, false },
        { 1, ALL, "x", 7, { 1, 6, "*", NONE }, true },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        struct query *query;
        struct lpdata data;

        for (unsigned round = 0; round < 3; round++) {
            new_capture();
            query = open_query(1, 10);
            begin();
            add_counter_identifier(9, 9, 9, "nine", 0, 0);
            add_counter_identifier(cases[i].asked.set, cases[i].asked.counter, cases[i].asked.id, cases[i].asked.name,
                round == 1 ? 87 : 0, 1); /* refused */
            data = parsed(lpdata_parse_identifiers);
            if (round == 2) {
                /* What is looked for is made before anything is added. */
                CHECK(queries_first_not_added(query, &data, false, scope) == 1, "it has none");
            }
            begin();
            add_counter_identifier(9, 9, 9, "nine", 0, 0);
            add_counter_identifier(cases[i].set, cases[i].counter, cases[i].id, cases[i].name, 0, 0);
            change_query(query, true);
            CHECK(queries_first_not_added(query, &data, round != 0, scope) == (round == 1 || cases[i].may_be ? 0 : 2),
                "%zu, %u", i, round);
        }
        /* What was removed may not be meant. */
        begin();
        add_counter_identifier(cases[i].set, cases[i].counter, cases[i].id, cases[i].name, 0, 0);
        change_query(query, false);
        CHECK(queries_first_not_added(query, &data, false, scope) == 2, "%zu: removed", i);
    }
}

/* What the blocks of a poll are said to be: "set:counter:instance" each, or why not. */
static const char *
links(const struct query_poll *poll)
{
    static const char *const causes[] = { [LINK_AMBIGUOUS] = "ambiguous",
        [LINK_NOT_MAPPED] = "not mapped",
        [LINK_OTHER_NUMBER] = "other number",
        [LINK_CONTRADICTED] = "contradicted",
        [LINK_NOT_ADDED] = "not added",
        [LINK_NOT_OPENED] = "not opened",
        [LINK_CALLS_MISSING] = "calls missing",
        [LINK_CHANGE_UNKNOWN] = "change unknown",
        [LINK_CHANGE_UNDER_WAY] = "under way" };
    wmem_strbuf_t *text = wmem_strbuf_new(scope, "");

    for (unsigned b = 0; b < poll->num_blocks; b++) {
        const struct query_link link = queries_link(poll, b);

        wmem_strbuf_append(text, b == 0 ? "" : "; ");
        if (link.kind == LINK_NONE) {
            wmem_strbuf_append(text, causes[link.cause]);
            continue;
        }
        wmem_strbuf_append_printf(text, "%s%u:%s:%s%s", link.kind == LINK_INFERRED ? "inferred " : "", link.set.data1,
            link.counter_known ? wmem_strdup_printf(scope, "%u", link.counter_id) : "?",
            !link.instance_known ? "?" : queries_instance_text(scope, &link.instance),
            link.calls_missing ? " doubtful" : "");
    }
    return wmem_strbuf_get_str(text);
}

static void
check_links(const struct query_poll *poll, const char *expected, const char *what)
{
    CHECK(strcmp(links(poll), expected) == 0, "%s: %s, not %s", what, links(poll), expected);
}

/* Polls single values of 8 bytes. */
static struct query_poll *
poll_at(struct query *query, uint32_t frame, unsigned count, uint32_t moment, const struct connection_state *sent)
{
    static const uint64_t values[] = { 10, 20, 30, 40 };
    struct lpdata data;

    begin_data(count, frame, frame);
    for (unsigned i = 0; i < count; i++) {
        add_block(0, NULL, 0, NULL, &values[i], 8);
    }
    end_data();
    data = parsed(lpdata_parse_data);
    return queries_polled(query, &data, moment, sent, frame, scope);
}

static struct query_poll *
poll(struct query *query, uint32_t frame, unsigned count)
{
    return poll_at(query, frame, count, queries_moment(query), &states[0]);
}

/* A query of counters 5, 6, ... of counterset 1, instance x. */
static struct query *
query_of(unsigned count)
{
    struct query *query = open_query(0xab, 10);

    queries_called(query, true, CONNECTION(0));
    begin();
    for (unsigned i = 0; i < count; i++) {
        add_counter_identifier(1, 5 + i, 0, "x", 0, 0);
    }
    change_query(query, true);
    return query;
}

/* An index map of counters, by their indices. */
static void
map(struct query *query, uint32_t frame, unsigned count, const uint32_t *indices)
{
    begin();
    for (unsigned i = 0; i < count; i++) {
        add_counter_identifier(1, 5 + i, 0, "x", 0, indices[i]);
    }
    map_query(query, frame);
}

#define MAP(query, frame, ...) \
    map(query, frame, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, (const uint32_t[]){ __VA_ARGS__ })

static void
check_maps(void)
{
    const struct query_poll *first, *second, *third;
    struct query *query;
    unsigned version;

    new_capture();
    query = query_of(2);
    first = poll(query, 20, 2);
    check_links(first, "inferred 1:?:x; inferred 1:?:x", "without a map");
    CHECK(queries_num_mapped(first) == 0 && queries_identifier(first, 0) == NULL, "without a map");
    version = queries_version();
    MAP(query, 30, 1, 0);
    CHECK(queries_version() != version, "all may be named anew");
    check_links(first, "1:6:x; 1:5:x", "the poll before");
    second = poll(query, 40, 2);
    check_links(second, "1:6:x; 1:5:x", "mapped");
    CHECK(queries_link(second, 0).frame == 30 && queries_num_mapped(second) == 2, "by the map");
    CHECK(queries_identifier(second, 1)->counter_id == 5 && queries_identifier(second, 1)->is_as_added, "as added");
    version = queries_version();
    MAP(query, 50, 1, 0);
    CHECK(queries_version() == version && queries_link(second, 0).frame == 30, "it says what is known");
    third = poll(query, 60, 1);
    check_links(third, "other number", "fewer blocks");
    CHECK(queries_identifier(third, 0) == NULL, "fewer blocks");
    third = poll(query, 70, 3);
    check_links(third, "other number; other number; other number", "more blocks");
    /* A map that says something else: a change was not seen. */
    MAP(query, 80, 0, 1);
    CHECK(queries_version() != version, "another map");
    check_links(second, "1:6:x; 1:5:x", "the poll before");
    third = poll(query, 90, 2);
    check_links(third, "1:5:x; 1:6:x", "by the other map");
    CHECK(queries_begins_epoch(third) && !queries_begins_epoch(second) && queries_begins_epoch(first), "epochs");
    version = queries_version();
    MAP(query, 100, 0);
    CHECK(queries_version() != version, "a map of fewer");
    version = queries_version();
    begin();
    add_counter_identifier(1, 5, 0, "y", 0, 0);
    map_query(query, 105);
    CHECK(queries_version() != version, "another instance");
    MAP(query, 107, 0);
    begin();
    map_query(query, 110);
    check_links(poll(query, 120, 1), "1:5:x", "a map of none says nothing");

    /* Blocks that no index, or two, are for. */
    new_capture();
    query = query_of(3);
    MAP(query, 20, 0, 0, 2);
    check_links(poll(query, 30, 3), "not mapped; not mapped; 1:7:x", "indices");
    states[0].gaps = states[0].all_gaps = 1;
    queries_called(query, false, CONNECTION(0));
    check_links(poll(query, 40, 3), "not mapped; not mapped; 1:7:x doubtful", "indices, and a call is missing");
    new_capture();
    query = query_of(3);
    MAP(query, 20, 0, 2, 2);
    check_links(poll(query, 30, 3), "1:5:x; not mapped; not mapped", "indices");

    /* Index 1 of a counter that was never added. */
    new_capture();
    query = query_of(1);
    MAP(query, 20, 0, 1);
    check_links(poll(query, 30, 2), "1:5:x; not added", "what was not added");
    CHECK(!queries_identifier(poll(query, 40, 2), 1)->is_as_added, "what was not added");

    /* A counterset of several instances: whose one value is is not said. */
    new_capture();
    several_set = 1;
    query = open_query(0xab, 10);
    begin();
    add_counter_identifier(1, 5, 0, "", 0, 0);
    add_counter_identifier(1, 6, 0, "y", 0, 1);
    change_query(query, true);
    map_query(query, 20);
    check_links(poll(query, 30, 2), "1:5:?; 1:6:y", "of several");
    several_set = 0;
    check_links(poll(query, 40, 2), "1:5:; 1:6:y", "of one");
}

/* A map that comes late names the values of the polls before it: they are the same series as those after. */
static void
check_late_map(void)
{
    const struct query_poll *first, *second, *third;
    struct query *query;

    new_capture();
    query = query_of(2);
    first = poll(query, 20, 2);
    second = poll(query, 25, 2);
    CHECK(series_shape(first->values, 0)->set.data2 == 0xffff && series_shape(first->values, 0)->instances == NULL,
        "unknown");
    MAP(query, 30, 1, 0);
    third = poll(query, 40, 2);
    for (unsigned b = 0; b < 2; b++) {
        const struct series_poll *before = NULL;

        CHECK(series_shape(first->values, b)->set.data1 == 1 && series_shape(first->values, b)->counters[0] == 6 - b,
            "block %u", b);
        CHECK(series_value(third->values, b, 0, &before).have_previous && before == second->values, "block %u", b);
    }
}

/* A poll before its map: what is missing between them counts, and not what was before both. */
static void
check_gaps_before_map(void)
{
    const struct query_poll *before;
    struct query *query;

    for (unsigned missing = 0; missing < 2; missing++) {
        new_capture();
        states[0].gaps = states[0].all_gaps = 5;
        query = query_of(1);
        before = poll(query, 20, 1);
        states[0].gaps = states[0].all_gaps = 5 + missing;
        queries_called(query, false, CONNECTION(0));
        MAP(query, 30, 0);
        check_links(before, missing ? "1:5:x doubtful" : "1:5:x", "the poll before");
        check_links(poll(query, 40, 1), "1:5:x", "the poll after");
    }
}

/* Calls that are missing may have changed the query: what is known of it is doubtful, or gone where something shows. */
static void
check_gaps(void)
{
    const struct query_poll *before, *after;
    struct connection_state sent;
    struct query *query;

    new_capture();
    query = query_of(2);
    MAP(query, 20, 0, 1);
    before = poll(query, 30, 2);
    states[0].gaps = states[0].all_gaps = 1;
    queries_called(query, false, CONNECTION(0));
    after = poll(query, 40, 2);
    check_links(before, "1:5:x; 1:6:x", "before");
    check_links(after, "1:5:x doubtful; 1:6:x doubtful", "as many blocks");
    CHECK(queries_identifier(after, 0) == NULL && queries_identifier(before, 0) != NULL, "not for sure");
    check_links(poll(query, 50, 2), "1:5:x doubtful; 1:6:x doubtful", "from then on");
    MAP(query, 55, 0, 1);
    check_links(poll(query, 57, 2), "1:5:x; 1:6:x", "the map anew");
    states[0].gaps = states[0].all_gaps = 2;
    queries_called(query, false, CONNECTION(0));
    after = poll(query, 60, 3);
    check_links(after, "calls missing; calls missing; calls missing", "another number of blocks");
    check_links(before, "1:5:x; 1:6:x", "before");
    CHECK(queries_begins_epoch(after), "another epoch");

    /* Without a map: as many blocks as in the poll before, or not. */
    new_capture();
    query = query_of(2);
    poll(query, 20, 2);
    poll(query, 30, 3);
    states[0].gaps = states[0].all_gaps = 1;
    queries_called(query, false, CONNECTION(0));
    CHECK(!queries_begins_epoch(poll(query, 40, 3)), "as many");
    states[0].gaps = states[0].all_gaps = 2;
    queries_called(query, false, CONNECTION(0));
    CHECK(queries_begins_epoch(poll(query, 50, 2)), "fewer");

    /* Between a request and its answer: what is asked is what was there before, or not. */
    new_capture();
    query = query_of(1);
    MAP(query, 20, 0);
    sent = states[0];
    states[0].gaps = states[0].all_gaps = 1;
    queries_called(query, false, CONNECTION(0));
    check_links(poll_at(query, 30, 1, queries_moment(query), &sent), "calls missing", "while it was under way");
    CHECK(queries_num_identifiers(query, queries_moment(query), &sent) == -1, "while it was under way");

    /* Nothing is inferred where something is missing, or where it was opened is. */
    new_capture();
    query = query_of(1);
    states[0].gaps = states[0].all_gaps = 1;
    queries_called(query, false, CONNECTION(0));
    check_links(poll(query, 30, 1), "calls missing", "no map");
    new_capture();
    query = queries_use(SERVER(1), &handle, &states[0]);
    begin();
    add_counter_identifier(1, 5, 0, "x", 0, 0);
    change_query(query, true);
    check_links(poll(query, 30, 1), "not opened", "not opened");
    new_capture();
    query = query_of(1);
    queries_change_sent(query, &states[0]);
    queries_change_sent(query, &states[0]);
    queries_unchanged(query);
    query->changes_begun--;
    check_links(poll(query, 30, 1), "change unknown", "a change was lost");
}

/* A poll that was asked for, or answered, while the query was being changed. */
static void
check_under_way(void)
{
    struct connection_state late;
    struct query *query;
    uint32_t moment;

    new_capture();
    query = query_of(1);
    MAP(query, 20, 0);
    moment = queries_moment(query);
    queries_change_sent(query, &states[0]);
    check_links(poll_at(query, 30, 1, moment, &states[0]), "under way", "answered meanwhile");
    moment = queries_moment(query);
    queries_unchanged(query);
    check_links(poll_at(query, 40, 1, moment, &states[0]), "under way", "asked for meanwhile");
    check_links(poll(query, 50, 1), "1:5:x", "the map holds on");

    /* An answer that does not come is taken for lost after a minute. */
    for (time_t seconds = 60; seconds <= 61; seconds++) {
        new_capture();
        query = query_of(1);
        queries_change_sent(query, &states[0]);
        late = states[0];
        late.sent_at = seconds;
        check_links(poll_at(query, 30, 1, queries_moment(query), &late), "under way", "a poll");
        check_links(poll_at(query, 40, 1, queries_moment(query), &late), seconds == 60 ? "under way" : "change unknown",
            "the next");
        /* It comes after all. */
        queries_unchanged(query);
        check_links(poll(query, 50, 1), "inferred 1:5:x", "answered");
        queries_change_sent(query, &states[0]);
        check_links(poll(query, 60, 1), "under way", "another change");
    }
}

/* Several connections, and calls that have no numbers. */
static void
check_shared(void)
{
    const struct query_poll *one;
    struct query *query;

    new_capture();
    states[0].all_gaps = states[1].all_gaps = 2; /* before it was opened */
    query = query_of(1);
    MAP(query, 20, 0);
    queries_called(query, false, CONNECTION(1));
    CHECK(query->is_shared && !query->calls_missing && !queries_is_in_order(query), "shared");
    check_links(poll(query, 30, 1), "1:5:x", "nothing is missing");
    states[1].all_gaps = 3;
    queries_called(query, false, CONNECTION(1));
    CHECK(query->calls_missing && query->is_overlapped && query->gaps == 3, "missing on any of them");
    check_links(poll(query, 40, 1), "1:5:x doubtful", "missing");
    CHECK(queries_num_mapped(poll(query, 50, 1)) == 0, "of which time the map is is not known");

    new_capture();
    query = query_of(1);
    one = poll(query, 20, 1);
    check_links(one, "inferred 1:5:x", "inferred");
    states[0].is_unnumbered = true;
    queries_called(query, false, CONNECTION(0));
    CHECK(query->is_unnumbered && !query->calls_missing && queries_link(one, 0).is_unnumbered, "no numbers");
    states[0].is_unnumbered = false;
    queries_called(query, false, CONNECTION(0));
    CHECK(query->is_unnumbered, "it was so once");
    MAP(query, 30, 0);
    one = poll(query, 40, 1);
    check_links(one, "1:5:x doubtful", "mapped");
    CHECK(queries_identifier(one, 0) == NULL, "not for sure");

    new_capture();
    query = query_of(1);
    MAP(query, 20, 0);
    one = poll(query, 30, 1);
    CHECK(queries_identifier(one, 0) != NULL, "for sure");
    states[0].is_unnumbered = true;
    queries_called(query, false, CONNECTION(0));
    check_links(one, "1:5:x", "nothing contradicts it");
    CHECK(queries_identifier(one, 0) == NULL, "no longer for sure");

    /* An opening that lacks its answer may have given out the handle again. */
    for (unsigned i = 0; i < 4; i++) {
        new_capture();
        query = query_of(1);
        states[0].lacks_open = i == 1;
        states[0].any_lacks_open = i == 2;
        queries_called(query, false, CONNECTION(0));
        CHECK(query->is_unnumbered == (i == 1), "%u", i);
        queries_called(query, true, CONNECTION(0));
        CHECK(query->is_unnumbered == (i == 1), "%u: its own", i);
    }
    new_capture();
    query = query_of(1);
    states[1].any_lacks_open = true;
    queries_called(query, false, CONNECTION(1));
    CHECK(query->is_unnumbered, "on any of several");

    /* Calls that overlap, of which some are missing. */
    for (unsigned i = 0; i < 4; i++) {
        new_capture();
        query = query_of(1);
        states[0].gaps = i & 1;
        states[0].several_under_way = i & 2;
        queries_called(query, false, CONNECTION(0));
        CHECK(query->is_overlapped == (i == 3) && query->calls_missing == (i & 1), "%u", i);
        MAP(query, 20, 0);
        check_links(poll(query, 30, 1), i == 3 ? "1:5:x doubtful" : "1:5:x", "a map since");
        /* Where calls overlap nobody can tell when it changed. */
        check_links(poll(query, 40, 2), i == 3 ? "calls missing; calls missing" : "other number; other number",
            "another number of blocks");
    }
    /* Opened after what was missing. */
    new_capture();
    query = open_query(1, 10);
    states[0].gaps = 5;
    queries_called(query, true, CONNECTION(0));
    CHECK(!query->calls_missing && query->gaps == 5, "before it was opened");
}

/*
 * Two identifiers, and the blocks that answer them, whatever their order, and whatever it was before: what only one of
 * them can have asked for is known. Links of blocks that repeat those of the poll before are the same.
 */
static void
check_inferred(void)
{
    static const char *const a[] = { "a" }, *const b[] = { "b" }, *const ab[] = { "a", "b" };
    static const uint32_t five[] = { 5 }, six[] = { 6 }, both[] = { 5, 6 };
    static const uint64_t values[4];
    static const struct {
        struct {
            uint32_t set, counter;
            const char *name;
            unsigned num_ids;
            const uint32_t *ids;
            unsigned num_names;
            const char *const *names;
            const char *expected;
        } one[2];
    } cases[] = {
        { { { 1, 5, "a*", 0, NULL, 1, a, "inferred 1:5:" }, { 2, 5, "b*", 0, NULL, 1, b, "inferred 2:5:" } } },
        { { { 1, 5, "a*", 0, NULL, 1, a, "ambiguous" }, { 2, 5, "*", 0, NULL, 2, ab, "inferred 2:5:" } } },
        { { { 3, ALL, "x", 1, five, 0, NULL, "inferred 3:?:x" }, { 4, ALL, "x", 1, six, 0, NULL, "ambiguous" } } },
        { { { 3, ALL, "x", 1, five, 0, NULL, "ambiguous" }, { 2, ALL, "x", 2, both, 0, NULL, "inferred 2:?:x" } } },
        { { { 1, 5, "x", 0, NULL, 0, NULL, "inferred 1:5:x" }, { 2, ALL, "x", 2, both, 0, NULL, "inferred 2:?:x" } } },
    };

    for (size_t i = 0; i < array_length(cases); i++) {
        const struct query_link *before = NULL;
        struct query *query;

        new_capture();
        /* All counters of 3 and 4 are known. */
        complete_sets = 1u << (i == 2 ? 4 : 3);
        teach((struct taught){ 3, 5, "a", 1, NONE, NONE, NONE, NONE, 0, 0, false });
        teach((struct taught){ 4, 6, "b", 1, NONE, NONE, NONE, NONE, 0, 0, false });
        query = open_query(0xab, 10);
        begin();
        for (unsigned n = 0; n < 2; n++) {
            add_counter_identifier(cases[i].one[n].set, cases[i].one[n].counter, NONE, cases[i].one[n].name, 0, 0);
        }
        change_query(query, true);
        for (unsigned polled = 0; polled < 4; polled++) {
            struct query_poll *now;
            struct lpdata data;

            begin_data(2, polled, polled);
            for (unsigned n = 0; n < 2; n++) {
                /* Two polls in one order, two in the other. */
                const unsigned k = n ^ polled >> 1;

                add_block(cases[i].one[k].num_ids, cases[i].one[k].ids, cases[i].one[k].num_names,
                    cases[i].one[k].names, values, 8);
            }
            end_data();
            data = parsed(lpdata_parse_data);
            now = queries_polled(query, &data, queries_moment(query), &states[0], 20 + polled, scope);
            check_links(now,
                wmem_strdup_printf(scope, "%s; %s", cases[i].one[polled >> 1].expected,
                    cases[i].one[1 - (polled >> 1)].expected),
                wmem_strdup_printf(scope, "%zu, poll %u", i, polled));
            CHECK((now->inferred == before) == (polled & 1), "%zu, poll %u", i, polled);
            before = now->inferred;
        }
        /* As many answers as questions, or else nothing is known. */
        check_links(poll(query, 60, 1), "ambiguous", "one block is lacking");
    }
}

/* A block can't be what the map says: of another kind, or with counters that its counterset has not. */
static void
check_contradictions(void)
{
    static const uint32_t known[] = { 5 }, unknown[] = { 7 };
    static const uint64_t values[2];
    const struct query_poll *now;
    struct lpdata data;

    for (unsigned i = 0; i < 5; i++) {
        struct query *query;

        new_capture();
        teach((struct taught){ 1, 5, "a", 1, NONE, NONE, NONE, NONE, 0, 0, false });
        complete_sets = 1u << 1;
        query = open_query(0xab, 10);
        queries_called(query, true, CONNECTION(0));
        begin();
        add_counter_identifier(1, ALL, 0, "x", 0, 0);
        change_query(query, true);
        map_query(query, 20);
        if (i >= 2) {
            states[0].gaps = states[0].all_gaps = 1;
            queries_called(query, false, CONNECTION(0));
        }
        begin_data(1, 1, 1);
        /* A single counter, one that its counterset has not, one that it has; and the first two where calls are missing. */
        add_block(1, i == 0 || i == 4 ? NULL : i == 2 ? known : unknown, 0, NULL, values, 8);
        end_data();
        data = parsed(lpdata_parse_data);
        now = queries_polled(query, &data, queries_moment(query), &states[0], 30, scope);
        check_links(now,
            i == 0       ? "contradicted"
                : i == 1 ? "1:?:x"
                : i == 2 ? "1:?:x doubtful"
                         : "calls missing",
            "a block");
    }
}

/* Each file begins anew. */
static void
check_end_of_file(void)
{
    struct query *query;

    new_capture();
    query = query_of(1);
    poll(query, 20, 1);
    CHECK(query->identifiers != NULL && query->inference != NULL, "there is something");
    end_file();
    CHECK(query->identifiers == NULL && query->inference == NULL && query->keys == NULL, "nothing is left");
}

int
main(void)
{
    wmem_init_scopes();
    scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    identity_init();
    queries_init();
    check_handles();
    check_opened_late();
    check_closed();
    check_changes();
    check_known();
    check_may_be_added();
    check_maps();
    check_late_map();
    check_gaps_before_map();
    check_gaps();
    check_under_way();
    check_shared();
    check_inferred();
    check_contradictions();
    check_end_of_file();
    wmem_destroy_allocator(scope);
    return check_result();
}
