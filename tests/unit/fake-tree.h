/* fake-tree.h
 * In place of Wireshark's trees and columns: what is shown is a text, a line an item below what it stands below
 *
 *     pla.name 40+16: Set1            name of the field, offset and length, its text with what was appended
 *       [pla.member 0+0: Name]        generated
 *       ! pla.failed: it failed       an expert item at the item
 *     ~pla.name 0+16: Set2            hidden
 *     Instances 96+60                 a subtree of plain text
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_TESTS_UNIT_FAKE_TREE_H
#define PERFLIB_TESTS_UNIT_FAKE_TREE_H

#include <stdarg.h>
#include <string.h>

#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <epan/to_str.h>

#include "base/fields.h"
#include "check.h"

/* A proto_item, which a proto_tree is, too. */
struct fake_item {
    proto_item node; /* first */
    field_info info;
    struct fake_item *parent, *first, *last, *next;
    int hf; /* 0: it has none */
    int start, length;
    GString *text;
    bool is_expert;
};

static GPtrArray *fake_fields;  /* const char *: names, by number */
static GPtrArray *fake_infos;   /* header_field_info *: the same; NULL: a foreign field */
static GArray *fake_types;      /* enum ftenum: the same */
static GPtrArray *fake_experts; /* ei_register_info */
static struct fake_item *fake_root;
static GString *fake_columns[NUM_COL_FMTS];
/* Items whose names or texts begin so are not looked at, nor is what stands below them. */
static const char *fake_hidden[8];

static inline bool
fake_is_hidden(const char *name)
{
    for (size_t i = 0; i < array_length(fake_hidden); i++) {
        if (fake_hidden[i] != NULL && g_str_has_prefix(name, fake_hidden[i])) {
            return true;
        }
    }
    return false;
}

/* The field of that name; 0: there is none. */
static inline int
fake_field(const char *name)
{
    for (guint i = 1; fake_fields != NULL && i < fake_fields->len; i++) {
        if (strcmp((const char *)g_ptr_array_index(fake_fields, i), name) == 0) {
            return (int)i;
        }
    }
    return 0;
}

static inline int
fake_field_add(const char *name, enum ftenum type, header_field_info *info)
{
    if (fake_fields == NULL) {
        fake_fields = g_ptr_array_new();
        fake_infos = g_ptr_array_new();
        fake_types = g_array_new(FALSE, TRUE, sizeof type);
        fake_field_add("", FT_NONE, NULL);
    }
    g_ptr_array_add(fake_fields, g_strdup(name));
    g_ptr_array_add(fake_infos, info);
    g_array_append_val(fake_types, type);
    return (int)fake_fields->len - 1;
}

static inline struct fake_item *
fake_item_new(struct fake_item *parent, int hf, int start, int length, bool is_expert)
{
    struct fake_item *item;

    /* -1: to the end; Wireshark throws for less. */
    CHECK(length >= -1, "no length: %d", length);
    if (parent == NULL) {
        return NULL;
    }
    item = g_new0(struct fake_item, 1);
    item->node.finfo = &item->info;
    item->parent = parent;
    item->hf = hf;
    item->start = start;
    item->length = length;
    item->text = g_string_new("");
    item->is_expert = is_expert;
    if (parent->last != NULL) {
        parent->last->next = item;
    } else {
        parent->first = item;
    }
    parent->last = item;
    return item;
}

/* Begins a packet; returns its tree. */
static inline proto_tree *
fake_tree_begin(void)
{
    fake_root = g_new0(struct fake_item, 1);
    fake_root->node.finfo = &fake_root->info;
    fake_root->text = g_string_new("");
    for (size_t i = 0; i < array_length(fake_columns); i++) {
        fake_columns[i] = g_string_new("");
    }
    return &fake_root->node;
}

static inline void
fake_tree_write(GString *into, struct fake_item *item, unsigned depth)
{
    for (; item != NULL; item = item->next) {
        const char *name = item->hf > 0 ? (const char *)g_ptr_array_index(fake_fields, (guint)item->hf) : "";
        const bool is_generated = !item->is_expert && PROTO_ITEM_IS_GENERATED(&item->node);

        if (!item->is_expert && fake_is_hidden(item->hf > 0 ? name : item->text->str)) {
            continue;
        }
        g_string_append_printf(into, "%*s%s%s", (int)(2 * depth), "", PROTO_ITEM_IS_HIDDEN(&item->node) ? "~" : "",
            is_generated          ? "["
                : item->is_expert ? "! "
                                  : "");
        if (item->is_expert) {
            g_string_append(into, item->text->str);
        } else if (item->hf > 0) {
            g_string_append_printf(into, "%s %d+%d", name, item->start, item->length);
            g_string_append_printf(into, item->text->len > 0 && item->text->str[0] != ':' ? ": %s" : "%s",
                item->text->str);
        } else {
            g_string_append_printf(into, "%s %d+%d", item->text->str, item->start, item->length);
        }
        g_string_append(into, is_generated ? "]\n" : "\n");
        fake_tree_write(into, item->first, depth + 1);
    }
}

static inline const char *
fake_tree_text(void)
{
    GString *into = g_string_new("");

    fake_tree_write(into, fake_root->first, 0);
    return g_string_free(into, FALSE);
}

/* CHECK_SHOWS(lines): these stand in what is shown, one below the other. */
#define CHECK_SHOWS(lines) \
    CHECK(strstr(g_strconcat("\n", fake_tree_text(), NULL), g_strconcat("\n", lines, "\n", NULL)) != NULL, \
        "%s\nis not in\n%s", lines, fake_tree_text())

/* CHECK_TREE(what, line...): what is shown, each line a string. */
#define CHECK_TREE(what, ...) \
    do { \
        const char *const lines_[] = { __VA_ARGS__ }; \
        GString *expected_ = g_string_new(""); \
        for (size_t i_ = 0; i_ < array_length(lines_); i_++) { \
            g_string_append_printf(expected_, "%s\n", lines_[i_]); \
        } \
        CHECK(strcmp(fake_tree_text(), expected_->str) == 0, "%s:\n%sand not:\n%s", what, fake_tree_text(), \
            expected_->str); \
    } while (0)

static inline unsigned
count_of(const char *text, const char *what)
{
    return text[0] == '\0' ? 0 : g_strv_length(g_strsplit(text, what, -1)) - 1;
}

/* What is registered. */
void
proto_register_field_array(const int parent, hf_register_info *hf, const int num)
{
    (void)parent;
    for (int i = 0; i < num; i++) {
        /* Wireshark ends where a field of anything but numbers and flags has a mask. */
        CHECK(hf[i].hfinfo.bitmask == 0 || (hf[i].hfinfo.type >= FT_BOOLEAN && hf[i].hfinfo.type <= FT_INT64),
            "%s has a mask", hf[i].hfinfo.abbrev);
        *hf[i].p_id = fake_field_add(hf[i].hfinfo.abbrev, hf[i].hfinfo.type, &hf[i].hfinfo);
    }
}

void
proto_register_subtree_array(int *const *indices, const int num)
{
    for (int i = 0; i < num; i++) {
        /* Wireshark ends where it is registered already, which -1 or, since 4.0, 0 says it is not. */
        CHECK(*indices[i] == -1 || *indices[i] == 0, "subtree %d is %d", i, *indices[i]);
        *indices[i] = 1;
    }
}

expert_module_t *
expert_register_protocol(int id)
{
    (void)id;
    return NULL;
}

void
expert_register_field_array(expert_module_t *module, ei_register_info *ei, const int num)
{
    (void)module;
    if (fake_experts == NULL) {
        fake_experts = g_ptr_array_new();
    }
    for (int i = 0; i < num; i++) {
        ei[i].ids->ei = (int)fake_experts->len;
        g_ptr_array_add(fake_experts, &ei[i]);
    }
}

int
foreign_field_find(const char *name, enum ftenum type)
{
    const int known = fake_field(name);

    return known != 0 ? known : fake_field_add(name, type, NULL);
}

const char *
foreign_fields_find(const struct foreign_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *fields[i].hf = foreign_field_find(fields[i].name, fields[i].type);
    }
    return NULL;
}

enum ftenum
proto_registrar_get_ftype(const int n)
{
    return g_array_index(fake_types, enum ftenum, n);
}

header_field_info *
proto_registrar_get_nth(unsigned hfindex)
{
    return (header_field_info *)g_ptr_array_index(fake_infos, hfindex);
}

/* Somebody looks at everything, or asks for one field alone, by its name. */
static const char *fake_asked;

#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
bool
#else
gboolean
#endif
proto_field_is_referenced(proto_tree *tree, int hf)
{
    return tree != NULL && (fake_asked == NULL || fake_field(fake_asked) == hf);
}

/* What is shown. */
static inline struct fake_item *
fake_item_of(proto_item *item)
{
    return (struct fake_item *)item;
}

static inline proto_item *
fake_add(proto_tree *tree, int hf, int start, int length)
{
    struct fake_item *item = fake_item_new(fake_item_of(tree), hf, start, length, false);

    CHECK(hf > 0, "item of no field");
    return item == NULL ? NULL : &item->node;
}

G_GNUC_PRINTF(5, 6)
static inline proto_item *
fake_add_text(proto_tree *tree, int hf, int start, int length, const char *format, ...)
{
    proto_item *item = fake_add(tree, hf, start, length);
    va_list arguments;

    va_start(arguments, format);
    if (item != NULL) {
        g_string_vprintf(fake_item_of(item)->text, format, arguments);
    }
    va_end(arguments);
    return item;
}

#define FAKE_FORMAT(item, format) \
    do { \
        va_list arguments_; \
        va_start(arguments_, format); \
        if ((item) != NULL) { \
            g_string_append_vprintf(fake_item_of(item)->text, format, arguments_); \
        } \
        va_end(arguments_); \
    } while (0)

proto_item *
proto_tree_add_item(proto_tree *tree, int hf, tvbuff_t *tvb, const int start, int length, const unsigned encoding)
{
    const bool is_big = (encoding & ENC_LITTLE_ENDIAN) == 0;
    uint64_t number = 0;
    GString *hex;
    e_guid_t guid;

    CHECK(hf > 0 && hf < (int)fake_fields->len, "item of no field");
    switch (proto_registrar_get_ftype(hf)) {
    case FT_NONE: return fake_add(tree, hf, start, length);
    case FT_STRING:
        return fake_add_text(tree, hf, start, length, "%s",
            tvb_get_string_enc(wmem_epan_scope(), tvb, start, length, encoding));
    case FT_BYTES:
        hex = g_string_new("");
        for (int i = 0; i < (length == -1 ? (int)tvb_captured_length_remaining(tvb, start) : length); i++) {
            g_string_append_printf(hex, "%02x", perflib_tvb_get_uint8(tvb, start + i));
        }
        return fake_add_text(tree, hf, start, length, "%s", hex->str);
    case FT_GUID:
        tvb_get_guid(tvb, start, &guid, encoding);
        return fake_add_text(tree, hf, start, length, "%x", guid.data1);
    default:
        for (int i = 0; i < length; i++) {
            number |= (uint64_t)perflib_tvb_get_uint8(tvb, start + i) << 8 * (is_big ? length - 1 - i : i);
        }
        return proto_registrar_get_ftype(hf) == FT_INT32 ? fake_add_text(tree, hf, start, length, "%d", (int32_t)number)
                                                         : fake_add_text(tree, hf, start, length, "%" PRIu64, number);
    }
}

/* Functions of Wireshark that show a value. */
#define FAKE_VALUE(name, type, ...) \
    proto_item *name(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, type value) \
    { \
        (void)tvb; \
        return fake_add_text(tree, hf, start, length, __VA_ARGS__); \
    }
FAKE_VALUE(proto_tree_add_string, const char *, "%s", value)
FAKE_VALUE(proto_tree_add_uint, uint32_t, "%u", value)
FAKE_VALUE(proto_tree_add_uint64, uint64_t, "%" PRIu64, value)
FAKE_VALUE(proto_tree_add_int, int32_t, "%d", value)
FAKE_VALUE(proto_tree_add_int64, int64_t, "%" PRId64, value)
FAKE_VALUE(proto_tree_add_guid, const e_guid_t *, "%x", value->data1)
FAKE_VALUE(proto_tree_add_time, const nstime_t *, "%" PRId64 ".%09d", (int64_t)value->secs, value->nsecs)

/* Of a bit the mask says whether it is set. */
proto_item *
proto_tree_add_boolean(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length,
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
    uint64_t value)
#else
    uint32_t value)
#endif
{
    const uint64_t mask = proto_registrar_get_nth((unsigned)hf)->bitmask;

    (void)tvb;
    return fake_add_text(tree, hf, start, length, "%s", (mask == 0 ? value : value & mask) != 0 ? "true" : "false");
}

proto_item *
double_field_add(const packet_info *pinfo, proto_tree *tree, int hf, tvbuff_t *tvb, int offset, int length,
    double value)
{
    proto_item *item = fake_add_text(tree, hf, offset, length, "%g", value);

    (void)pinfo;
    (void)tvb;
    proto_item_set_generated(item);
    return item;
}

bool
double_field_fits(const packet_info *pinfo, const proto_tree *tree, int hf)
{
    (void)pinfo;
    return tree != NULL && hf != -1;
}

proto_item *
proto_tree_add_none_format(proto_tree *tree, const int hf, tvbuff_t *tvb, const int start, int length,
    const char *format, ...)
{
    proto_item *item = fake_add(tree, hf, start, length);

    (void)tvb;
    FAKE_FORMAT(item, format);
    return item;
}

/* Functions of Wireshark that show a value as the text of a format, and what a test sees before it. */
#define FAKE_FORMATTED(name, type, ...) \
    proto_item *name(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, type value, const char *format, \
        ...) \
    { \
        proto_item *item = fake_add_text(tree, hf, start, length, __VA_ARGS__); \
        (void)tvb; \
        (void)value; \
        FAKE_FORMAT(item, format); \
        return item; \
    }
FAKE_FORMATTED(proto_tree_add_uint_format, uint32_t, "%s", "")
FAKE_FORMATTED(proto_tree_add_uint_format_value, uint32_t, "%u = ", value)
FAKE_FORMATTED(proto_tree_add_string_format, const char *, "(%s) ", value)
FAKE_FORMATTED(proto_tree_add_string_format_value, const char *, "(%s) ", value)
FAKE_FORMATTED(proto_tree_add_time_format_value, nstime_t *, "%s", "")
FAKE_FORMATTED(proto_tree_add_bytes_format, const uint8_t *, "%s", "")
FAKE_FORMATTED(proto_tree_add_bytes_format_value, const uint8_t *, "%s", "")
FAKE_FORMATTED(proto_tree_add_double_format_value, double, "%g = ", value)

/* The number; of its bits those that are set. */
proto_item *
proto_tree_add_bitmask_with_flags(proto_tree *tree, tvbuff_t *tvb, const unsigned offset, const int hf, const int ett,
    int *const *fields, const unsigned encoding, const int flags)
{
    const int length = proto_registrar_get_ftype(hf) == FT_UINT64 ? 8 : 4;
    proto_item *item = proto_tree_add_item(tree, hf, tvb, (int)offset, length, encoding);
    uint64_t number = 0;

    CHECK(ett > 0 && encoding == ENC_LITTLE_ENDIAN && flags == BMT_NO_FALSE, "other flags");
    for (int i = 0; i < length; i++) {
        number |= (uint64_t)perflib_tvb_get_uint8(tvb, (int)offset + i) << 8 * i;
    }
    for (; *fields != NULL; fields++) {
        if ((number & proto_registrar_get_nth((unsigned)**fields)->bitmask) != 0) {
            fake_add(item, **fields, (int)offset, length);
        }
    }
    return item;
}

proto_tree *
proto_tree_add_subtree_format(proto_tree *tree, tvbuff_t *tvb, int start, int length, int idx, proto_item **item,
    const char *format, ...)
{
    struct fake_item *added = fake_item_new(fake_item_of(tree), 0, start, length, false);
    proto_item *node = added == NULL ? NULL : &added->node;

    (void)tvb;
    CHECK(idx > 0, "no subtree");
    FAKE_FORMAT(node, format);
    if (item != NULL) {
        *item = node;
    }
    return node;
}

proto_tree *
proto_tree_add_subtree(proto_tree *tree, tvbuff_t *tvb, int start, int length, int idx, proto_item **item,
    const char *text)
{
    return proto_tree_add_subtree_format(tree, tvb, start, length, idx, item, "%s", text);
}

/* A protocol's item is a text, whichever it is. */
proto_item *
proto_tree_add_protocol_format(proto_tree *tree, int hfindex, tvbuff_t *tvb, int start, int length, const char *format,
    ...)
{
    struct fake_item *added = fake_item_new(fake_item_of(tree), 0, start, length, false);
    proto_item *node = added == NULL ? NULL : &added->node;

    (void)hfindex;
    (void)tvb;
    FAKE_FORMAT(node, format);
    return node;
}

proto_tree *
proto_item_add_subtree(proto_item *item, const int idx)
{
    CHECK(idx > 0, "no subtree");
    return item;
}

proto_tree *
proto_tree_get_root(proto_tree *tree)
{
    (void)tree;
    return &fake_root->node;
}

void
proto_item_append_text(proto_item *item, const char *format, ...)
{
    FAKE_FORMAT(item, format);
}

void
proto_item_set_text(proto_item *item, const char *format, ...)
{
    if (item != NULL) {
        g_string_truncate(fake_item_of(item)->text, 0);
    }
    FAKE_FORMAT(item, format);
}

void
proto_item_set_end(proto_item *item, tvbuff_t *tvb, int end)
{
    (void)tvb;
    if (item != NULL) {
        fake_item_of(item)->length = end - fake_item_of(item)->start;
    }
}

void
proto_item_set_len(proto_item *item, const int length)
{
    if (item != NULL) {
        fake_item_of(item)->length = length;
    }
}

void
item_label_append(wmem_allocator_t *scope, proto_item *item, const char *text)
{
    (void)scope;
    proto_item_append_text(item, "%s", text);
}

/* What was said to be wrong with no item: statistics count it all the same. */
static unsigned num_loose_experts;

/* Expert items; NULL: the field's own text is all. */
static inline void
fake_expert(proto_item *item, const expert_field *ei, const char *format, va_list arguments)
{
    struct fake_item *added = fake_item_new(fake_item_of(item), 0, 0, 0, true);
    const ei_register_info *registered;

    num_loose_experts += item == NULL;
    if (added != NULL) {
        registered = (const ei_register_info *)g_ptr_array_index(fake_experts, (guint)ei->ei);
        g_string_append(added->text, registered->eiinfo.name);
        if (format != NULL) {
            g_string_append(added->text, ": ");
            g_string_append_vprintf(added->text, format, arguments);
        }
    }
}

/* 4.4 made them return the item. */
#if PERFLIB_WIRESHARK_AT_LEAST(4, 3)
#define FAKE_ADDED        proto_item *
#define FAKE_RETURN(item) return item
#else
#define FAKE_ADDED        void
#define FAKE_RETURN(item) (void)(item)
#endif

FAKE_ADDED
expert_add_info_format(packet_info *pinfo, proto_item *item, expert_field *ei, const char *format, ...)
{
    va_list arguments;

    (void)pinfo;
    va_start(arguments, format);
    fake_expert(item, ei, format, arguments);
    va_end(arguments);
    FAKE_RETURN(item);
}

static inline void
fake_plain_expert(proto_item *item, const expert_field *ei, ...)
{
    va_list none;

    va_start(none, ei);
    fake_expert(item, ei, NULL, none);
    va_end(none);
}

FAKE_ADDED
expert_add_info(packet_info *pinfo, proto_item *item, expert_field *ei)
{
    (void)pinfo;
    fake_plain_expert(item, ei);
    FAKE_RETURN(item);
}

proto_item *
proto_tree_add_expert(proto_tree *tree, packet_info *pinfo, expert_field *ei, tvbuff_t *tvb, int start, int length)
{
    proto_item *item = proto_tree_add_protocol_format(tree, 0, tvb, start, length, "expert");

    (void)pinfo;
    fake_plain_expert(item, ei);
    return item;
}

proto_item *
proto_tree_add_expert_format(proto_tree *tree, packet_info *pinfo, expert_field *ei, tvbuff_t *tvb, int start,
    int length, const char *format, ...)
{
    proto_item *item = proto_tree_add_protocol_format(tree, 0, tvb, start, length, "expert");
    va_list arguments;

    (void)pinfo;
    va_start(arguments, format);
    fake_expert(item, ei, format, arguments);
    va_end(arguments);
    return item;
}

/* Columns. */
void
col_set_str(column_info *cinfo, const int column, const char *text)
{
    (void)cinfo;
    g_string_assign(fake_columns[column], text);
}

void
col_append_str(column_info *cinfo, const int column, const char *text)
{
    (void)cinfo;
    g_string_append(fake_columns[column], text);
}

void
col_append_fstr(column_info *cinfo, const int column, const char *format, ...)
{
    va_list arguments;

    (void)cinfo;
    va_start(arguments, format);
    g_string_append_vprintf(fake_columns[column], format, arguments);
    va_end(arguments);
}

void
col_add_fstr(column_info *cinfo, const int column, const char *format, ...)
{
    va_list arguments;

    (void)cinfo;
    va_start(arguments, format);
    g_string_vprintf(fake_columns[column], format, arguments);
    va_end(arguments);
}

#endif /* PERFLIB_TESTS_UNIT_FAKE_TREE_H */
