/* machines.c
 * What servers are called in szMachine, and calls that name another server than the one they go to
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perflibv2/machines.h"

#include <string.h>

#include <epan/to_str.h>
#include <wsutil/inet_addr.h>

/* A server by its address, whatever the port. File scope. */
struct machine {
    address addr;
    char *name;         /* as in szMachine, in lower case, without domain; NULL: none was used */
    const char *domain; /* what stood after it then; "" if nothing did */
    uint32_t frame;     /* that called it so first */
    bool has_more;      /* it was called something else, too */
};

#define MAX_NAME 64u /* bytes; names of computers have 15 or 63 */

static wmem_map_t *by_address; /* address -> struct machine; file scope */
static wmem_map_t *by_name;    /* name -> struct machine, the first called so; file scope */

static guint
address_key_hash(const void *key)
{
    return add_address_to_hash(0, (const address *)key);
}

static gboolean
address_key_equal(const void *a, const void *b)
{
    return addresses_equal((const address *)a, (const address *)b);
}

void
machines_init(void)
{
    by_address = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), address_key_hash, address_key_equal);
    by_name = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), wmem_str_hash, g_str_equal);
}

static struct machine *
find_machine(const address *addr)
{
    struct machine *machine = (struct machine *)wmem_map_lookup(by_address, addr);

    if (machine == NULL) {
        machine = wmem_new0(wmem_file_scope(), struct machine);
        copy_address_wmem(wmem_file_scope(), &machine->addr, addr);
        wmem_map_insert(by_address, &machine->addr, machine);
    }
    return machine;
}

/* What a name is compared by. NULL: it is none, or every host's own. */
static char *
plain_name(wmem_allocator_t *scope, const char *machine)
{
    const size_t length = strcspn(machine, ".");
    char *name;

    if (length == 0 || length > MAX_NAME) {
        return NULL;
    }
    name = wmem_strndup(scope, machine, length);
    for (char *c = name; *c != '\0'; c++) {
        *c = g_ascii_tolower(*c);
    }
    return strcmp(name, "localhost") == 0 ? NULL : name;
}

static bool
is_loopback(const address *addr)
{
    static const uint8_t loopback6[16] = { [15] = 1 };

    return (addr->type == AT_IPv4 && ((const uint8_t *)addr->data)[0] == 127) ||
        (addr->type == AT_IPv6 && memcmp(addr->data, loopback6, sizeof loopback6) == 0);
}

/* The server that a text which is an address belongs to; false: it is no address. *found may get NULL. */
static bool
find_by_address(const char *text, const struct machine **found)
{
    ws_in4_addr four;
    ws_in6_addr six;
    address addr;

    if (ws_inet_pton4(text, &four)) {
        set_address(&addr, AT_IPv4, sizeof four, &four);
    } else if (ws_inet_pton6(text, &six)) {
        set_address(&addr, AT_IPv6, sizeof six, &six);
    } else {
        return false;
    }
    *found = (const struct machine *)wmem_map_lookup(by_address, &addr);
    return true;
}

static const char *
complain(wmem_allocator_t *scratch, const struct machine *called, const struct machine *named)
{
    return wmem_strdup_printf(wmem_file_scope(),
        "szMachine names another server: %s was called %s in frame %u, this one, %s, was called %s in frame %u",
        address_to_str(scratch, &named->addr), named->name, named->frame, address_to_str(scratch, &called->addr),
        called->name, called->frame);
}

static const char *
domain_of(const char *machine)
{
    return machine + strcspn(machine, ".");
}

/* A name without a domain may be in any. */
static bool
are_domains_alike(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || g_ascii_strcasecmp(a, b) == 0;
}

/* Whether each of two servers was called by one name, and not by the same. */
static bool
are_two(const struct machine *called, const struct machine *named)
{
    return named != NULL && named != called && called->name != NULL && named->name != NULL && !called->has_more &&
        !named->has_more && strcmp(called->name, named->name) != 0;
}

const char *
machines_learn(const packet_info *pinfo, const char *machine)
{
    const struct machine *named = NULL;
    struct machine *called;
    char *name;

    machine += strspn(machine, "\\");
    if (is_loopback(&pinfo->dst) || (pinfo->dst.type != AT_IPv4 && pinfo->dst.type != AT_IPv6)) {
        return NULL;
    }
    called = find_machine(&pinfo->dst);
    if (find_by_address(machine, &named)) {
        return are_two(called, named) ? complain(pinfo->pool, called, named) : NULL;
    }
    name = plain_name(pinfo->pool, machine);
    if (name == NULL || (called->name != NULL && strcmp(called->name, name) == 0)) {
        return NULL;
    }
    named = (const struct machine *)wmem_map_lookup(by_name, name);
    if (are_two(called, named) && strcmp(named->name, name) == 0 &&
        are_domains_alike(named->domain, domain_of(machine))) {
        return complain(pinfo->pool, called, named);
    }
    if (called->name != NULL) {
        called->has_more = true;
        return NULL;
    }
    called->name = wmem_strdup(wmem_file_scope(), name);
    called->domain = wmem_strdup(wmem_file_scope(), domain_of(machine));
    called->frame = pinfo->num;
    if (named == NULL) {
        wmem_map_insert(by_name, called->name, called);
    }
    return NULL;
}
