/* interfaces.c
 * Finds interfaces, classes and methods of [MS-PLA], and the interfaces that members return
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/methods.h"

#include <string.h>

/* Eight of these classes are in [MS-PLA] 3.2.1, the others in the Windows SDK. */
const struct pla_class pla_classes[] = {
    { PLA_GUID_OF(0x03837521), "DataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837525), "DataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x0383751c), "TraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837530), "TraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837531), "ServerDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837532), "ServerDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837546), "SystemDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837547), "SystemDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837538), "BootTraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837539), "BootTraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837526), "LegacyDataCollectorSet", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837527), "LegacyDataCollectorSetCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837528), "LegacyTraceSession", "IDataCollectorSet" },
    { PLA_GUID_OF(0x03837529), "LegacyTraceSessionCollection", "IDataCollectorSetCollection" },
    { PLA_GUID_OF(0x03837513), "TraceDataProvider", "ITraceDataProvider" },
    { PLA_GUID_OF(0x03837511), "TraceDataProviderCollection", "ITraceDataProviderCollection" },
};
const unsigned pla_num_classes = array_length(pla_classes);

const struct pla_interface *
pla_find_interface(const e_guid_t *iid)
{
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        if (guid_cmp(&pla_interfaces[i].iid, iid) == 0) {
            return &pla_interfaces[i];
        }
    }
    return NULL;
}

const struct pla_interface *
pla_interface_named(const char *name)
{
    for (size_t i = 0; i < PLA_NUM_INTERFACES; i++) {
        if (strcmp(pla_interfaces[i].name, name) == 0) {
            return &pla_interfaces[i];
        }
    }
    return NULL;
}

/*
 * Interfaces of the objects that members return, [MS-PLA] Appendix A. Scripts call members by name and get only an
 * IDispatch.
 */
static const struct {
    const char *of; /* interface with the member; NULL: any */
    const char *member;
    const char *returned;
    bool is_keywords; /* true for a value map of keywords */
} returned_interfaces[] = {
    { "IDataCollectorCollection", "Item", "IDataCollector", false },
    { "IDataCollectorSetCollection", "Item", "IDataCollectorSet", false },
    { "IFolderActionCollection", "Item", "IFolderAction", false },
    { "IScheduleCollection", "Item", "ISchedule", false },
    { "ITraceDataProviderCollection", "Item", "ITraceDataProvider", false },
    { "IValueMap", "Item", "IValueMapItem", false },
    { NULL, "DataCollectors", "IDataCollectorCollection", false },
    { NULL, "DataCollectorSet", "IDataCollectorSet", false },
    { NULL, "DataManager", "IDataManager", false },
    { NULL, "FolderActions", "IFolderActionCollection", false },
    { NULL, "Schedules", "IScheduleCollection", false },
    { NULL, "TraceDataProviders", "ITraceDataProviderCollection", false },
    { NULL, "Level", "IValueMap", false },
    { NULL, "KeywordsAny", "IValueMap", true },
    { NULL, "KeywordsAll", "IValueMap", true },
    { NULL, "Properties", "IValueMap", false },
    { NULL, "GetRegisteredProcesses", "IValueMap", false },
    { NULL, "Commit", "IValueMap", false },
    { NULL, "SetXml", "IValueMap", false },
    { NULL, "Run", "IValueMap", false },
    { NULL, "CreateDataCollector", "IDataCollector", false },
    { NULL, "CreateDataCollectorFromXml", "IDataCollector", false },
    { NULL, "CreateFolderAction", "IFolderAction", false },
    { NULL, "CreateSchedule", "ISchedule", false },
    { NULL, "CreateTraceDataProvider", "ITraceDataProvider", false },
    { NULL, "CreateValueMapItem", "IValueMapItem", false },
    { NULL, "_NewEnum", "IEnumVARIANT", false },
};

const struct pla_interface *
pla_interface_returned(const struct pla_interface *iface, const char *member, bool *is_keywords)
{
    for (size_t i = 0; i < array_length(returned_interfaces); i++) {
        const char *const of = returned_interfaces[i].of;

        if (g_ascii_strcasecmp(returned_interfaces[i].member, member) == 0 &&
            (of == NULL || strcmp(of, iface->name) == 0)) {
            *is_keywords = returned_interfaces[i].is_keywords;
            return pla_interface_named(returned_interfaces[i].returned);
        }
    }
    return NULL;
}

static const struct pla_method *
pla_method_find(const struct pla_methods *methods, uint16_t opnum)
{
    /* For an opnum below the first, the unsigned index is larger than any count. */
    const unsigned index = (unsigned)opnum - methods->methods[0].opnum;

    return index < methods->count ? &methods->methods[index] : NULL;
}

const struct pla_method *
pla_find_method(const struct pla_interface *iface, uint16_t opnum)
{
    const struct pla_method *method = pla_method_find(&iface->own, opnum);

    if (method == NULL) {
        method = pla_method_find(&pla_dispatch_interface.own, opnum);
    }
    if (method == NULL && iface->kind == PLA_KIND_COLLECTOR) {
        method = pla_method_find(&pla_interface_named("IDataCollector")->own, opnum);
    }
    return method;
}

/* Returns true if a method ("Commit", "Name (Put)") is a member with this name. */
static bool
is_member(const struct pla_method *method, const char *member)
{
    const size_t length = strcspn(method->name, " ");

    return strlen(member) == length && g_ascii_strncasecmp(method->name, member, length) == 0;
}

int
pla_parameter_index(const struct pla_interface *iface, const char *member, const char *name)
{
    for (unsigned i = 0; i < pla_num_opnums(iface); i++) {
        const struct pla_method *const method = pla_find_method(iface, (uint16_t)i);
        int index = 0;

        if (method == NULL || method->local != NULL || !is_member(method, member)) {
            continue;
        }
        for (const struct pla_param *param = method->params; param->type != PLA_NONE; param++) {
            if (!param->out && g_ascii_strcasecmp(pla_field_of(param->hf).name, name) == 0) {
                return index;
            }
            index += !param->out;
        }
    }
    return -1;
}

unsigned
pla_num_opnums(const struct pla_interface *iface)
{
    return iface->own.methods[iface->own.count - 1].opnum + 1u;
}
