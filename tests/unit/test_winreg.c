/* test_winreg.c
 * Parameters of the registry, [MS-RRP] 2.2, 3.1.5: where each stands, in both byte orders and transfer syntaxes, and where it ends
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "fake-items.h"
#include "perfdata/winreg.h"

static uint8_t bytes[256];
static unsigned size;
static bool is_big, is_64;
static packet_info pinfo;
static struct ndr n;
static const struct rpc_hook *hooked;
static size_t num_hooked;

void
rpc_hook(const struct rpc_hook *hooks, size_t count)
{
    hooked = hooks;
    num_hooked = count;
}

proto_item *
proto_tree_add_bytes_format(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, const uint8_t *value,
    const char *format, ...)
{
    (void)value;
    (void)format;
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_item *
proto_tree_add_uint64(proto_tree *tree, int hf, tvbuff_t *tvb, int start, int length, uint64_t value)
{
    (void)value;
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

static char type_text[100];

proto_item *
proto_tree_add_none_format(proto_tree *tree, const int hf, tvbuff_t *tvb, int start, int length, const char *format,
    ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(type_text, sizeof type_text, format, arguments);
    va_end(arguments);
    return proto_tree_add_item(tree, hf, tvb, start, length, 0);
}

proto_tree *
proto_item_add_subtree(proto_item *item, const int ett)
{
    (void)item;
    (void)ett;
    return ITEMS_TREE;
}

static void
align(unsigned boundary)
{
    size = (size + boundary - 1) / boundary * boundary;
}

static void
add_number(uint64_t value, unsigned width)
{
    align(width);
    for (unsigned i = 0; i < width; i++) {
        bytes[size++] = (uint8_t)(value >> 8 * (is_big ? width - 1 - i : i));
    }
}

/* A pointer, or a count of an array. */
static void
add_long(uint64_t value)
{
    add_number(value, is_64 ? 8 : 4);
}

static void
add_text(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        add_number((uint8_t)*c, 2);
    }
}

/* A stub begins behind so many bytes. */
static void
begin(unsigned at)
{
    memset(bytes, 0xee, sizeof bytes);
    size = at;
}

static void
read_from(unsigned at, unsigned captured)
{
    static uint8_t drep[4];
    static dcerpc_call_value call;
    static dcerpc_info di = { .call_data = &call };

    drep[0] = is_big ? 0 : 0x10;
    call.flags = is_64 ? DCERPC_IS_NDR64 : 0;
    call.opnum = WINREG_QUERY_MULTIPLE_VALUES;
    items_clear();
    type_text[0] = '\0';
    n = (struct ndr){ .tvb = tvb_new_real_data(bytes, captured, (int)captured),
        .offset = (int)at,
        .pinfo = &pinfo,
        .tree = ITEMS_TREE,
        .di = &di,
        .drep = drep };
}

/* RRP_UNICODE_STRING, 2.2.4. */
static const char *
string_of(unsigned at, uint64_t pointer, uint64_t count, const char *text, unsigned cut)
{
    begin(at);
    align(is_64 ? 8 : 4);
    add_number(0x10, 2);
    add_number(0x12, 2);
    add_long(pointer);
    add_long(99);
    add_long(0);
    add_long(count);
    add_text(text);
    read_from(at, size - cut);
    return winreg_read_string(&n);
}

static void
test_strings(void)
{
    const char *text;
    const unsigned unit = is_64 ? 8 : 4;

    for (unsigned at = 0; at < 20; at += 10) {
        text = string_of(at, 1, 3, "238", 0);
        CHECK(text != NULL && strcmp(text, "238") == 0 && num_items == 0, "%s, %u items", text, num_items);
        text = string_of(at, 1, 2, "238", 0);
        CHECK(text != NULL && strcmp(text, "23") == 0, "%s", text);
        text = string_of(at, 1, 65535, "238", 0);
        CHECK(text != NULL && strcmp(text, "238") == 0, "%s", text);
        CHECK(string_of(at, 1, 65536, "238", 0) == NULL, "longer than any");
        CHECK(string_of(at, 0, 3, "238", 0) == NULL, "nothing");
        text = string_of(at, 1, 3, "238", 2);
        CHECK(text != NULL && strcmp(text, "23") == 0, "%s", text);
        text = string_of(at, 1, 3, "", 0);
        CHECK(text != NULL && strcmp(text, "") == 0, "its counts alone");
        CHECK(string_of(at, 1, 3, "", 1) == NULL && string_of(at, 1, 3, "", 3 * unit) == NULL, "cut");
    }
}

static void
test_names(void)
{
    const unsigned unit = is_64 ? 8 : 4;

    for (unsigned at = 0; at < 20; at += 10) {
        const int begin_at = at == 0 ? 0 : is_64 ? 16 : 12;

        string_of(at, 1, 3, "238", 0);
        read_from(at, size);
        winreg_value_name(&n);
        CHECK(n.offset == (int)size && n.tree == ITEMS_TREE && num_experts == 0, "%d", n.offset);
        CHECK(items_have("winreg.winreg_String.name_len", begin_at, 2) &&
                items_have("winreg.winreg_String.name_size", begin_at + 2, 2) &&
                items_have(is_64 ? "dcerpc.referent_id64" : "dcerpc.referent_id", begin_at + (int)unit, (int)unit) &&
                items_have("winreg.winreg_QueryValue.value_name", begin_at + 5 * (int)unit, 6),
            "items");
    }
    string_of(0, 1, 3, "238", 0);
    read_from(0, size - 2);
    winreg_value_name(&n);
    CHECK(items_only_expert(2 * (int)unit, 3 * (int)unit + 4, "the value name is longer than the stub") &&
            n.offset == (int)size - 2,
        "%s", experts[0].text);
    string_of(0, 0, 3, "238", 0);
    read_from(0, size);
    winreg_value_name(&n);
    CHECK(n.offset == 2 * (int)unit && items_have("dcerpc.null_pointer", (int)unit, (int)unit) && num_items == 3,
        "%d, %u items", n.offset, num_items);
}

static void
test_numbers(void)
{
    const int unit = is_64 ? 8 : 4;

    begin(0);
    add_long(1);
    add_number(3, 4);
    read_from(0, size);
    winreg_type(&n);
    CHECK(n.offset == unit + 4 && strcmp(type_text, "Type: REG_BINARY (3)") == 0 &&
            items_have("winreg.winreg_QueryValue.type", unit, 4) && num_items == 3 && items[2].start == unit &&
            items[2].length == 4 && n.tree == ITEMS_TREE,
        "%s", type_text);
    read_from(0, size);
    CHECK(winreg_data_size(&n) == 3 && items_have("winreg.winreg_QueryValue.data_size", unit, 4) &&
            n.tree == ITEMS_TREE && n.offset == unit + 4,
        "size");
    read_from(0, size);
    CHECK(winreg_data_length(&n) == 3 && items_have("winreg.winreg_QueryValue.data_length", unit, 4), "length");
    read_from((unsigned)unit, size);
    CHECK(ndr_uint32(&n, winreg.value_length) == 3 && items_have("winreg.QueryMultipleValue.ve_valuelen", unit, 4),
        "length");
    read_from((unsigned)unit, size);
    CHECK(ndr_uint32(&n, winreg.value_offset) == 3 && items_have("winreg.QueryMultipleValue.ve_valueptr", unit, 4),
        "offset");
    read_from((unsigned)unit, size);
    CHECK(ndr_uint32(&n, winreg.error) == 3 && items_have("winreg.werror", unit, 4), "error");
    read_from((unsigned)unit, size);
    CHECK(winreg_buffer_size(&n) == 3 && items_have("winreg.winreg_QueryMultipleValues.buffer_size", unit, 4), "size");
    read_from((unsigned)unit, size);
    n.di->call_data->opnum = WINREG_QUERY_MULTIPLE_VALUES_2;
    CHECK(winreg_buffer_size(&n) == 3 && items_have("winreg.winreg_QueryMultipleValues2.needed", unit, 4), "needed");
    read_from((unsigned)unit, size);
    winreg_plain_type(&n);
    CHECK(n.offset == unit + 4, "%d", n.offset);

    begin(0);
    add_long(0);
    add_number(3, 4);
    read_from(0, size);
    winreg_type(&n);
    CHECK(n.offset == unit && items_have("dcerpc.null_pointer", 0, unit) && num_items == 1, "%d", n.offset);
    read_from(0, size);
    CHECK(winreg_data_size(&n) == 0 && n.offset == unit, "%d", n.offset);

    begin(20);
    read_from(5, 30);
    winreg_handle(&n);
    CHECK(n.offset == 25 && items_have("winreg.handle", 5, 20) && num_items == 1, "%d", n.offset);
}

/* Data that are announced, there, and followed by so many bytes of other parameters. */
static void
check_data(unsigned announced, unsigned there, unsigned tail, unsigned taken, bool is_shown)
{
    const unsigned unit = is_64 ? 8 : 4;
    proto_tree *sub = NULL;
    char text[200];
    tvbuff_t *data;

    begin(0);
    add_long(1);
    add_long(announced);
    add_long(0);
    add_long(announced);
    read_from(0, size + there);
    data = winreg_data(&n, tail, is_shown ? &sub : NULL);
    CHECK(data != NULL && tvb_captured_length(data) == taken && n.offset == (int)(size + taken) && n.tree == ITEMS_TREE,
        "%u of %u: %u", announced, there, data == NULL ? 0 : tvb_captured_length(data));
    CHECK(is_shown ? sub != NULL && num_items == 1 : num_items == 0, "%u items", num_items);
    snprintf(text, sizeof text, "the array announces %u bytes, the stub has %u left: %u are taken", announced, there,
        taken);
    CHECK(is_shown && announced > there ? items_only_expert(3 * (int)unit, (int)unit, text) : num_experts == 0, "%s",
        experts[0].text);
}

static void
test_data(void)
{
    const unsigned unit = is_64 ? 8 : 4;
    proto_tree *sub;

    for (unsigned is_shown = 0; is_shown < 2; is_shown++) {
        check_data(10, 30, 12, 10, is_shown);
        check_data(0, 30, 12, 0, is_shown);
        check_data(30, 30, 12, 30, is_shown);
        check_data(31, 30, 12, 18 / unit * unit, is_shown);
        check_data(31, 30, 6, 24, is_shown);
        check_data(31, 30, 30, 30, is_shown);
        check_data(31, 30, 29, 0, is_shown);
    }
    begin(0);
    add_long(0);
    read_from(0, size + 20);
    CHECK(winreg_data(&n, 0, &sub) == NULL && n.offset == (int)unit && n.tree == ITEMS_TREE, "nothing");
    read_from(0, size + 20);
    CHECK(winreg_data(&n, 0, NULL) == NULL && n.tree == ITEMS_TREE && num_items == 0, "nothing, and unseen");
}

int
main(void)
{
    static const struct rpc_hook hooks[2];

    wmem_init_scopes();
    pinfo.pool = wmem_epan_scope();
    no_field = "winreg.werror";
    winreg_hook(hooks, 2);
    CHECK(hooked == NULL, "hooked without a field");
    no_field = NULL;
    winreg_hook(hooks, 2);
    CHECK(hooked == hooks && num_hooked == 2, "%zu", num_hooked);
    for (unsigned i = 0; i < 4; i++) {
        is_big = i & 1;
        is_64 = i & 2;
        test_strings();
        test_names();
        test_numbers();
        test_data();
    }
    return check_result();
}
