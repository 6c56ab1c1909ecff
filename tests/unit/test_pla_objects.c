/* test_pla_objects.c
 * Objects of [MS-PLA]: by which IPIDs and OIDs they are known where, what they are called when, what calls teach of them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <string.h>

#include "check.h"

static packet_info pinfo;

/* In place of Wireshark's, which knows kinds of addresses once it dissects: of addresses that are texts. */
char *
address_to_str(wmem_allocator_t *scope, const address *addr)
{
    return wmem_strdup(scope, (const char *)addr->data);
}

static const struct pla_interface *
interface_of(const char *name)
{
    for (unsigned i = 0; i < PLA_NUM_INTERFACES; i++) {
        if (strcmp(pla_interfaces[i].name, name) == 0) {
            return &pla_interfaces[i];
        }
    }
    CHECK(false, "no interface %s", name);
    return NULL;
}

/* A call to a server's port, or an answer from there. */
static packet_info *
to(uint32_t number, const char *server, uint32_t port)
{
    pinfo = (packet_info){ .num = number, .srcport = 50000, .destport = port, .pool = wmem_epan_scope() };
    set_address(&pinfo.src, AT_STRINGZ, 3, "me");
    set_address(&pinfo.dst, AT_STRINGZ, (int)strlen(server) + 1, server);
    return &pinfo;
}

static packet_info *
from(uint32_t number, const char *server, uint32_t port)
{
    pinfo = (packet_info){ .num = number, .srcport = port, .destport = 50000, .pool = wmem_epan_scope() };
    set_address(&pinfo.src, AT_STRINGZ, (int)strlen(server) + 1, server);
    set_address(&pinfo.dst, AT_STRINGZ, 3, "me");
    return &pinfo;
}

static e_guid_t
ipid(uint32_t number)
{
    return (e_guid_t){ .data1 = number };
}

#define KNOWN(number, server, port, n) pla_object_known(to(number, server, port), &(const e_guid_t){ .data1 = (n) })
#define CALLED(number, server, port, n, iface) \
    pla_object_called(to(number, server, port), &(const e_guid_t){ .data1 = (n) }, iface)
#define STANDS_FOR(number, server, port, n) \
    pla_object_interface(to(number, server, port), &(const e_guid_t){ .data1 = (n) })

/* In place of Wireshark's file scope, which wants a capture to be open. */
wmem_allocator_t *
wmem_file_scope(void)
{
    static wmem_allocator_t *scope;

    if (scope == NULL) {
        scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    }
    return scope;
}

/* As when another capture is opened. */
static void
anew(void)
{
    wmem_free_all(wmem_file_scope());
}

static void
test_called_object_has_its_interface(void)
{
    const struct pla_interface *const set = interface_of("IDataCollectorSet"),
                                      *const manager = interface_of("IDataManager");
    struct pla_object *one, *other;

    anew();
    CHECK(KNOWN(1, "PC", 49152, 7) == NULL && STANDS_FOR(1, "PC", 49152, 7) == NULL, "nothing is known yet");
    one = CALLED(5, "PC", 49152, 7, manager);
    CHECK(one->iface == manager && one->frame == 5 && strcmp(one->server, "PC") == 0 && one->set == NULL &&
            one->parent == NULL && one->role == NULL && !one->has_oid,
        "an object");
    CHECK(KNOWN(6, "PC", 49152, 7) == one && CALLED(7, "PC", 49152, 7, set) == one && one->iface == manager &&
            one->set == NULL && one->frame == 5 && STANDS_FOR(8, "PC", 49152, 7) == manager,
        "the same");
    CHECK(KNOWN(6, "PC", 49152, 8) == NULL && KNOWN(6, "PC", 49153, 7) == NULL && KNOWN(6, "PC2", 49152, 7) == NULL,
        "others");
    CHECK(CALLED(6, "PC", 49152, 8, set) != one && CALLED(6, "PC", 49153, 7, set) != one, "others");

    /* Under an interface that is none of [MS-PLA]'s at first. */
    other = CALLED(9, "PC", 49152, 9, NULL);
    CHECK(other->iface == NULL && other->set == NULL && STANDS_FOR(9, "PC", 49152, 9) == NULL, "of no interface yet");
    CHECK(CALLED(10, "PC", 49152, 9, set) == other && other->iface == set && other->set == other &&
            STANDS_FOR(10, "PC", 49152, 9) == set,
        "a set");
    /* Either side of a packet may hold the object. */
    CHECK(pla_object_find(to(11, "PC", 49152), &(const e_guid_t){ .data1 = 9 }) == other &&
            pla_object_find(from(11, "PC", 49152), &(const e_guid_t){ .data1 = 9 }) == other &&
            pla_object_find(from(11, "PC", 49153), &(const e_guid_t){ .data1 = 9 }) == NULL &&
            pla_object_find(from(11, "PC", 49152), &(const e_guid_t){ .data1 = 99 }) == NULL,
        "an object of either side");
}

/* More ports of a server, and more servers, than a map has room for: some are side by side, and none is another. */
static void
test_objects_of_many_servers_stay_apart(void)
{
    enum { FIRST_PORT = 49152, PORTS = 300 };
    struct pla_object *objects[PORTS];
    char server[PORTS][8];

    anew();
    for (uint32_t i = 0; i < PORTS; i++) {
        objects[i] = CALLED(1, "PC", FIRST_PORT + i, 7, interface_of("IDataManager"));
        CHECK(i == 0 || objects[i] != objects[i - 1], "port %u has an object of its own", FIRST_PORT + i);
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        CHECK(KNOWN(2, "PC", FIRST_PORT + i, 7) == objects[i], "the object of port %u", FIRST_PORT + i);
        CHECK(KNOWN(2, "PC2", FIRST_PORT + i, 7) == NULL, "another server's port %u", FIRST_PORT + i);
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        snprintf(server[i], sizeof server[i], "S%u", i);
        CHECK(KNOWN(3, server[i], FIRST_PORT, 7) == NULL, "%s is not known yet", server[i]);
        objects[i] = CALLED(3, server[i], FIRST_PORT, 7, interface_of("IDataManager"));
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        CHECK(KNOWN(4, server[i], FIRST_PORT, 7) == objects[i], "the object of %s", server[i]);
    }
}

static struct orpc_objref
reference(uint32_t number, uint64_t oid, const char *iface)
{
    return (struct orpc_objref){ .standard = true,
        .oid = oid,
        .ipid = ipid(number),
        .iid = iface == NULL ? ipid(0xffff) : interface_of(iface)->iid };
}

static void
test_returned_object_is_known(void)
{
    const struct pla_interface *const collectors = interface_of("IDataCollectorCollection");
    struct pla_object *set, *object, *other;
    struct orpc_objref ref;

    anew();
    set = CALLED(1, "PC", 49152, 1, interface_of("IDataCollectorSet"));
    ref = reference(2, UINT64_C(1) << 40, "IDataCollectorCollection");
    ref.standard = false;
    CHECK(pla_object_returned(from(2, "PC", 49152), &ref, set, "x", NULL) == NULL, "a reference without an IPID");
    ref.standard = ref.null = true;
    CHECK(pla_object_returned(from(2, "PC", 49152), &ref, set, "x", NULL) == NULL && KNOWN(2, "PC", 49152, 2) == NULL,
        "no reference");
    ref.null = false;
    object = pla_object_returned(from(3, "PC", 49152), &ref, set, "DataCollectors", NULL);
    CHECK(object != NULL && object->iface == collectors && object->parent == set && object->set == set &&
            strcmp(object->role, "DataCollectors") == 0 && object->frame == 3 && object->has_oid &&
            object->oid == UINT64_C(1) << 40 && strcmp(object->server, "PC") == 0,
        "an object");
    CHECK(STANDS_FOR(4, "PC", 49152, 2) == collectors, "what its IPID stands for");
    CHECK(pla_object_returned(from(5, "PC", 49152), &ref, set, "again", NULL) == object &&
            strcmp(object->role, "DataCollectors") == 0,
        "returned again");
    /* Another interface of the same object; an IPID that is given away again. */
    ref = reference(3, UINT64_C(1) << 40, "IDataManager");
    CHECK(pla_object_returned(from(6, "PC", 49152), &ref, set, "x", NULL) == object && object->iface == collectors &&
            KNOWN(7, "PC", 49152, 3) == object && STANDS_FOR(7, "PC", 49152, 3) == interface_of("IDataManager"),
        "the same by its OID");
    ref = reference(3, (UINT64_C(1) << 40) + 1, NULL);
    other = pla_object_returned(from(8, "PC", 49152), &ref, object, "[2]", interface_of("IDataCollector"));
    CHECK(other != object && other->parent == object && other->set == set && KNOWN(9, "PC", 49152, 3) == other &&
            KNOWN(9, "PC", 49152, 2) == object && other->iface == interface_of("IDataCollector") &&
            STANDS_FOR(9, "PC", 49152, 3) == NULL,
        "another OID");
    /* A set that a collection returns is itself the set. */
    ref = reference(4, 4, "IDataCollectorSet");
    object = pla_object_returned(from(9, "PC", 49152), &ref, set, "[0]", NULL);
    CHECK(object->set == object && object->parent == set, "a set of its own");
    /* One that was called before anybody returned it has no OID yet. */
    ref = reference(1, 7, "IDataCollectorSet");
    CHECK(pla_object_returned(from(10, "PC", 49152), &ref, other, "x", NULL) == set, "known by its IPID");
    /* OIDs are each server's own. */
    ref = reference(5, 4, "IDataCollectorSet");
    CHECK(pla_object_returned(from(10, "PC2", 49152), &ref, set, "[0]", NULL) != object, "another server's");
    CHECK(pla_object_returned(from(10, "PC", 49153), &ref, set, "[0]", NULL) != object, "another port's");
}

/* Activation at port 135 names no port yet; RemQueryInterface gives further IPIDs. */
static void
test_queried_object_is_the_same(void)
{
    const struct pla_interface *const set = interface_of("IDataCollectorSet");
    const e_guid_t first = ipid(1), second = ipid(2), third = ipid(3), other_iid = ipid(0xffff);
    struct pla_object *object, *known;

    anew();
    pla_object_queried(from(1, "PC", 135), &first, NULL, 7, &second, &other_iid);
    CHECK(KNOWN(2, "PC", 49152, 1) == NULL && KNOWN(2, "PC", 49152, 2) == NULL, "nothing of [MS-PLA]");
    pla_object_queried(from(1, "PC", 49152), &first, interface_of("IEnumVARIANT"), 7, &second, &other_iid);
    CHECK(KNOWN(2, "PC", 49152, 2) == NULL, "an enumerator may be anybody's");
    pla_object_queried(from(2, "PC", 135), &first, set, 7, &first, &set->iid);
    object = KNOWN(3, "PC", 49152, 1);
    CHECK(object != NULL && object->iface == set && object->set == object && object->has_oid && object->oid == 7 &&
            object->frame == 2 && STANDS_FOR(3, "PC", 49152, 1) == set,
        "an object that was made");
    CHECK(KNOWN(3, "PC", 49153, 1) == object && KNOWN(3, "PC2", 49152, 1) == NULL, "any port of the server");
    pla_object_queried(from(4, "PC", 49152), &first, NULL, 7, &second, &other_iid);
    CHECK(KNOWN(5, "PC", 49152, 2) == object && STANDS_FOR(5, "PC", 49152, 2) == NULL && object->iface == set,
        "another IPID of it");
    pla_object_queried(from(6, "PC", 49152), &first, set, 7, &second, &set->iid);
    CHECK(KNOWN(7, "PC", 49152, 2) == object && STANDS_FOR(7, "PC", 49152, 2) == set, "what it stands for");

    /* One that is known by a call alone learns its OID; one whose IPID has another OID is another. */
    known = CALLED(8, "PC", 49152, 3, NULL);
    pla_object_queried(from(9, "PC", 49152), &third, NULL, 8, &third, &other_iid);
    CHECK(known->has_oid && known->oid == 8 && known->iface == NULL, "known by a call");
    pla_object_queried(from(10, "PC", 49152), &third, interface_of("IDataManager"), 8, &third, &other_iid);
    CHECK(known->iface == interface_of("IDataManager"), "an interface that it has");
    pla_object_queried(from(11, "PC", 49152), &third, set, 9, &third, &set->iid);
    CHECK(KNOWN(12, "PC", 49152, 3) != known && KNOWN(12, "PC", 49152, 3)->oid == 9, "another object");
}

static const char *
label(const struct pla_object *object, uint32_t frame)
{
    return pla_object_label(wmem_epan_scope(), object, frame);
}

static void
test_object_has_the_name_that_was_said(void)
{
    struct pla_object *object;
    char name[20];

    anew();
    object = CALLED(1, "PC", 49152, 1, interface_of("IDataCollectorSet"));
    CHECK(pla_object_name(object, 5) == NULL && strcmp(label(object, 5), "") == 0, "it has none");
    pla_object_set_name(object, 5, "");
    CHECK(pla_object_name(object, 5) == NULL, "an empty one is none");
    for (uint32_t i = 1; i <= 20; i++) {
        snprintf(name, sizeof name, "name %u", i);
        pla_object_set_name(object, 10 * i, name);
        pla_object_set_name(object, 10 * i + 5, name);
    }
    CHECK(wmem_array_get_count(object->names) == 20, "%u names", wmem_array_get_count(object->names));
    for (uint32_t frame = 0; frame < 230; frame++) {
        snprintf(name, sizeof name, "name %u", CLAMP(frame / 10, 1, 20));
        CHECK(strcmp(pla_object_name(object, frame), name) == 0 && strcmp(label(object, frame), name) == 0, "%u: %s",
            frame, pla_object_name(object, frame));
    }
}

static void
test_label_leads_from_the_set(void)
{
    const struct orpc_objref ref[] = { reference(2, 2, NULL), reference(3, 3, NULL), reference(4, 4, NULL),
        reference(5, 5, NULL), reference(6, 6, NULL), reference(7, 7, NULL), reference(8, 8, NULL) };
    struct pla_object *set, *at;

    anew();
    set = CALLED(1, "PC", 49152, 1, interface_of("IDataCollectorSet"));
    at = pla_object_returned(from(2, "PC", 49152), &ref[0], set, "DataCollectors", NULL);
    CHECK(strcmp(label(at, 5), "DataCollectors") == 0, "%s", label(at, 5));
    pla_object_set_name(set, 3, "Set1");
    CHECK(strcmp(label(at, 5), "Set1.DataCollectors") == 0, "%s", label(at, 5));
    at = pla_object_returned(from(4, "PC", 49152), &ref[1], at, "[0]", NULL);
    CHECK(strcmp(label(at, 5), "Set1.DataCollectors[0]") == 0, "%s", label(at, 5));
    pla_object_set_name(at, 5, "CPU");
    CHECK(strcmp(label(at, 5), "Set1.DataCollectors[0] \"CPU\"") == 0, "%s", label(at, 5));
    for (unsigned i = 2; i < array_length(ref); i++) {
        char role[2] = { (char)('0' + i), 0 };

        at = pla_object_returned(from(6, "PC", 49152), &ref[i], at, role, NULL);
        /* Six steps at most, then nobody knows of what. */
        CHECK(strcmp(label(at, 9),
                  i == 2       ? "Set1.DataCollectors[0].2"
                      : i == 3 ? "Set1.DataCollectors[0].2.3"
                      : i == 4 ? "Set1.DataCollectors[0].2.3.4"
                      : i == 5 ? "Set1.DataCollectors[0].2.3.4.5"
                               : "...[0].2.3.4.5.6") == 0,
            "%u: %s", i, label(at, 9));
    }
    pla_object_set_name(set, 20, "S");
    pla_object_set_name(at, 20, "x");
    CHECK(strcmp(label(pla_object_find(from(21, "PC", 49152), &ref[0].ipid), 21), "S.DataCollectors") == 0,
        "of one letter");
    at = CALLED(21, "PC", 49152, 30, NULL);
    at =
        pla_object_returned(from(21, "PC", 49152), &(struct orpc_objref){ .standard = true, .oid = 31 }, at, "r", NULL);
    pla_object_set_name(at, 21, "x");
    CHECK(strcmp(label(at, 21), "r \"x\"") == 0, "%s", label(at, 21));
    /* What belongs to no set, and was only called. */
    at = CALLED(10, "PC", 49152, 20, NULL);
    pla_object_set_name(at, 10, "alone");
    CHECK(strcmp(label(at, 10), "\"alone\"") == 0, "%s", label(at, 10));
    /* A set has its own name, whatever collection it is of. */
    anew();
    at = CALLED(1, "PC", 49152, 1, interface_of("IDataCollectorSetCollection"));
    set = pla_object_returned(from(2, "PC", 49152), &ref[0], at, "[0]", interface_of("IDataCollectorSet"));
    pla_object_set_name(set, 3, "Set2");
    at = pla_object_returned(from(4, "PC", 49152), &ref[1], set, "DataCollectors", NULL);
    CHECK(strcmp(label(set, 5), "Set2") == 0 && strcmp(label(at, 5), "Set2.DataCollectors") == 0, "%s, %s",
        label(set, 5), label(at, 5));
}

static void
test_dispid_names_the_member(void)
{
    const struct pla_interface *const set = interface_of("IDataCollectorSet");
    struct pla_object *one, *other;
    static const struct {
        const char *iface;
        int32_t dispid;
        const char *name;
    } fixed[] = { { "IDataCollectorSet", -4, "_NewEnum" }, { "IDataCollectorSet", 0, "Name" },
        { "IDataCollectorCollection", 0, "Item" }, { "IDataCollectorCollection", 1, "Count" },
        { "IDataCollectorCollection", 2, NULL }, { "IDataCollectorSet", 1, NULL }, { "IDataCollectorSet", 2, NULL },
        { "IDataManager", 0, "Item" } };

    anew();
    for (size_t i = 0; i < array_length(fixed); i++) {
        const char *name = pla_dispid_name(interface_of(fixed[i].iface), NULL, fixed[i].dispid);

        CHECK(fixed[i].name == NULL ? name == NULL : name != NULL && strcmp(name, fixed[i].name) == 0, "%s, %d: %s",
            fixed[i].iface, fixed[i].dispid, name);
    }
    one = CALLED(1, "PC", 49152, 1, NULL);
    other = CALLED(1, "PC", 49152, 2, NULL);
    CHECK(pla_dispid_name(&pla_dispatch_interface, one, 0) == NULL &&
            strcmp(pla_dispid_name(&pla_dispatch_interface, one, -4), "_NewEnum") == 0,
        "of IDispatch");
    /* Of an interface whatever the object; under IDispatch of the object alone. */
    pla_dispid_learn(set, one, 5, "Status");
    CHECK(strcmp(pla_dispid_name(set, other, 5), "Status") == 0 && pla_dispid_name(set, other, 6) == NULL &&
            pla_dispid_name(interface_of("IDataManager"), one, 5) == NULL,
        "of the interface");
    pla_dispid_learn(&pla_dispatch_interface, one, 5, "Start");
    CHECK(strcmp(pla_dispid_name(&pla_dispatch_interface, one, 5), "Start") == 0 &&
            pla_dispid_name(&pla_dispatch_interface, other, 5) == NULL &&
            pla_dispid_name(&pla_dispatch_interface, NULL, 5) == NULL,
        "of the object");
}

static struct pla_pdu
pdu_of(struct pla_call *call, bool response, uint32_t frame)
{
    static struct pla_method method = { .name = "Do" };
    struct pla_pdu pdu = { .call = call,
        .response = response,
        .iface = interface_of("IDataCollectorSet"),
        .method = &method };

    pdu.o.ndr.pinfo = from(frame, "PC", 49152);
    pdu.found = wmem_array_new(wmem_epan_scope(), sizeof(struct pla_found));
    return pdu;
}

static void
test_call_is_kept_for_its_answer(void)
{
    struct pla_object *set, *object;
    struct pla_call *call;
    struct pla_pdu pdu;
    struct pla_tap record = { .set = NULL };
    struct pla_found found = { .ref = reference(2, 2, "IDataCollectorCollection"), .role = "DataCollectors" };
    struct pla_found unreturned = { .ref = reference(3, 3, "IDataManager") };

    anew();
    set = CALLED(1, "PC", 49152, 1, interface_of("IDataCollectorSet"));
    call = pla_call_new(set);
    CHECK(call->object == set && call->name == NULL && !call->answered, "a call");
    /* A request names the set, an answer that fails does not. */
    pdu = pdu_of(call, false, 2);
    pdu.named = "Set1";
    pla_call_learn(&pdu);
    CHECK(strcmp(call->name, "Set1") == 0 && pla_object_name(set, 2) == NULL && call->request_objects == NULL &&
            !call->answered,
        "a request");
    pla_call_record(&pdu);
    CHECK(!pdu.record.is_response && pdu.record.set == set && pdu.record.asked_name == NULL &&
            pdu.record.sought_name == NULL,
        "a request has not failed");
    pdu = pdu_of(call, true, 3);
    pdu.record.has_hresult = true;
    pdu.record.hresult = 0x80070005;
    wmem_array_append_one(pdu.found, found);
    pla_call_learn(&pdu);
    CHECK(call->answered && pla_object_name(set, 3) == NULL && KNOWN(3, "PC", 49152, 2) == NULL,
        "an answer that failed");
    CHECK(pla_call_referred(&pdu, 0) == NULL, "what it refers to is not known");
    pla_call_record(&pdu);
    CHECK(strcmp(pdu.record.interface_name, "IDataCollectorSet") == 0 && strcmp(pdu.record.method_name, "Do") == 0 &&
            pdu.record.is_response && pdu.record.set == set && pdu.record.set_name == NULL &&
            strcmp(pdu.record.server, "PC") == 0 && strcmp(pdu.record.asked_name, "Set1") == 0 &&
            pdu.record.sought_name == NULL,
        "its record");
    pdu.record.has_hresult = false;
    pla_call_learn(&pdu);
    CHECK(pla_object_name(set, 3) == NULL, "an answer whose HRESULT was not captured");

    /* One that succeeds does, and returns objects. */
    pdu = pdu_of(call, true, 4);
    pdu.record.has_hresult = true;
    pdu.record.hresult = 1;
    wmem_array_append_one(pdu.found, found);
    wmem_array_append_one(pdu.found, unreturned);
    pla_call_learn(&pdu);
    object = KNOWN(5, "PC", 49152, 2);
    CHECK(strcmp(pla_object_name(set, 4), "Set1") == 0 && object != NULL && object->parent == set &&
            !object->validation && KNOWN(5, "PC", 49152, 3) == NULL,
        "an answer");
    CHECK(pla_call_referred(&pdu, 0) == object && pla_call_referred(&pdu, 1) == NULL &&
            pla_call_referred(&pdu, 2) == NULL,
        "what it refers to");
    pla_call_record(&pdu);
    CHECK(strcmp(pdu.record.set_name, "Set1") == 0 && pdu.record.asked_name == NULL && pdu.record.sought_name == NULL,
        "its record");
    /* The request's are others. */
    pdu = pdu_of(call, false, 6);
    wmem_array_append_one(pdu.found, unreturned);
    wmem_array_append_one(pdu.found, found);
    pla_call_learn(&pdu);
    CHECK(pla_call_referred(&pdu, 0) == NULL && pla_call_referred(&pdu, 1) == object && call->name == NULL,
        "a request's");
    pla_call_record(&pdu);
    CHECK(!pdu.record.is_response && pdu.record.asked_name == NULL, "its record");

    /* An enumerator's items belong to its collection; items of HRESULTs are told of. */
    call = pla_call_new(object);
    pdu = pdu_of(call, true, 7);
    pdu.record.has_hresult = true;
    pdu.named = "Collectors";
    found = (struct pla_found){ .ref = reference(4, 4, "IDataCollector"),
        .role = "[0]",
        .from_collection = true,
        .validation = true };
    wmem_array_append_one(pdu.found, found);
    pla_call_learn(&pdu);
    object = KNOWN(8, "PC", 49152, 4);
    CHECK(object != NULL && object->parent == set && object->validation, "from a collection");
    CHECK(strcmp(pla_object_name(call->object, 7), "Collectors") == 0, "named by the answer");
    call = pla_call_new(set);
    pdu = pdu_of(call, true, 8);
    pdu.record.has_hresult = true;
    found.ref = reference(5, 5, "IDataCollector");
    found.validation = false;
    wmem_array_append_one(pdu.found, found);
    pla_call_learn(&pdu);
    CHECK(KNOWN(9, "PC", 49152, 5)->parent == set, "of what has no parent");

    /* Names of members. */
    call->member = "Status";
    pdu = pdu_of(call, true, 9);
    pdu.dispid = 77;
    pdu.record.has_hresult = true;
    pla_call_learn(&pdu);
    CHECK(pla_dispid_name(pdu.iface, set, 77) == NULL, "it was not answered");
    pdu.has_dispid = true;
    pla_call_learn(&pdu);
    CHECK(strcmp(pla_dispid_name(pdu.iface, set, 77), "Status") == 0, "a member");
    call = pla_call_new(NULL);
    pdu.call = call;
    pla_call_learn(&pdu);
    CHECK(call->answered, "a call on no object");
    pla_call_record(&pdu);
    CHECK(pdu.record.set == NULL && pdu.record.server == NULL, "a call on no object");

    /* What a fault answered: Query sought another set, any other call would have named this one. */
    call = pla_call_new(set);
    call->name = "Set2";
    pla_call_record_fault(call, "Query", 10, &record);
    CHECK(record.set == set && strcmp(record.set_name, "Set1") == 0 && strcmp(record.sought_name, "Set2") == 0 &&
            record.asked_name == NULL,
        "Query");
    record = (struct pla_tap){ .set = NULL };
    pla_call_record_fault(call, NULL, 10, &record);
    CHECK(record.sought_name == NULL && strcmp(record.asked_name, "Set2") == 0, "any call");
    record = (struct pla_tap){ .set = NULL };
    call = pla_call_new(object);
    call->name = "item";
    pla_call_record_fault(call, "Query", 10, &record);
    CHECK(record.set == set && record.asked_name == NULL && record.sought_name == NULL, "a name that is not the set's");
}

int
main(void)
{
    wmem_init_scopes();
    test_called_object_has_its_interface();
    test_objects_of_many_servers_stay_apart();
    test_returned_object_is_known();
    test_queried_object_is_the_same();
    test_object_has_the_name_that_was_said();
    test_label_leads_from_the_set();
    test_dispid_names_the_member();
    test_call_is_kept_for_its_answer();
    return check_result();
}
