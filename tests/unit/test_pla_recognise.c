/* test_pla_recognise.c
 * Calls without a bind that are about objects of [MS-PLA]: by object, by what RemQueryInterface asks for, by class
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pla/packet.h"

#include <string.h>

#include "check.h"

static const struct pla_interface *known; /* that the object called is of */
static bool has_class;                    /* a class of [MS-PLA] is named in the stub */

const struct pla_interface *
pla_object_interface(packet_info *pinfo, const e_guid_t *ipid)
{
    (void)pinfo;
    CHECK(ipid->data1 == 77, "another object");
    return known;
}

const struct pla_class *
pla_hooks_find_class(const uint8_t *bytes, unsigned length)
{
    (void)bytes;
    (void)length;
    return has_class ? pla_classes : NULL;
}

static uint8_t stub[200];
static bool is_big;
static struct stub_sample sample;
static struct stub_recognised found;

static void
put(unsigned at, uint32_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        stub[at + (is_big ? width - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    }
}

static void
put_guid(unsigned at, const e_guid_t *guid)
{
    put(at, guid->data1, 4);
    put(at + 4, guid->data2, 2);
    put(at + 6, guid->data3, 2);
    memcpy(stub + at + 8, guid->data4, 8);
}

/* A request that begins with ORPCTHIS, [MS-DCOM] 2.2.13.3. */
static void
begin(unsigned opnum, unsigned size)
{
    memset(stub, 0, sizeof stub);
    put(0, 5, 2);
    put(2, 7, 2);
    sample = (struct stub_sample){ .opnum = opnum,
        .is_first = true,
        .is_last = true,
        .is_little_endian = !is_big,
        .length = size,
        .head = stub,
        .head_length = size };
    found.by = NULL;
}

static bool
is_recognised(void)
{
    packet_info pinfo = { .num = 1 };

    return pla_recognise(&sample, &pinfo, &found);
}

/* RemQueryInterface for so many interfaces, 3.1.1.5.6.1.1, of which one is the last. */
static void
query(unsigned count, const e_guid_t *iid)
{
    begin(3, 60 + 16 * count);
    put(52, count, 2); /* cIids, behind ripid and cRefs */
    put(56, count, 4); /* the array's own count */
    put_guid(60 + 16 * (count - 1), iid);
}

static void
test_queries(void)
{
    const e_guid_t *ours = &pla_interfaces[0].iid, *enumerator = NULL;

    for (unsigned i = 0; i < PLA_NUM_INTERFACES; i++) {
        enumerator = pla_is_enumerator(&pla_interfaces[i]) ? &pla_interfaces[i].iid : enumerator;
    }
    for (unsigned count = 1; count <= 3; count++) {
        query(count, ours);
        CHECK(is_recognised() && guid_cmp(&found.uuid, &iremunknown_iid) == 0 && found.version == 0 && found.by != NULL,
            "%u interfaces", count);
        query(count, enumerator);
        CHECK(!is_recognised(), "an enumerator may be anybody's");
        query(count, &idispatch_iid);
        CHECK(!is_recognised(), "IDispatch may be anybody's");
        query(count, ours);
        put(52, count + 1, 2);
        CHECK(!is_recognised(), "two counts that differ");
        query(count, ours);
        put(56, count + 1, 4);
        put(52, count + 1, 2);
        CHECK(!is_recognised(), "more than there are");
        query(count, ours);
        sample.head_length--;
        CHECK(!is_recognised(), "cut");
        query(count, ours);
        put(28, 1, 4);
        CHECK(!is_recognised(), "with extensions");
        query(count, ours);
        sample.opnum = 5;
        CHECK(!is_recognised(), "another operation");
    }
    query(1, ours);
    sample.head_length = 59;
    CHECK(!is_recognised(), "no whole count was captured");
    sample.length = 59;
    CHECK(!is_recognised(), "no count");
    /* What stands behind the array was not asked for. */
    query(2, ours);
    put(52, 1, 2);
    put(56, 1, 4);
    CHECK(!is_recognised(), "one that is none of ours");
    sample.length = sample.head_length = 76;
    CHECK(!is_recognised(), "one that is none of ours, and nothing captured behind it");
}

static void
test_others(void)
{
    const e_guid_t object = { .data1 = 77 };
    const struct pla_interface *set = &pla_interfaces[0];

    /* A call to an object that is known, of an operation that it has. */
    known = set;
    begin(7, 40);
    CHECK(!is_recognised(), "to no object");
    sample.object = &object;
    CHECK(is_recognised() && guid_cmp(&found.uuid, &set->iid) == 0, "to one that is known");
    sample.is_response = true;
    CHECK(!is_recognised(), "an answer");
    put(0, 0, 4); /* ORPCTHAT as it usually is */
    CHECK(!is_recognised(), "an answer");
    put(0, 5, 2);
    put(2, 7, 2);
    sample.is_response = false;
    sample.is_first = false;
    CHECK(!is_recognised(), "a later fragment");
    sample.is_first = true;
    put(4, 1, 4);
    CHECK(is_recognised(), "flags that some clients set");
    put(8, 1, 4);
    CHECK(!is_recognised(), "what is reserved");
    begin(9999, 40);
    sample.object = &object;
    CHECK(!is_recognised(), "an operation that there is none of");
    known = NULL;
    begin(7, 40);
    sample.object = &object;
    CHECK(!is_recognised(), "to an object that is not known");

    /* Activation names a class, [MS-DCOM] 3.1.2.5.2.3. */
    for (unsigned opnum = 0; opnum <= 5; opnum++) {
        begin(opnum, 40);
        has_class = true;
        CHECK(is_recognised() == (opnum == 0 || opnum == 4), "opnum %u", opnum);
        CHECK(found.by == NULL || guid_cmp(&found.uuid, opnum == 4 ? &iremotescmactivator_iid : &iactivation_iid) == 0,
            "opnum %u", opnum);
        has_class = false;
        CHECK(!is_recognised(), "opnum %u without a class", opnum);
    }
}

int
main(void)
{
    wmem_init_scopes();
    for (unsigned i = 0; i < 2; i++) {
        is_big = i == 1;
        test_queries();
        test_others();
    }
    return check_result();
}
