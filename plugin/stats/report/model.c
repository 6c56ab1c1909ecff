/* model.c
 * What a report is made of: the tables of a capture, as -z shows them, and their curves
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/report.h"

#include <inttypes.h>
#include <string.h>

const char *
model_text(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, unsigned column)
{
    const stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[column];
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    switch (column < rows->kind->num_columns ? cell->type : TABLE_ITEM_NONE) {
    case TABLE_ITEM_STRING: return cell->value.string_value;
    case TABLE_ITEM_UINT: return wmem_strdup_printf(scope, "%u", cell->value.uint_value);
    case TABLE_ITEM_FLOAT:
        return wmem_strdup(scope,
            g_ascii_formatd(digits, sizeof digits, rows->kind->columns[column].item.field_format,
                cell->value.float_value));
    default: return "";
    }
}

const char *
model_cell(wmem_allocator_t *scope, const struct stat_rows *rows, unsigned row, const char *column)
{
    return model_text(scope, rows, row, stat_rows_column(rows, column));
}

/* "12,345" is no number everywhere: thin spaces are. */
const char *
model_grouped(wmem_allocator_t *scope, const char *digits)
{
    const size_t sign = digits[0] == '-', length = strspn(digits + sign, "0123456789");
    wmem_strbuf_t *text = wmem_strbuf_new(scope, NULL);

    if (digits[sign + length] != '\0' && digits[sign + length] != '.') {
        return digits;
    }
    for (size_t i = 0; i < sign + length; i++) {
        wmem_strbuf_append(text, i > sign && (sign + length - i) % 3 == 0 ? "\xE2\x80\xAF" : "");
        wmem_strbuf_append_c(text, digits[i]);
    }
    wmem_strbuf_append(text, digits + sign + length);
    return wmem_strbuf_get_str(text);
}

unsigned
model_number(const struct stat_rows *rows, unsigned row, const char *column)
{
    const unsigned i = stat_rows_column(rows, column);
    const stat_tap_table_item_type *cell = &stat_rows_cells(rows, row)[i];

    return i < rows->kind->num_columns && cell->type == TABLE_ITEM_UINT ? cell->value.uint_value : 0;
}

uint64_t
model_sum(const struct stat_rows *rows, const char *column)
{
    uint64_t sum = 0;

    for (unsigned row = 0; row < stat_rows_count(rows); row++) {
        sum += model_number(rows, row, column);
    }
    return sum;
}

uint64_t
model_polls(const struct model *model)
{
    return model_sum(model->tables[MODEL_QUERIES + MODEL_PERFLIBV2], "polls") +
        model_sum(model->tables[MODEL_QUERIES + MODEL_PERFDATA], "answers");
}

const char *
model_machine(wmem_allocator_t *scope, const struct model *model, const char *address)
{
    for (unsigned api = 0; api < NUM_MODEL_APIS; api++) {
        const char *host = curves_host(model->curves[api], address);

        if (host != NULL && host[0] != '\0' && strcmp(host, address) != 0) {
            return wmem_strdup_printf(scope, "%s (%s)", host, address);
        }
    }
    return address;
}

void *
gathered_add(struct gathered *gathered, const char *key, size_t size)
{
    void *thing;

    if (gathered->by_key == NULL) {
        gathered->by_key = wmem_map_new(gathered->scope, wmem_str_hash, g_str_equal);
        gathered->things = wmem_array_new(gathered->scope, sizeof thing);
    }
    thing = wmem_map_lookup(gathered->by_key, key);
    if (thing == NULL) {
        thing = wmem_alloc0(gathered->scope, size);
        wmem_map_insert(gathered->by_key, wmem_strdup(gathered->scope, key), thing);
        wmem_array_append_one(gathered->things, thing);
    }
    return thing;
}

unsigned
gathered_count(const struct gathered *gathered)
{
    return gathered->by_key == NULL ? 0 : wmem_array_get_count(gathered->things);
}

void *
gathered_at(const struct gathered *gathered, unsigned index)
{
    return *(void **)wmem_array_index(gathered->things, index);
}
