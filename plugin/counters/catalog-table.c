/* catalog-table.c
 * The user's table and the built-in table of countersets and counters
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/catalog.h"

#include <string.h>

#include <epan/to_str.h>
#include <epan/uat.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "counters/poll.h"

#define UAT_NAME "perflibv2_counters"

/*
 * Countersets whose GUID and display name are published together: in Microsoft's documentation and samples, and in
 * public programs and manifests. Counters are included only if ids and types are public, too.
 */
static const struct {
    const char *guid;
    const char *name;
} built_in_sets[] = {
    { "b4fc721a-0378-476f-89ba-a5a79f810b36", "Processor Information" },
    { "52bc5412-dac2-449c-8bc2-96443888fe6b", "Thermal Zone Information" },
    { "978c167d-4764-4d9c-9824-14747351dc81", "GPU Engine" },
    { "be2139c7-ab81-424d-b107-d87f7c9322ac", "GPU Adapter Memory" },
    { "f802502b-77b4-4713-81b3-3be05759da5d", "GPU Process Memory" },
    { "f9ed01f5-8f3e-4956-973f-9f05bc96f489", "GPU Non Local Adapter Memory" },
    { "227419d5-f6d8-4fb7-85d6-2cac1725e4a9", "GPU Local Adapter Memory" },
    { "811bbce5-7327-4ad9-ab62-a8b955f61eef", "Pacer Flow" },
    { "bfe2736b-c79f-4f36-bd15-2897a1a91d4a", "DFS Replicated Folders" },
    { "a689f9be-38ad-4c17-9d62-ad60492084a7", "DFS Replication Connections" },
    { "3f1707df-6381-4287-affc-a60e109a4d30", "DFS Replication Service Volumes" },
    { "ffeeaadd-c923-4794-b696-70577630b5cf", "Geometric Waves" },
    { "ffeeaadd-eaa6-45ba-bf6d-4c7cb0d6ef73", "Trignometric Waves" },
    { "ffddaaee-eaa6-45ba-bf6d-4c7cb0d6ef74", "Aggregated Trignometric Waves" },
    { "dd36a036-c923-4794-b696-70577630b5cf", "My LogicalDisk" },
    { "3a22a8ec-297c-48ac-ab15-33ec93033fd8", "Node.js" },
};

#define NONE PERF_ID_NONE
static const struct {
    const char *guid;
    uint32_t id;
    const char *name;
    bool type_known;
    uint32_t type;
    uint32_t base_id;
} built_in_counters[] = {
/* Microsoft Learn's sample prints ids and types of this counterset. */
#define PROCESSOR_INFORMATION "b4fc721a-0378-476f-89ba-a5a79f810b36"
    { PROCESSOR_INFORMATION, 0, "% Processor Time", true, 0x21510500, NONE },
    { PROCESSOR_INFORMATION, 1, "% User Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 2, "% Privileged Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 3, "Interrupts/sec", true, 0x10410400, NONE },
    { PROCESSOR_INFORMATION, 4, "% DPC Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 5, "% Interrupt Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 6, "DPCs Queued/sec", false, 0, NONE },
    { PROCESSOR_INFORMATION, 7, "DPC Rate", true, 0x00010000, NONE },
    { PROCESSOR_INFORMATION, 8, "% Idle Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 9, "% C1 Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 10, "% C2 Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 11, "% C3 Time", false, 0, NONE },
    { PROCESSOR_INFORMATION, 12, "C1 Transitions/sec", true, 0x10410500, NONE },
    { PROCESSOR_INFORMATION, 13, "C2 Transitions/sec", true, 0x10410500, NONE },
    { PROCESSOR_INFORMATION, 14, "C3 Transitions/sec", true, 0x10410500, NONE },
    { PROCESSOR_INFORMATION, 15, "% Priority Time", true, 0x21510500, NONE },
    { PROCESSOR_INFORMATION, 16, "Parking Status", false, 0, NONE },
    { PROCESSOR_INFORMATION, 17, "Processor Frequency", false, 0, NONE },
    { PROCESSOR_INFORMATION, 18, "% of Maximum Frequency", false, 0, NONE },
    { PROCESSOR_INFORMATION, 19, "Processor State Flags", false, 0, NONE },
    { PROCESSOR_INFORMATION, 20, "Clock Interrupts/sec", false, 0, NONE },
    { PROCESSOR_INFORMATION, 21, "Average Idle Time", true, 0x20570500, 22 },
    { PROCESSOR_INFORMATION, 22, "Average Idle Time Base", true, 0x40030500, NONE },
    { PROCESSOR_INFORMATION, 23, "Idle Break Events/sec", false, 0, NONE },
    { PROCESSOR_INFORMATION, 24, "% Processor Performance", true, 0x40020500, 25 },
    { PROCESSOR_INFORMATION, 26, "% Processor Utility", true, 0x40020500, 27 },
    { PROCESSOR_INFORMATION, 27, "% Utility Base", true, 0x40030402, NONE },
    { PROCESSOR_INFORMATION, 28, "% Privileged Utility", true, 0x40020500, NONE },
    { PROCESSOR_INFORMATION, 30, "% Performance Limit", false, 0, NONE },
    { PROCESSOR_INFORMATION, 31, "Performance Limit Flags", false, 0, NONE },
#undef PROCESSOR_INFORMATION
    { "978c167d-4764-4d9c-9824-14747351dc81", 1, "Running Time", false, 0, NONE },
    { "978c167d-4764-4d9c-9824-14747351dc81", 2, "Utilization Percentage", false, 0, NONE },
    { "be2139c7-ab81-424d-b107-d87f7c9322ac", 1, "Total Committed", false, 0, NONE },
    { "be2139c7-ab81-424d-b107-d87f7c9322ac", 2, "Dedicated", false, 0, NONE },
    { "be2139c7-ab81-424d-b107-d87f7c9322ac", 3, "Shared", false, 0, NONE },
    { "52bc5412-dac2-449c-8bc2-96443888fe6b", 0, "Temperature", false, 0, NONE },
    { "52bc5412-dac2-449c-8bc2-96443888fe6b", 3, "High Precision Temperature", false, 0, NONE },
};
#undef NONE

/*
 * A record of the user's table, as entered. Empty counter_id: counterset only. All members are texts, which
 * known_counter_copy() and known_counter_free() handle as an array.
 */
struct known_counter {
    char *guid;
    char *set_name;
    char *counter_id;
    char *counter_name;
    char *type;
    char *base_id;
    char *perf_time_id;
    char *perf_freq_id;
    char *multi_id;
};

static struct known_counter *user_records;
static guint num_user_records;

/* A counter of the user's or the built-in table, prepared for look-ups. Rebuilt when the user's table changes. */
struct table_counter {
    e_guid_t guid;
    uint32_t id;
    struct catalog_counter info;
    struct table_counter *next_same_id; /* next counter of the same id; NULL: none */
};
/* Counterset GUID -> name. Names are interned, since records may be freed before the tables are rebuilt. */
static GHashTable *set_names, *user_set_names;
static GHashTable *counters; /* set of struct table_counter, unique by GUID and id */

HASH_BYTES(counter, offsetof(struct table_counter, id) + sizeof(uint32_t))

/* Parses a GUID with or without braces. */
static bool
parse_guid(const char *text, e_guid_t *guid)
{
    static const char form[] = "00000000-0000-0000-0000-000000000000";
    uint8_t bytes[16] = { 0 };
    unsigned digits = 0;
    const size_t length = strlen(text);
    const bool braces = length == 38 && text[0] == '{' && text[37] == '}';

    if (length != 36 && !braces) {
        return false;
    }
    text += braces ? 1 : 0;
    for (unsigned i = 0; form[i] != '\0'; i++) {
        if (form[i] == '-' ? text[i] != '-' : !g_ascii_isxdigit(text[i])) {
            return false;
        }
        if (form[i] != '-') {
            bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | g_ascii_xdigit_value(text[i]));
            digits++;
        }
    }
    *guid = bytes_guid(bytes, true);
    return true;
}

/* Parses a decimal or 0x number of 32 bits. Empty text means fallback. */
static bool
parse_number(const char *text, uint32_t fallback, uint32_t *value)
{
    char *end = NULL;
    guint64 parsed;

    if (text == NULL || text[0] == '\0') {
        *value = fallback;
        return true;
    }
    parsed = g_ascii_strtoull(text, &end, g_str_has_prefix(text, "0x") ? 16 : 10);
    *value = (uint32_t)parsed;
    return *end == '\0' && g_ascii_isdigit(text[0]) && parsed <= UINT32_MAX;
}

/* Parses the name or number of a counter type. */
static bool
parse_type(const char *text, uint32_t *type)
{
    for (const value_string *known = VALUE_STRING_EXT_VS_P(&counter_type_vals_ext); known->strptr != NULL; known++) {
        if (strcmp(text, known->strptr) == 0) {
            *type = known->value;
            return true;
        }
    }
    return parse_number(text, 0, type);
}

static void
free_counter(void *counter)
{
    while (counter != NULL) {
        struct table_counter *next = ((struct table_counter *)counter)->next_same_id;

        g_free(counter);
        counter = next;
    }
}

static struct table_counter *
catalog_table_find_counter(const e_guid_t *guid, uint32_t id, unsigned nth)
{
    const struct table_counter key = { .guid = *guid, .id = id };
    struct table_counter *found = (struct table_counter *)g_hash_table_lookup(counters, &key);

    for (; found != NULL && nth > 0; nth--) {
        found = found->next_same_id;
    }
    return found;
}

unsigned
catalog_table_same_id_count(const e_guid_t *guid, uint32_t id)
{
    unsigned count = 0;

    for (const struct table_counter *counter = catalog_table_find_counter(guid, id, 0); counter != NULL;
         counter = counter->next_same_id) {
        count++;
    }
    return count;
}

/* Counter of the previous record; NULL: none */
static struct table_counter *last_counter;

/*
 * Adds a counter. follows: if the previous record has the same id, this is another counter with that id. Otherwise it
 * replaces an earlier counter.
 */
static void
add_counter(const e_guid_t *guid, uint32_t id, const struct catalog_counter *info, bool follows)
{
    struct table_counter *counter = g_new0(struct table_counter, 1);

    counter->guid = *guid;
    counter->id = id;
    counter->info = *info;
    if (follows && last_counter != NULL && counter_equal(last_counter, counter)) {
        last_counter->next_same_id = counter;
    } else {
        g_hash_table_replace(counters, counter, counter);
    }
    last_counter = counter;
}

static void
add_set(GHashTable *names, const e_guid_t *guid, const char *name)
{
    if (name != NULL && name[0] != '\0') {
        e_guid_t *key = g_new(e_guid_t, 1);

        *key = *guid;
        g_hash_table_replace(names, key, (void *)g_intern_string(name));
    }
}

static void
add_user_record(const struct known_counter *record)
{
    struct catalog_counter info = { .source = CATALOG_TABLE };
    uint32_t id;
    e_guid_t guid;

    /* Never true: known_counter_update() accepts no record with an invalid GUID. */
    if (!parse_guid(record->guid, &guid)) {
        return;
    }
    add_set(user_set_names, &guid, record->set_name);
    if (record->counter_id == NULL || record->counter_id[0] == '\0') {
        last_counter = NULL; /* the next record belongs to another server or counterset */
        return;
    }
    if (!parse_number(record->counter_id, 0, &id)) {
        return;
    }
    info.name.text =
        record->counter_name != NULL && record->counter_name[0] != '\0' ? g_intern_string(record->counter_name) : NULL;
    info.name.source = CATALOG_TABLE;
    info.type_known = record->type != NULL && record->type[0] != '\0' && parse_type(record->type, &info.type);
    parse_number(record->base_id, PERF_ID_NONE, &info.base_id);
    parse_number(record->perf_time_id, PERF_ID_NONE, &info.perf_time_id);
    parse_number(record->perf_freq_id, PERF_ID_NONE, &info.perf_freq_id);
    parse_number(record->multi_id, PERF_ID_NONE, &info.multi_id);
    add_counter(&guid, id, &info, true);
}

/* Adds the built-in table first, so that the user's records replace it. */
static void
rebuild(void)
{
    e_guid_t guid;

    if (set_names == NULL) {
        set_names = g_hash_table_new_full(guid_map_hash, guid_map_equal, g_free, NULL);
        user_set_names = g_hash_table_new_full(guid_map_hash, guid_map_equal, g_free, NULL);
        counters = g_hash_table_new_full(counter_hash, counter_equal, free_counter, NULL);
    }
    g_hash_table_remove_all(set_names);
    g_hash_table_remove_all(user_set_names);
    g_hash_table_remove_all(counters);
    for (size_t i = 0; i < array_length(built_in_sets); i++) {
        parse_guid(built_in_sets[i].guid, &guid);
        add_set(set_names, &guid, built_in_sets[i].name);
    }
    for (size_t i = 0; i < array_length(built_in_counters); i++) {
        const struct catalog_counter info = {
            .name = { built_in_counters[i].name, 0, CATALOG_BUILT_IN },
            .source = CATALOG_BUILT_IN,
            .type_known = built_in_counters[i].type_known,
            .type = built_in_counters[i].type,
            .base_id = built_in_counters[i].base_id,
            .perf_time_id = PERF_ID_NONE,
            .perf_freq_id = PERF_ID_NONE,
            .multi_id = PERF_ID_NONE,
        };

        parse_guid(built_in_counters[i].guid, &guid);
        add_counter(&guid, built_in_counters[i].id, &info, false);
    }
    last_counter = NULL;
    for (guint i = 0; i < num_user_records; i++) {
        add_user_record(&user_records[i]);
    }
    catalog_version++;
}

UAT_CSTRING_CB_DEF(known, guid, struct known_counter)
UAT_CSTRING_CB_DEF(known, set_name, struct known_counter)
UAT_CSTRING_CB_DEF(known, counter_id, struct known_counter)
UAT_CSTRING_CB_DEF(known, counter_name, struct known_counter)
UAT_CSTRING_CB_DEF(known, type, struct known_counter)
UAT_CSTRING_CB_DEF(known, base_id, struct known_counter)
UAT_CSTRING_CB_DEF(known, perf_time_id, struct known_counter)
UAT_CSTRING_CB_DEF(known, perf_freq_id, struct known_counter)
UAT_CSTRING_CB_DEF(known, multi_id, struct known_counter)

static void *
known_counter_copy(void *to, const void *from, size_t length)
{
    for (size_t i = 0; i < length / sizeof(char *); i++) {
        ((char **)to)[i] = g_strdup(((char *const *)from)[i]);
    }
    return to;
}

static void
known_counter_free(void *record)
{
    for (size_t i = 0; i < sizeof(struct known_counter) / sizeof(char *); i++) {
        g_free(((char **)record)[i]);
    }
}

static perflib_bool
known_counter_update(void *to_check, char **err)
{
    struct known_counter *record = (struct known_counter *)to_check;
    char *const ids[] = { record->counter_id, record->base_id, record->perf_time_id, record->perf_freq_id,
        record->multi_id };
    e_guid_t guid;
    uint32_t number;

    if (record->guid == NULL || !parse_guid(record->guid, &guid)) {
        *err = g_strdup("The counterset's GUID must look like b4fc721a-0378-476f-89ba-a5a79f810b36.");
        return false;
    }
    for (unsigned i = 0; i < array_length(ids); i++) {
        if (!parse_number(ids[i], 0, &number)) {
            *err = g_strdup_printf("\"%s\" is not a counter id.", ids[i]);
            return false;
        }
    }
    if (record->type != NULL && !parse_type(record->type, &number)) {
        *err = g_strdup_printf("\"%s\" is neither the name nor the number of a counter type.", record->type);
        return false;
    }
    *err = NULL;
    return true;
}

void
catalog_table_register(module_t *module)
{
    static uat_field_t fields[] = { UAT_FLD_CSTRING(known, guid, "Counterset GUID", "GUID of the counterset"),
        UAT_FLD_CSTRING(known, set_name, "Counterset", "Name of the counterset"),
        UAT_FLD_CSTRING(known, counter_id, "Counter id",
            "Number of the counter, decimal or hexadecimal (0x). Empty if the row only names a counterset"),
        UAT_FLD_CSTRING(known, counter_name, "Counter", "Name of the counter"),
        UAT_FLD_CSTRING(known, type, "Type", "Counter type by name (PERF_COUNTER_COUNTER) or number (0x10410400)"),
        UAT_FLD_CSTRING(known, base_id, "Base", "Id of the base counter, or empty"),
        UAT_FLD_CSTRING(known, perf_time_id, "Time", "Id of its time counter, or empty"),
        UAT_FLD_CSTRING(known, perf_freq_id, "Frequency", "Id of its frequency counter, or empty"),
        UAT_FLD_CSTRING(known, multi_id, "Multi", "Id of its multi counter (number of instances in the sum), or empty"),
        UAT_END_FIELDS };
    uat_t *uat = uat_new("PerflibV2 known counters", sizeof(struct known_counter), UAT_NAME, true, &user_records,
        &num_user_records, UAT_AFFECTS_DISSECTION, NULL, known_counter_copy, known_counter_update, known_counter_free,
        rebuild, NULL, fields);

    prefs_register_uat_preference(module, "known_counters", "Known counters",
        "Names and types of countersets and counters, for captures that do not contain them", uat);
    rebuild();
}

struct catalog_text
catalog_table_counterset_name(const e_guid_t *guid)
{
    const char *by_user = (const char *)g_hash_table_lookup(user_set_names, guid);
    const char *name = by_user != NULL ? by_user : (const char *)g_hash_table_lookup(set_names, guid);

    return (struct catalog_text){ name, 0,
        name == NULL          ? CATALOG_UNKNOWN
            : by_user != NULL ? CATALOG_TABLE
                              : CATALOG_BUILT_IN };
}

bool
catalog_table_counter(const e_guid_t *guid, uint32_t id, unsigned nth, struct catalog_counter *out)
{
    const struct table_counter *found = catalog_table_find_counter(guid, id, nth);

    if (found == NULL) {
        return false;
    }
    *out = found->info;
    return true;
}

/* Writes a field as in Wireshark's own tables: quoted, with everything but printable ASCII escaped. */
static void
write_field(FILE *file, const char *text, bool last)
{
    fputc('"', file);
    for (const char *c = text == NULL ? "" : text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\' || !g_ascii_isprint(*c)) {
            fprintf(file, "\\x%02x", (unsigned char)*c);
        } else {
            fputc(*c, file);
        }
    }
    fputs(last ? "\"\n" : "\",", file);
}

static void
write_id(FILE *file, uint32_t id, bool last)
{
    char text[16] = "";

    if (id != PERF_ID_NONE) {
        snprintf(text, sizeof text, "%u", id);
    }
    write_field(file, text, last);
}

void
catalog_table_write_record(FILE *file, const e_guid_t *guid, const char *set_name, uint32_t id,
    const struct catalog_counter *counter)
{
    const struct catalog_counter *c = counter == NULL ? &catalog_unknown_counter : counter;
    char *guid_text = guid_to_str(NULL, guid);
    const char *type = c->type_known ? perf_counter_type_name(c->type) : "";
    char number[16];

    write_field(file, guid_text, false);
    write_field(file, set_name, false);
    write_id(file, counter == NULL ? PERF_ID_NONE : id, false);
    write_field(file, c->name.text, false);
    if (type == NULL) {
        snprintf(number, sizeof number, "0x%08x", c->type);
        type = number;
    }
    write_field(file, type, false);
    write_id(file, c->base_id, false);
    write_id(file, c->perf_time_id, false);
    write_id(file, c->perf_freq_id, false);
    write_id(file, c->multi_id, true);
    wmem_free(NULL, guid_text);
}
