/* tree-members.c
 * Items of the plain numeric members of PERF_DATA_BLOCK and its structures, and of all members of its header
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfdata/answer.h"

#include "base/systemtime.h"

static int hf_perfdata_data_block_signature = -1;
static int hf_perfdata_data_block_system_time = -1;
static int hf_perfdata_data_block_perf_time_100nsec = -1;
static int hf_perfdata_data_block_system_name = -1;
static int hf_perfdata_data_block_little_endian = -1;
static int hf_perfdata_data_block_version = -1;
static int hf_perfdata_data_block_revision = -1;
static int hf_perfdata_data_block_total_byte_length = -1;
static int hf_perfdata_data_block_header_length = -1;
static int hf_perfdata_data_block_num_object_types = -1;
static int hf_perfdata_data_block_default_object = -1;
static int hf_perfdata_data_block_perf_time = -1;
static int hf_perfdata_data_block_perf_freq = -1;
static int hf_perfdata_data_block_system_name_length = -1;
static int hf_perfdata_data_block_system_name_offset = -1;
static int hf_perfdata_object_type_total_byte_length = -1;
static int hf_perfdata_object_type_definition_length = -1;
static int hf_perfdata_object_type_header_length = -1;
static int hf_perfdata_object_type_object_name_title_index = -1;
static int hf_perfdata_object_type_object_name_title = -1;
static int hf_perfdata_object_type_object_help_title_index = -1;
static int hf_perfdata_object_type_object_help_title = -1;
static int hf_perfdata_object_type_detail_level = -1;
static int hf_perfdata_object_type_num_counters = -1;
static int hf_perfdata_object_type_default_counter = -1;
static int hf_perfdata_object_type_num_instances = -1;
static int hf_perfdata_object_type_code_page = -1;
static int hf_perfdata_object_type_perf_time = -1;
static int hf_perfdata_object_type_perf_freq = -1;
static int hf_perfdata_counter_definition_byte_length = -1;
static int hf_perfdata_counter_definition_counter_name_title_index = -1;
static int hf_perfdata_counter_definition_counter_name_title = -1;
static int hf_perfdata_counter_definition_counter_help_title_index = -1;
static int hf_perfdata_counter_definition_counter_help_title = -1;
static int hf_perfdata_counter_definition_default_scale = -1;
static int hf_perfdata_counter_definition_detail_level = -1;
static int hf_perfdata_counter_definition_counter_size = -1;
static int hf_perfdata_counter_definition_counter_offset = -1;
static int hf_perfdata_instance_definition_byte_length = -1;
static int hf_perfdata_instance_definition_parent_object_title_index = -1;
static int hf_perfdata_instance_definition_parent_object_instance = -1;
static int hf_perfdata_instance_definition_unique_id = -1;
static int hf_perfdata_instance_definition_name_offset = -1;
static int hf_perfdata_instance_definition_name_length = -1;

static int ett_perfdata_header = -1;

static expert_field ei_perfdata_bad_time = EI_INIT;

static const value_string little_endian_vals[] = {
    { 0, "big-endian" },
    { 1, "little-endian" },
    { 0, NULL },
};

static const value_string num_instances_vals[] = {
    { (uint32_t)PERF_NO_INSTANCES, "PERF_NO_INSTANCES" },
    { (uint32_t)PERF_METADATA_MULTIPLE_INSTANCES, "PERF_METADATA_MULTIPLE_INSTANCES" },
    { (uint32_t)PERF_METADATA_NO_INSTANCES, "PERF_METADATA_NO_INSTANCES" },
    { 0, "none now" },
    { 0, NULL },
};

static const value_string code_page_vals[] = {
    { 0, "UTF-16" },
    { 0, NULL },
};

static const value_string no_index_vals[] = {
    { (uint32_t)-1, "none" },
    { 0, NULL },
};

static const value_string unique_id_vals[] = {
    { (uint32_t)PERF_NO_UNIQUE_ID, "PERF_NO_UNIQUE_ID" },
    { 0, NULL },
};

static const struct perfdata_member block_members[] = {
    { &hf_perfdata_data_block_little_endian, MEMBER(block, little_endian) },
    { &hf_perfdata_data_block_version, MEMBER(block, version) },
    { &hf_perfdata_data_block_revision, MEMBER(block, revision) },
    { &hf_perfdata_data_block_total_byte_length, MEMBER(block, total_byte_length) },
    { &hf_perfdata_data_block_header_length, MEMBER(block, header_length) },
    { &hf_perfdata_data_block_num_object_types, MEMBER(block, num_object_types) },
    { &hf_perfdata_data_block_default_object, MEMBER(block, default_object) },
    { &hf_perfdata_data_block_perf_time, MEMBER(block, perf_time) },
    { &hf_perfdata_data_block_perf_freq, MEMBER(block, perf_freq) },
    { &hf_perfdata_data_block_system_name_length, MEMBER(block, system_name_length) },
    { &hf_perfdata_data_block_system_name_offset, MEMBER(block, system_name_offset) },
    { NULL, 0, 0 },
};
const struct perfdata_member perfdata_object_members[] = {
    { &hf_perfdata_object_type_total_byte_length, MEMBER(object, total_byte_length) },
    { &hf_perfdata_object_type_definition_length, MEMBER(object, definition_length) },
    { &hf_perfdata_object_type_header_length, MEMBER(object, header_length) },
    { &hf_perfdata_object_type_object_name_title_index, MEMBER(object, name_index) },
    { &hf_perfdata_object_type_object_name_title, MEMBER(object, name_title) },
    { &hf_perfdata_object_type_object_help_title_index, MEMBER(object, help_index) },
    { &hf_perfdata_object_type_object_help_title, MEMBER(object, help_title) },
    { &hf_perfdata_object_type_detail_level, MEMBER(object, detail_level) },
    { &hf_perfdata_object_type_num_counters, MEMBER(object, num_counters) },
    { &hf_perfdata_object_type_default_counter, MEMBER(object, default_counter) },
    { &hf_perfdata_object_type_num_instances, MEMBER(object, num_instances) },
    { &hf_perfdata_object_type_code_page, MEMBER(object, code_page) },
    { &hf_perfdata_object_type_perf_time, MEMBER(object, perf_time) },
    { &hf_perfdata_object_type_perf_freq, MEMBER(object, perf_freq) },
    { NULL, 0, 0 },
};
const struct perfdata_member perfdata_counter_members[] = {
    { &hf_perfdata_counter_definition_byte_length, MEMBER(counter, byte_length) },
    { &hf_perfdata_counter_definition_counter_name_title_index, MEMBER(counter, name_index) },
    { &hf_perfdata_counter_definition_counter_name_title, MEMBER(counter, name_title) },
    { &hf_perfdata_counter_definition_counter_help_title_index, MEMBER(counter, help_index) },
    { &hf_perfdata_counter_definition_counter_help_title, MEMBER(counter, help_title) },
    { &hf_perfdata_counter_definition_default_scale, MEMBER(counter, default_scale) },
    { &hf_perfdata_counter_definition_detail_level, MEMBER(counter, detail_level) },
    { &hf_perfdata_counter_definition_counter_size, MEMBER(counter, counter_size) },
    { &hf_perfdata_counter_definition_counter_offset, MEMBER(counter, counter_offset) },
    { NULL, 0, 0 },
};
const struct perfdata_member perfdata_instance_members[] = {
    { &hf_perfdata_instance_definition_byte_length, MEMBER(instance, byte_length) },
    { &hf_perfdata_instance_definition_parent_object_title_index, MEMBER(instance, parent_object) },
    { &hf_perfdata_instance_definition_parent_object_instance, MEMBER(instance, parent_instance) },
    { &hf_perfdata_instance_definition_unique_id, MEMBER(instance, unique_id) },
    { &hf_perfdata_instance_definition_name_offset, MEMBER(instance, name_offset) },
    { &hf_perfdata_instance_definition_name_length, MEMBER(instance, name_length) },
    { NULL, 0, 0 },
};

void
perfdata_members_add(proto_tree *tree, tvbuff_t *tvb, unsigned encoding, const struct perfdata_member *members,
    unsigned offset, unsigned from, unsigned to)
{
    for (const struct perfdata_member *member = members; member->hf != NULL; member++) {
        if (member->offset >= from && member->offset < to) {
            proto_tree_add_item(tree, *member->hf, tvb, (int)(offset + member->offset), member->size, encoding);
        }
    }
}

static proto_item *
add_time(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, int hf, unsigned offset, int size, bool good,
    nstime_t *time, const char *text)
{
    proto_item *item;

    if (good) {
        return proto_tree_add_time(tree, hf, tvb, (int)offset, size, time);
    }
    item = proto_tree_add_time_format_value(tree, hf, tvb, (int)offset, size, time, "%s", text);
    expert_add_info(pinfo, item, &ei_perfdata_bad_time);
    return item;
}

void
perfdata_tree_header(packet_info *pinfo, proto_tree *block_tree, tvbuff_t *tvb, unsigned encoding,
    const struct perfdata_block *b)
{
    unsigned used = PERF_DATA_BLOCK_SIZE;
    const uint16_t *t = b->system_time;
    nstime_t time = NSTIME_INIT_ZERO;
    proto_tree *tree;
    bool good;

    tree = proto_tree_add_subtree_format(block_tree, tvb, 0,
        perfdata_captured_length(tvb, 0, MAX(PERF_DATA_BLOCK_SIZE, MIN(b->header_length, b->size))),
        ett_perfdata_header, NULL, "Data header, taken at %04u-%02u-%02u %02u:%02u:%02u.%03u UTC", t[0], t[1], t[3],
        t[4], t[5], t[6], t[7]);
    proto_tree_add_item(tree, hf_perfdata_data_block_signature, tvb, 0, 8, ENC_UTF_16 | encoding);
    perfdata_members_add(tree, tvb, encoding, block_members, 0, 0, AT_block_system_time);
    good = systemtime_to_nstime(b->system_time, &time);
    systemtime_tree_add(&perfdata_time_fields,
        add_time(pinfo, tree, tvb, hf_perfdata_data_block_system_time, MEMBER(block, system_time), good, &time,
            systemtime_text(pinfo->pool, b->system_time)),
        tvb, AT_block_system_time, encoding);
    perfdata_tree_add_padding(tree, tvb, 52, 56);
    perfdata_members_add(tree, tvb, encoding, block_members, 0, AT_block_system_time, AT_block_perf_time_100ns);
    good = time_100ns_to_nstime(b->perf_time_100ns, &time);
    add_time(pinfo, tree, tvb, hf_perfdata_data_block_perf_time_100nsec, MEMBER(block, perf_time_100ns), good, &time,
        wmem_strdup_printf(pinfo->pool, "0x%016" PRIx64, b->perf_time_100ns));
    perfdata_members_add(tree, tvb, encoding, block_members, 0, AT_block_perf_time_100ns, PERF_DATA_BLOCK_SIZE);
    if (b->name_start != 0) {
        const int length = perfdata_captured_length(tvb, b->name_start,
            b->name_start + MIN(b->system_name_length, b->size - b->name_start));

        proto_tree_add_item(tree, hf_perfdata_data_block_system_name, tvb, (int)b->name_start, length,
            ENC_UTF_16 | encoding);
        used = b->name_start + (unsigned)length;
    }
    if (b->header_length <= b->size) {
        perfdata_tree_add_padding(tree, tvb, used, b->header_length);
    }
}

void
perfdata_members_register(int proto, expert_module_t *expert, int *asked[PERFDATA_ASKED_MEMBERS])
{
    static hf_register_info hf[] = {
        { &hf_perfdata_data_block_signature,
            { "Signature", "perfdata.data_block.signature", FT_STRING, BASE_NONE, NULL, 0,
                "\"PERF\" as UTF-16 text, in the server's byte order", HFILL } },
        { &hf_perfdata_data_block_system_time,
            { "SystemTime", "perfdata.data_block.system_time", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "Time of the poll by the server's clock (UTC)", HFILL } },
        { &hf_perfdata_data_block_perf_time_100nsec,
            { "PerfTime100nSec", "perfdata.data_block.perf_time_100nsec", FT_ABSOLUTE_TIME, ABSOLUTE_TIME_UTC, NULL, 0,
                "Time of the poll in units of 100 ns since 1601 (UTC)", HFILL } },
        { &hf_perfdata_data_block_system_name,
            { "System name", "perfdata.data_block.system_name", FT_STRING, BASE_NONE, NULL, 0, "Name of the server",
                HFILL } },
        { &hf_perfdata_data_block_little_endian,
            { "LittleEndian", "perfdata.data_block.little_endian", FT_UINT32, BASE_DEC, VALS(little_endian_vals), 0,
                "1 if numbers are little-endian, 0 if they are big-endian", HFILL } },
        { &hf_perfdata_data_block_version,
            { "Version", "perfdata.data_block.version", FT_UINT32, BASE_DEC, NULL, 0, "Version of the structure: 1",
                HFILL } },
        { &hf_perfdata_data_block_revision,
            { "Revision", "perfdata.data_block.revision", FT_UINT32, BASE_DEC, NULL, 0, "Revision of the structure: 1",
                HFILL } },
        { &hf_perfdata_data_block_total_byte_length,
            { "TotalByteLength", "perfdata.data_block.total_byte_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the whole block in bytes", HFILL } },
        { &hf_perfdata_data_block_header_length,
            { "HeaderLength", "perfdata.data_block.header_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Offset of the first object", HFILL } },
        { &hf_perfdata_data_block_num_object_types,
            { "NumObjectTypes", "perfdata.data_block.num_object_types", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of objects that follow", HFILL } },
        { &hf_perfdata_data_block_default_object,
            { "DefaultObject", "perfdata.data_block.default_object", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS,
                VALS(no_index_vals), 0, "Title index of the object that tools select first", HFILL } },
        { &hf_perfdata_data_block_perf_time,
            { "PerfTime", "perfdata.data_block.perf_time", FT_UINT64, BASE_DEC, NULL, 0,
                "Time of the poll in ticks of the high-resolution clock", HFILL } },
        { &hf_perfdata_data_block_perf_freq,
            { "PerfFreq", "perfdata.data_block.perf_freq", FT_UINT64, BASE_DEC, NULL, 0, "Ticks of PerfTime per second",
                HFILL } },
        { &hf_perfdata_data_block_system_name_length,
            { "SystemNameLength", "perfdata.data_block.system_name_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the server's name in bytes, with its terminator", HFILL } },
        { &hf_perfdata_data_block_system_name_offset,
            { "SystemNameOffset", "perfdata.data_block.system_name_offset", FT_UINT32, BASE_DEC, NULL, 0,
                "Position of the server's name in the block", HFILL } },
        { &hf_perfdata_object_type_total_byte_length,
            { "TotalByteLength", "perfdata.object_type.total_byte_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the object in bytes; the next object follows", HFILL } },
        { &hf_perfdata_object_type_definition_length,
            { "DefinitionLength", "perfdata.object_type.definition_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the header and the counter definitions; instances or values follow", HFILL } },
        { &hf_perfdata_object_type_header_length,
            { "HeaderLength", "perfdata.object_type.header_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the header; the counter definitions follow", HFILL } },
        { &hf_perfdata_object_type_object_name_title_index,
            { "ObjectNameTitleIndex", "perfdata.object_type.object_name_title_index", FT_UINT32, BASE_DEC, NULL, 0,
                "Title index of the object's name", HFILL } },
        { &hf_perfdata_object_type_object_name_title,
            { "ObjectNameTitle", "perfdata.object_type.object_name_title", FT_UINT32, BASE_HEX, NULL, 0,
                "Pointer in the server's memory, meaningless here", HFILL } },
        { &hf_perfdata_object_type_object_help_title_index,
            { "ObjectHelpTitleIndex", "perfdata.object_type.object_help_title_index", FT_UINT32, BASE_DEC, NULL, 0,
                "Title index of the object's help text", HFILL } },
        { &hf_perfdata_object_type_object_help_title,
            { "ObjectHelpTitle", "perfdata.object_type.object_help_title", FT_UINT32, BASE_HEX, NULL, 0,
                "Pointer in the server's memory, meaningless here", HFILL } },
        { &hf_perfdata_object_type_detail_level,
            { "DetailLevel", "perfdata.object_type.detail_level", FT_UINT32, BASE_DEC, VALS(perf_detail_level_vals), 0,
                "Whether the object is for novice, advanced or expert users", HFILL } },
        { &hf_perfdata_object_type_num_counters,
            { "NumCounters", "perfdata.object_type.num_counters", FT_UINT32, BASE_DEC, NULL, 0,
                "Number of counters, including base counters", HFILL } },
        { &hf_perfdata_object_type_default_counter,
            { "DefaultCounter", "perfdata.object_type.default_counter", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS,
                VALS(no_index_vals), 0,
                "Counter that tools select first: title index or position (documents disagree); -1 if none", HFILL } },
        { &hf_perfdata_object_type_num_instances,
            { "NumInstances", "perfdata.object_type.num_instances", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS,
                VALS(num_instances_vals), 0, "Number of instances; -1 if the object cannot have instances", HFILL } },
        { &hf_perfdata_object_type_code_page,
            { "CodePage", "perfdata.object_type.code_page", FT_UINT32, BASE_DEC | BASE_SPECIAL_VALS,
                VALS(code_page_vals), 0, "Code page of the instance names", HFILL } },
        { &hf_perfdata_object_type_perf_time,
            { "PerfTime", "perfdata.object_type.perf_time", FT_UINT64, BASE_DEC, NULL, 0,
                "Time of the poll by the object's own clock", HFILL } },
        { &hf_perfdata_object_type_perf_freq,
            { "PerfFreq", "perfdata.object_type.perf_freq", FT_UINT64, BASE_DEC, NULL, 0,
                "Ticks of the object's clock per second", HFILL } },
        { &hf_perfdata_counter_definition_byte_length,
            { "ByteLength", "perfdata.counter_definition.byte_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of this definition in bytes", HFILL } },
        { &hf_perfdata_counter_definition_counter_name_title_index,
            { "CounterNameTitleIndex", "perfdata.counter_definition.counter_name_title_index", FT_UINT32, BASE_DEC,
                NULL, 0, "Title index of the counter's name", HFILL } },
        { &hf_perfdata_counter_definition_counter_name_title,
            { "CounterNameTitle", "perfdata.counter_definition.counter_name_title", FT_UINT32, BASE_HEX, NULL, 0,
                "Pointer in the server's memory, meaningless here", HFILL } },
        { &hf_perfdata_counter_definition_counter_help_title_index,
            { "CounterHelpTitleIndex", "perfdata.counter_definition.counter_help_title_index", FT_UINT32, BASE_DEC,
                NULL, 0, "Title index of the counter's help text", HFILL } },
        { &hf_perfdata_counter_definition_counter_help_title,
            { "CounterHelpTitle", "perfdata.counter_definition.counter_help_title", FT_UINT32, BASE_HEX, NULL, 0,
                "Pointer in the server's memory, meaningless here", HFILL } },
        { &hf_perfdata_counter_definition_default_scale,
            { "DefaultScale", "perfdata.counter_definition.default_scale", FT_INT32, BASE_DEC, NULL, 0,
                "Power of ten for display; cooked values here are not scaled", HFILL } },
        { &hf_perfdata_counter_definition_detail_level,
            { "DetailLevel", "perfdata.counter_definition.detail_level", FT_UINT32, BASE_DEC,
                VALS(perf_detail_level_vals), 0, "Whether the counter is for novice, advanced or expert users",
                HFILL } },
        { &hf_perfdata_counter_definition_counter_size,
            { "CounterSize", "perfdata.counter_definition.counter_size", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the counter's value in bytes", HFILL } },
        { &hf_perfdata_counter_definition_counter_offset,
            { "CounterOffset", "perfdata.counter_definition.counter_offset", FT_UINT32, BASE_DEC, NULL, 0,
                "Position of the value in the counter block", HFILL } },
        { &hf_perfdata_instance_definition_byte_length,
            { "ByteLength", "perfdata.instance_definition.byte_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of this definition with the name; the counter block follows", HFILL } },
        { &hf_perfdata_instance_definition_parent_object_title_index,
            { "ParentObjectTitleIndex", "perfdata.instance_definition.parent_object_title_index", FT_UINT32, BASE_DEC,
                NULL, 0, "Title index of the object that the parent instance belongs to", HFILL } },
        { &hf_perfdata_instance_definition_parent_object_instance,
            { "ParentObjectInstance", "perfdata.instance_definition.parent_object_instance", FT_UINT32, BASE_DEC, NULL,
                0, "Position of the parent among the instances of its object in this answer", HFILL } },
        { &hf_perfdata_instance_definition_unique_id,
            { "UniqueID", "perfdata.instance_definition.unique_id", FT_INT32, BASE_DEC | BASE_SPECIAL_VALS,
                VALS(unique_id_vals), 0, "Number of the instance; -1 if it has a name instead", HFILL } },
        { &hf_perfdata_instance_definition_name_offset,
            { "NameOffset", "perfdata.instance_definition.name_offset", FT_UINT32, BASE_DEC, NULL, 0,
                "Position of the name in this definition; 0 if there is none", HFILL } },
        { &hf_perfdata_instance_definition_name_length,
            { "NameLength", "perfdata.instance_definition.name_length", FT_UINT32, BASE_DEC, NULL, 0,
                "Size of the name in bytes, with its terminator", HFILL } },
    };
    static int *ett[] = { &ett_perfdata_header };
    static ei_register_info ei[] = {
        { &ei_perfdata_bad_time, { "perfdata.bad_time", PI_PROTOCOL, PI_WARN, "No valid time", EXPFILL } },
    };

    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert, ei, array_length(ei));
    asked[0] = &hf_perfdata_instance_definition_unique_id;
    asked[1] = &hf_perfdata_object_type_object_name_title_index;
    asked[2] = &hf_perfdata_counter_definition_counter_name_title_index;
}
