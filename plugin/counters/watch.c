/* watch.c
 * The user's watch list: counters with their own field
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/poll.h"

#include <string.h>

#include <epan/uat-int.h>
#include <wsutil/report_message.h>

#define FIELD_PREFIX "perflibv2.watch."

struct watch {
    char *name;
    char *pattern;
};

static int proto_watch = -1;
static int hf_perflibv2_watched = -1;
static uat_t *watch_uat;
static struct watch *watches;
static guint num_watches;

/*
 * Name -> struct hf_register_info, for all names that were ever on the list. Never freed: Wireshark aborts if the field
 * of a curve disappears when the user changes the profile. A name that is added again gets its old field.
 */
static GHashTable *all_fields;
/* Entries of the list, rebuilt whenever the list changes */
static struct watched {
    /* field of the entry. NULL, like the members below, if an earlier entry has the same name */
    hf_register_info *field;
    GPatternSpec *pattern;
    const char *first_path; /* first path that the entry's field showed in this poll; NULL: none yet */
    wmem_map_t *paths;      /* all paths that the entry's field showed in this poll; packet scope */
} * entries;
guint perf_watch_count;
static expert_field ei_perflibv2_watch_ambiguous = EI_INIT;
unsigned watch_version = 1;

UAT_CSTRING_CB_DEF(watches, name, struct watch)
UAT_CSTRING_CB_DEF(watches, pattern, struct watch)

static void *
watch_copy(void *to, const void *from, size_t length _U_)
{
    struct watch *copy = (struct watch *)to;
    const struct watch *watch = (const struct watch *)from;

    copy->name = g_strdup(watch->name);
    copy->pattern = g_strdup(watch->pattern);
    return copy;
}

static void
watch_free(void *record)
{
    struct watch *watch = (struct watch *)record;

    g_free(watch->name);
    g_free(watch->pattern);
}

static perflib_bool
watch_update(void *record, char **err)
{
    const struct watch *watch = (const struct watch *)record;
    unsigned char bad;

    *err = NULL;
    if (watch->name == NULL || watch->name[0] == '\0') {
        *err = g_strdup("Enter a name. It becomes part of the field " FIELD_PREFIX "NAME.");
    } else if ((bad = proto_check_field_name(watch->name)) != 0) {
        *err = g_strdup_printf("\"%s\" can't be the name of a field because of its '%c'.", watch->name, bad);
    } else if (watch->pattern == NULL || watch->pattern[0] == '\0') {
        *err = g_strdup("Enter a path pattern, for example *\\% Processor Time.");
    }
    return *err == NULL;
}

static void
free_entries(void)
{
    for (guint i = 0; i < perf_watch_count; i++) {
        if (entries[i].field != NULL) {
            g_pattern_spec_free(entries[i].pattern);
        }
    }
    g_free(entries);
    entries = NULL;
    perf_watch_count = 0;
    watch_version++;
}

/* Returns the field of a name, registered on first use. */
static hf_register_info *
watch_field(const char *name)
{
    hf_register_info *field = (hf_register_info *)g_hash_table_lookup(all_fields, name);

    if (field == NULL) {
        field = wmem_new0(wmem_epan_scope(), hf_register_info);
        field->p_id = wmem_new(wmem_epan_scope(), int);
        *field->p_id = -1;
        field->hfinfo.name = wmem_strdup_printf(wmem_epan_scope(), "Watched: %s", name);
        field->hfinfo.abbrev = wmem_strdup_printf(wmem_epan_scope(), FIELD_PREFIX "%s", name);
        field->hfinfo.type = FT_DOUBLE;
        field->hfinfo.display = BASE_NONE;
        field->hfinfo.blurb = "Cooked value of a counter on the watch list";
        HFILL_INIT(*field);
        proto_register_field_array(proto_watch, field, 1);
        g_hash_table_insert(all_fields, wmem_strdup(wmem_epan_scope(), name), field);
    }
    return field;
}

static bool
name_is_taken(guint before)
{
    for (guint i = 0; i < before; i++) {
        if (strcmp(watches[i].name, watches[before].name) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the pattern for a path. Case is ignored, as in Windows. Performance Monitor omits its own machine's name, so
 * "\Processor(_Total)\% Processor Time" matches any machine.
 */
GPatternSpec *
perf_pattern_new(const char *pattern)
{
    const bool has_no_machine = pattern[0] == '\\' && pattern[1] != '\\';
    char *whole = g_strconcat(has_no_machine ? "\\\\*" : "", pattern, NULL);
    char *folded = counter_path_fold(whole);
    GPatternSpec *spec = g_pattern_spec_new(folded);

    g_free(whole);
    g_free(folded);
    return spec;
}

static void
make_entries(void)
{
    free_entries();
    entries = g_new0(struct watched, num_watches);
    perf_watch_count = num_watches;
    for (guint i = 0; i < num_watches; i++) {
        if (name_is_taken(i)) {
            report_warning("PerflibV2 watch list: two rows have the name \"%s\". The first one is used, %s is not.",
                watches[i].name, watches[i].pattern);
            continue;
        }
        entries[i].field = watch_field(watches[i].name);
        entries[i].pattern = perf_pattern_new(watches[i].pattern);
    }
}

void
watch_register(int proto, expert_module_t *expert, module_t *module)
{
    static hf_register_info hf[] = {
        { &hf_perflibv2_watched,
            { "Watched", "perflibv2.watched", FT_STRING, BASE_NONE, NULL, 0,
                "Name and cooked value of a counter on the watch list", HFILL } },
    };
    static ei_register_info ei[] = {
        { &ei_perflibv2_watch_ambiguous,
            { "perflibv2.watch_ambiguous", PI_ASSUMPTION, PI_NOTE,
                "A pattern of the watch list matches several counters", EXPFILL } },
    };
    static uat_field_t columns[] = { UAT_FLD_CSTRING(watches, name, "Name", "Name of the field: " FIELD_PREFIX "NAME"),
        UAT_FLD_CSTRING(watches, pattern, "Path pattern",
            "Counter path, with or without the machine. * matches any characters, ? matches one. Case is "
            "ignored"),
        UAT_END_FIELDS };

    watch_uat = uat_new("PerflibV2 watch list", sizeof(struct watch), "perflibv2_watch", true, &watches, &num_watches,
        UAT_AFFECTS_DISSECTION | UAT_AFFECTS_FIELDS, NULL, watch_copy, watch_update, watch_free, make_entries,
        free_entries, columns);

    proto_watch = proto;
    all_fields = g_hash_table_new(g_str_hash, g_str_equal);
    expert_register_field_array(expert, ei, array_length(ei));
    prefs_register_uat_preference(module, "watch", "Watch list",
        "Counters that get a field of their own with the cooked value, for filters, columns and I/O graphs", watch_uat);
    proto_register_field_array(proto, hf, array_length(hf));
}

bool
watch_begin(proto_tree *tree)
{
    bool is_wanted =
        perf_watch_count > 0 && (proto_field_is_referenced(tree, hf_perflibv2_watched) || expert_items_are_asked(tree));

    for (guint i = 0; i < perf_watch_count; i++) {
        entries[i].first_path = NULL;
        is_wanted = is_wanted || (entries[i].field != NULL && proto_field_is_referenced(tree, *entries[i].field->p_id));
    }
    return is_wanted;
}

char *
perf_watch_add(const char *name, const char *pattern)
{
    const struct watch entry = { (char *)name, (char *)pattern };
    char *why, *unsaved = NULL;

    if (!watch_update((void *)&entry, &why)) {
        return why;
    }
    for (guint i = 0; i < num_watches; i++) {
        if (strcmp(watches[i].name, name) == 0) {
            return strcmp(watches[i].pattern, pattern) == 0
                ? NULL
                : g_strdup_printf("The name \"%s\" is already used for %s.", name, watches[i].pattern);
        }
    }
    uat_add_record(watch_uat, &entry, true);
    make_entries();
    if (!uat_save(watch_uat, &unsaved)) {
        why = g_strdup_printf("%s is watched only until Wireshark ends: the list could not be saved (%s).", name,
            unsaved);
        g_free(unsaved);
    }
    return why;
}

static bool
entry_matches(const struct watched *entry, const char *folded)
{
    return entry->field != NULL && g_pattern_match_string(entry->pattern, folded);
}

struct perf_watch
perf_watch_entry(unsigned index)
{
    return (struct perf_watch){ watches[index].name, watches[index].pattern, entries[index].field != NULL };
}

bool
perf_watch_matches(unsigned index, const char *path)
{
    char *folded = counter_path_fold(path);
    const bool matches = entry_matches(&entries[index], folded);

    g_free(folded);
    return matches;
}

bool
watch_matches(const char *path)
{
    char *folded = counter_path_fold(path);
    bool is_matched = false;

    for (guint i = 0; i < perf_watch_count && !is_matched; i++) {
        is_matched = entry_matches(&entries[i], folded);
    }
    g_free(folded);
    return is_matched;
}

/*
 * Returns whether the entry's field shows a path for the first time in this poll. Several identifiers of a query may
 * name one counter, but sums over the field should count it once.
 */
static bool
is_first(packet_info *pinfo, struct watched *entry, const char *path)
{
    if (entry->first_path == NULL) {
        entry->first_path = path;
        entry->paths = wmem_map_new(pinfo->pool, wmem_str_hash, g_str_equal);
    }
    if (wmem_map_contains(entry->paths, path)) {
        return false;
    }
    wmem_map_insert(entry->paths, path, entry);
    return true;
}

void
watch_add(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int offset, int length, const char *path,
    const struct cook_result *cooked)
{
    char *folded = counter_path_fold(path);
    struct line text;

    line_begin(&text);
    poll_add_cooked_text(&text, cooked);
    for (guint i = 0; i < perf_watch_count; i++) {
        struct watched *entry = &entries[i];
        proto_item *item = NULL;
        int hf;

        if (!entry_matches(entry, folded) || !is_first(pinfo, entry, path)) {
            continue;
        }
        hf = *entry->field->p_id;
        if (!perflib_tree_is_seen(tree)) {
            item = double_field_add(pinfo, tree, hf, tvb, offset, length, cooked->value);
        } else if (double_field_fits(pinfo, tree, hf)) {
            item = proto_tree_add_double_format_value(tree, hf, tvb, offset, length, cooked->value, "%s", text.text);
            proto_item_set_generated(item);
            item_label_append(pinfo->pool, item, wmem_strdup_printf(pinfo->pool, " (%s)", path));
        }
        /* Add the note at the second path only, so once per poll. */
        if (wmem_map_size(entry->paths) == 2) {
            expert_add_info_format(pinfo, item, &ei_perflibv2_watch_ambiguous,
                "The pattern of %s matches several counters of this poll, for example %s and %s: make it exact",
                entry->field->hfinfo.abbrev, entry->first_path, path);
        }
        if (proto_field_is_referenced(tree, hf_perflibv2_watched)) {
            /* This item is only for columns, so the tree does not show it. */
            proto_item_set_hidden(proto_tree_add_string(tree, hf_perflibv2_watched, tvb, offset, length,
                wmem_strdup_printf(pinfo->pool, "%s %s", &entry->field->hfinfo.abbrev[strlen(FIELD_PREFIX)],
                    text.text)));
        }
    }
    g_free(folded);
}
