/* server.c
 * Machines: an address and port together with a name
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "counters/server.h"

#include <string.h>

#include <epan/to_str.h>
#include <wsutil/inet_addr.h>

#include "base/hash.h"
#include "base/text.h"
#include "counters/catalog.h"
#include "counters/record.h"

/* Number of connections to an address and port that get an unnamed server each; later ones share one (linked()) */
#define MAX_OWN     (SERVER_MAX_CATALOGS - 2)
/* Bytes of a machine's name in paths: longer than any computer's name */
#define MAX_MACHINE 128u

/* Machines that may use the names and types of each other */
struct group {
    struct server *first;   /* NULL: the group is empty */
    struct catalog *shared; /* NULL: the group has one machine */
};

/* An address, for any port */
struct host {
    address addr;
    struct group group; /* servers at this address with a catalog */
    const char *name;   /* first name used for this address, folded, without domain; NULL: none */
    const char *domain; /* domain of .name; "" if none */
    uint32_t frame;     /* frame in which .name was used */
    bool has_more;      /* another name was used, too */
};

/* An address and port */
struct site {
    struct host *host;
    /* server whose answers contain the data of these machines ("Foreign HOST"); NULL: the machines answer themselves */
    const struct server *through;
    uint32_t port; /* last member of the key in the map of sites */
    const char *address, *with_port;
    const char *label; /* text for unnamed servers: the address, with the port if another site already has that text */
    bool is_label_taken;
    struct server *first; /* server that gets the first name used at this address and port; unnamed until then */
    unsigned num_named;
    unsigned num_said;      /* number of machines whose answers contained their own name */
    unsigned num_own;       /* number of unnamed servers created for one connection each; see MAX_OWN */
    struct group group;     /* servers at this address and port with a catalog */
    struct server *unnamed; /* server of calls that neither a name nor the connection assigns to another */
    wmem_list_t *strays;    /* struct server with a catalog but without a name, whose calls may be for others here */
};

struct server {
    struct site *site;
    const char *label; /* HOST of paths; NULL: no name */
    const char *name;  /* folded name without domain, and its domain; "" if none */
    const char *domain;
    struct server *merged_into; /* server that this one turned out to be, or NULL */
    struct catalog *catalog;    /* NULL: nothing learned */
    struct group *groups[SERVER_MAX_LEARNERS - 2];
    unsigned num_groups;
    /* groups of machines with this name: in any domain, in the same domain, and without a domain; NULL: no name yet */
    struct group *of_name, *of_domain, *of_no_domain;
    wmem_list_frame_t *stray;
    bool is_said; /* the machine's own answer contained the name; clients may use aliases */
    /* true if calls of this unnamed server may be for site->first: they began before two machines there had names */
    bool is_firsts;
};

/* A name at an address and port: folded, with or without domain */
struct name_key {
    const struct site *site;
    const char *name;
};

/* All servers; file scope */
static struct {
    wmem_map_t *hosts;         /* address, for any port -> struct host */
    wmem_map_t *hosts_by_name; /* folded name -> first struct host that was called by it */
    wmem_map_t *sites;         /* set of struct site */
    wmem_map_t *names;         /* struct name_key -> struct server */
    wmem_map_t *groups;        /* group_key() -> struct group */
    struct catalog *shared;    /* shared by all machines */
    wmem_map_t *labels;        /* texts in use as HOST of paths, folded -> struct site */
    wmem_map_t *numbers;       /* texts taken by several, folded -> the latest number appended */
    wmem_list_t *servers;      /* servers with a catalog; NULL: no file is open */
} known;

static guint
host_hash(const void *addr)
{
    return add_address_to_hash(0, (const address *)addr);
}

static gboolean
host_equal(const void *a, const void *b)
{
    return addresses_equal((const address *)a, (const address *)b);
}

/* Unseeded hash: pointers and a port cannot be chosen by a sender. */
static guint
site_hash(const void *key)
{
    const struct site *site = (const struct site *)key;

    return hash_join(hash_join(g_direct_hash(site->host), g_direct_hash(site->through)), site->port);
}

EQUAL_BYTES(site, offsetof(struct site, port) + sizeof(uint32_t))

static guint
name_key_hash(const void *key)
{
    const struct name_key *k = (const struct name_key *)key;

    return hash_join(hash_pointer(k->site), wmem_str_hash(k->name));
}

static gboolean
name_key_equal(const void *a, const void *b)
{
    const struct name_key *x = (const struct name_key *)a, *y = (const struct name_key *)b;

    return x->site == y->site && strcmp(x->name, y->name) == 0;
}

static void
server_begin_file(void)
{
    wmem_allocator_t *scope = wmem_file_scope();

    known.hosts = wmem_map_new(scope, host_hash, host_equal);
    known.hosts_by_name = wmem_map_new(scope, wmem_str_hash, g_str_equal);
    known.sites = wmem_map_new(scope, site_hash, site_equal);
    known.names = wmem_map_new(scope, name_key_hash, name_key_equal);
    known.groups = wmem_map_new(scope, wmem_str_hash, g_str_equal);
    known.shared = catalog_new(true, true);
    known.labels = wmem_map_new(scope, wmem_str_hash, g_str_equal);
    known.numbers = wmem_map_new(scope, wmem_str_hash, g_str_equal);
    known.servers = wmem_list_new(scope);
    catalog_version++;
}

static void
server_end_file(void)
{
    known.servers = NULL;
}

void
server_init(void)
{
    register_init_routine(server_begin_file);
    register_cleanup_routine(server_end_file);
}

/* Returns a name in lower case, for comparisons. */
static char *
server_folded(wmem_allocator_t *scope, const char *name, size_t length)
{
    char *text = wmem_strndup(scope, name, length);

    for (char *c = text; *c != '\0'; c++) {
        *c = g_ascii_tolower(*c);
    }
    return text;
}

/* Claims a text as HOST of paths for a server of the site (address and port). Returns false if the text is taken. */
static bool
claim_label(const char *text, struct site *site)
{
    char *key = server_folded(wmem_file_scope(), text, strlen(text));

    if (wmem_map_contains(known.labels, key)) {
        wmem_free(wmem_file_scope(), key);
        return false;
    }
    wmem_map_insert(known.labels, key, site);
    return true;
}

static struct host *
find_host(const address *addr)
{
    struct host *host = (struct host *)wmem_map_lookup(known.hosts, addr);

    if (host == NULL) {
        host = wmem_new0(wmem_file_scope(), struct host);
        copy_address_wmem(wmem_file_scope(), &host->addr, addr);
        wmem_map_insert(known.hosts, &host->addr, host);
    }
    return host;
}

static struct server *
new_server(struct site *site)
{
    struct server *server = wmem_new0(wmem_file_scope(), struct server);

    server->site = site;
    return server;
}

static struct site *
server_find_site(const address *addr, uint32_t port, const struct server *through)
{
    const struct site key = { .host = find_host(addr), .port = port, .through = through };
    struct site *site = (struct site *)wmem_map_lookup(known.sites, &key);

    if (site == NULL) {
        site = (struct site *)wmem_memdup(wmem_file_scope(), &key, sizeof key);
        site->address = address_to_str(wmem_file_scope(), addr);
        site->with_port = wmem_strdup_printf(wmem_file_scope(), addr->type == AT_IPv6 ? "[%s]:%u" : "%s:%u",
            site->address, site->port);
        site->label = through != NULL || claim_label(site->address, site) ? site->address : site->with_port;
        site->strays = wmem_list_new(wmem_file_scope());
        site->first = new_server(site);
        wmem_map_insert(known.sites, site, site);
    }
    return site;
}

static struct server *
unnamed_at(struct site *site)
{
    if (site->unnamed == NULL) {
        site->unnamed = new_server(site);
    }
    return site->unnamed;
}

struct server_address
server_address_of(const packet_info *pinfo, bool is_response)
{
    return is_response ? (struct server_address){ &pinfo->src, pinfo->srcport }
                       : (struct server_address){ &pinfo->dst, pinfo->destport };
}

struct server *
server_of(const packet_info *pinfo, bool is_response)
{
    const struct server_address at = server_address_of(pinfo, is_response);

    return unnamed_at(server_find_site(at.addr, at.port, NULL));
}

/*
 * Parses an address in users' notations: in brackets, with a zone ("fd00::1%3"), or Windows' name of an IPv6 address
 * ("fd00--1s3.ipv6-literal.net"). data: buffer for its bytes.
 */
static bool
read_address(const char *text, address *addr, ws_in6_addr *data)
{
    static const char literal[] = ".ipv6-literal.net";
    char plain[WS_INET6_ADDRSTRLEN];
    ws_in4_addr four;
    size_t length = strlen(text);
    bool is_literal;

    if (ws_inet_pton4(text, &four)) {
        memcpy(data, &four, sizeof four);
        set_address(addr, AT_IPv4, sizeof four, data);
        return true;
    }
    is_literal = length >= sizeof literal && g_ascii_strcasecmp(text + length - (sizeof literal - 1), literal) == 0;
    if (is_literal) {
        length = strcspn(text, "s.S");
    } else if (text[0] == '[' && text[length - 1] == ']') {
        text++;
        length = strcspn(text, "%]");
    } else {
        length = strcspn(text, "%");
    }
    if (length >= sizeof plain) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        plain[i] = is_literal && text[i] == '-' ? ':' : text[i];
    }
    plain[length] = '\0';
    if (!ws_inet_pton6(plain, data)) {
        return false;
    }
    set_address(addr, AT_IPv6, sizeof *data, data);
    return true;
}

/* Returns a machine name from szMachine or SystemName, printable and limited. In scope. */
static const char *
machine_name(wmem_allocator_t *scope, const char *machine)
{
    const char *sent = machine + strspn(machine, "\\");
    const char *shown = line_text_max(scope, sent, MAX_MACHINE);
    size_t length = strlen(shown);
    ws_in6_addr data;
    address addr;
    char *name;

    while (length > 0 && (shown[length - 1] == '.' || shown[length - 1] == ' ')) {
        length--;
    }
    name = wmem_strndup(scope, shown, length);
    if (shown != sent) {
        wmem_free(scope, (char *)shown);
    }
    if (read_address(name, &addr, &data)) {
        wmem_free(scope, name);
        name = address_to_str(scope, &addr);
    }
    return name;
}

/* Returns whether a name identifies no machine: "", localhost, 127.0.0.1, ::1, or the address that was called. */
static bool
is_everyones(const struct site *site, const char *name)
{
    ws_in6_addr data;
    address addr;

    return name[0] == '\0' || g_ascii_strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
        strcmp(name, "::1") == 0 || (read_address(name, &addr, &data) && addresses_equal(&addr, &site->host->addr));
}

/* Returns the domain of a name; "" if it has none or is an address. */
static const char *
domain_of(const char *name)
{
    ws_in6_addr data;
    address addr;

    return name + (read_address(name, &addr, &data) ? strlen(name) : strcspn(name, "."));
}

/* Returns whether domains may be equal: a name without a domain may be in any. */
static bool
are_domains_alike(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || g_ascii_strcasecmp(a, b) == 0;
}

static struct server *
look_up_name(const struct site *site, const char *name, size_t length)
{
    struct name_key key = { site, server_folded(NULL, name, length) };
    struct server *server = (struct server *)wmem_map_lookup(known.names, &key);

    wmem_free(NULL, (char *)key.name);
    return server;
}

/*
 * Returns the machine with a name at a site, or NULL. "HOST" and "host.example.com" are the same machine,
 * "host.example.com" and "host.example.org" are not.
 */
static struct server *
server_find_named(const struct site *site, const char *name)
{
    const char *domain = domain_of(name);
    struct server *server = look_up_name(site, name, strlen(name));

    if (server == NULL) {
        server = look_up_name(site, name, (size_t)(domain - name));
        server = server != NULL && are_domains_alike(server->domain, domain) ? server : NULL;
    }
    return server;
}

static void
server_add_name(struct server *server, const char *name, size_t length)
{
    const struct name_key key = { server->site, server_folded(wmem_file_scope(), name, length) };

    if (!wmem_map_contains(known.names, &key)) {
        wmem_map_insert(known.names, wmem_memdup(wmem_file_scope(), &key, sizeof key), server);
    }
}

/* Adds a server to a group of servers that may use the names and types of each other. */
static void
group_join(struct group *group, struct server *server)
{
    for (unsigned i = 0; i < server->num_groups; i++) {
        if (server->groups[i] == group) {
            return;
        }
    }
    if (server->num_groups == array_length(server->groups)) {
        return;
    }
    server->groups[server->num_groups++] = group;
    if (group->first == NULL) {
        group->first = server;
        return;
    }
    if (group->shared == NULL) {
        group->shared = catalog_new(true, false);
        if (group->first->catalog != NULL) {
            catalog_absorb(group->shared, group->first->catalog);
        }
    }
    if (server->catalog != NULL) {
        catalog_absorb(group->shared, server->catalog);
    }
}

/* Returns the group of all machines with a folded name and domain ("": none; NULL: any). */
static struct group *
name_group(const char *name, const char *domain)
{
    char *key = domain == NULL ? g_strdup(name) : g_strdup_printf("%s|%s", name, domain);
    struct group *group = (struct group *)wmem_map_lookup(known.groups, key);

    if (group == NULL) {
        group = wmem_new0(wmem_file_scope(), struct group);
        wmem_map_insert(known.groups, wmem_strdup(wmem_file_scope(), key), group);
    }
    g_free(key);
    return group;
}

/* Gives a server its name, or adds the domain to it. */
static void
server_learn_name(struct server *server, const char *name)
{
    const char *domain = domain_of(name);

    if (server->domain == NULL || (server->domain[0] == '\0' && *domain != '\0')) {
        server_add_name(server, name, strlen(name));
        server_add_name(server, name, (size_t)(domain - name));
        server->name = server_folded(wmem_file_scope(), name, (size_t)(domain - name));
        server->domain = server_folded(wmem_file_scope(), domain, strlen(domain));
        server->of_name = name_group(server->name, NULL);
        server->of_domain = name_group(server->name, server->domain);
        server->of_no_domain = name_group(server->name, "");
        group_join(server->of_name, server);
        group_join(server->of_domain, server);
    }
}

/*
 * Returns HOST of paths for a name. [MS-PLA] 2.2.10 allows a name or an address: if the name is taken, returns the
 * address; if that is taken, too, name@address.
 */
static const char *
server_make_label(struct site *site, const char *name)
{
    const char *label = wmem_strdup(wmem_file_scope(), name), *taken;
    unsigned number;

    if (claim_label(label, site)) {
        return label;
    }
    if (site->through == NULL && !site->is_label_taken) {
        site->is_label_taken = true;
        return site->label;
    }
    label = wmem_strdup_printf(wmem_file_scope(), "%s@%s", name, site->label);
    taken = server_folded(wmem_file_scope(), label, strlen(label));
    number = MAX(GPOINTER_TO_UINT(wmem_map_lookup(known.numbers, taken)), 1);
    while (!claim_label(label, site)) {
        label = wmem_strdup_printf(wmem_file_scope(), "%s@%s#%u", name, site->label, ++number);
    }
    wmem_map_insert(known.numbers, taken, GUINT_TO_POINTER(number));
    return label;
}

static void
name_server(struct server *server, const char *name)
{
    struct site *site = server->site;

    server_learn_name(server, name);
    server->label = server_make_label(site, name);
    if (server->stray != NULL) {
        wmem_list_remove_frame(site->strays, server->stray);
        server->stray = NULL;
    }
    site->num_named++;
    catalog_version++;
}

/* Returns whether these are two hosts, each with only one name so far, and the names differ. */
static bool
are_two(const struct host *called, const struct host *named)
{
    return named != NULL && named != called && called->name != NULL && named->name != NULL && !called->has_more &&
        !named->has_more && strcmp(called->name, named->name) != 0;
}

/* Returns another host than `called` that certainly has this name, or NULL. name: folded, without domain. */
static const struct host *
other_host(const struct host *called, const char *name, const char *domain)
{
    const struct host *named = (const struct host *)wmem_map_lookup(known.hosts_by_name, name);

    return are_two(called, named) && strcmp(named->name, name) == 0 && are_domains_alike(named->domain, domain) ? named
                                                                                                                : NULL;
}

static bool
is_loopback(const address *addr)
{
    static const uint8_t loopback6[16] = { [15] = 1 };

    return (addr->type == AT_IPv4 && ((const uint8_t *)addr->data)[0] == 127) ||
        (addr->type == AT_IPv6 && memcmp(addr->data, loopback6, sizeof loopback6) == 0);
}

/* Notes that an address was called by a name. */
static void
learn_host(struct host *host, const char *name, uint32_t frame)
{
    const char *domain = domain_of(name);
    char *plain = server_folded(wmem_file_scope(), name, (size_t)(domain - name));

    if ((host->name != NULL && strcmp(host->name, plain) == 0) || other_host(host, plain, domain) != NULL) {
        return;
    }
    if (host->name != NULL) {
        host->has_more = true;
        return;
    }
    host->name = plain;
    host->domain = wmem_strdup(wmem_file_scope(), domain);
    host->frame = frame;
    if (!wmem_map_contains(known.hosts_by_name, plain)) {
        wmem_map_insert(known.hosts_by_name, plain, host);
    }
}

const char *
server_complaint(const address *addr, const char *machine, wmem_allocator_t *scratch)
{
    const char *name = machine_name(scratch, machine), *domain = domain_of(name);
    const struct host *called, *named;
    ws_in6_addr data;
    address other;

    if ((addr->type != AT_IPv4 && addr->type != AT_IPv6) || is_loopback(addr) || name[0] == '\0') {
        return NULL;
    }
    called = find_host(addr);
    if (read_address(name, &other, &data)) {
        named = (const struct host *)wmem_map_lookup(known.hosts, &other);
        named = are_two(called, named) ? named : NULL;
    } else {
        named = other_host(called, server_folded(scratch, name, (size_t)(domain - name)), domain);
    }
    return named == NULL ? NULL
                         : wmem_strdup_printf(wmem_file_scope(),
                               "szMachine contains the name of another server: %s is called %s (frame %u), but this "
                               "server, %s, is called %s (frame %u)",
                               address_to_str(scratch, &named->addr), named->name, named->frame,
                               address_to_str(scratch, &called->addr), called->name, called->frame);
}

/* Returns the server of a call without a name. */
static struct server *
linked(struct server_link *link, struct site *site)
{
    if (link->is_shared || (link->server != NULL && link->server->site != site)) {
        return unnamed_at(site);
    }
    if (link->server == NULL) {
        const bool is_own = site->num_named > 1 || site->num_own < MAX_OWN;

        link->server = is_own ? new_server(site) : unnamed_at(site);
        link->server->is_firsts = site->num_named <= 1;
        site->num_own += is_own;
    }
    return link->server;
}

struct server *
server_asked(struct server_link *link, struct server_address to, const char *machine)
{
    struct site *site = server_find_site(to.addr, to.port, NULL);
    char *name = machine == NULL ? NULL : (char *)machine_name(NULL, machine);
    struct server *server = name == NULL || is_everyones(site, name) ? NULL : server_find_named(site, name);

    wmem_free(NULL, name);
    return server != NULL ? server : linked(link, site);
}

/*
 * Merges the unnamed `other` into `server`, which also gets its catalog. site->first can still use the catalog if calls
 * of `other` may be for that machine (.is_firsts).
 */
static void
be_known(struct server *server, struct server *other)
{
    const bool is_kept = other->is_firsts && server != other->site->first;

    other->merged_into = server;
    other->site->num_own -= !is_kept;
    if (other->catalog != NULL) {
        catalog_absorb(server_teach(server), other->catalog);
        for (unsigned i = 0; i < server->num_groups; i++) {
            if (server->groups[i] != &other->site->host->group && server->groups[i] != &other->site->group &&
                server->groups[i]->shared != NULL) {
                catalog_absorb(server->groups[i]->shared, other->catalog);
            }
        }
        if (!is_kept && other->stray != NULL) {
            wmem_list_remove_frame(other->site->strays, other->stray);
            other->stray = NULL;
        }
    }
    catalog_version++;
}

struct server *
server_answered(struct server_link *link, struct server_address from, const char *machine, uint32_t frame)
{
    struct site *site = server_find_site(from.addr, from.port, NULL);
    struct server *before = linked(link, site), *server;
    char *name = (char *)machine_name(NULL, machine);

    if (is_everyones(site, name)) {
        server = before;
    } else {
        const bool is_new = before == link->server && before->label == NULL;
        const bool is_free = is_new && before != site->unnamed;

        /*
         * A name in an answer (frame 0) is the computer's own, so the connection's earlier calls were not for the first
         * machine of the site, unless it has this name. A name in a request may be an alias of the first machine.
         */
        before->is_firsts = before->is_firsts && (frame != 0 || before == site->unnamed);
        server = server_find_named(site, name);
        if (server == NULL) {
            server = site->num_named == 0 ? site->first : is_free && !before->is_firsts ? before : new_server(site);
            name_server(server, name);
        } else {
            server_learn_name(server, name);
        }
        if (is_free && before != server) {
            be_known(server, before);
        }
        link->server = is_new ? server : link->server;
        link->is_shared = link->is_shared || link->server != server;
        if (frame == 0 && !server->is_said) {
            server->is_said = true;
            site->num_said++;
        }
        if (frame != 0 && !is_loopback(from.addr)) {
            learn_host(site->host, name, frame);
        }
    }
    wmem_free(NULL, name);
    return server;
}

struct server *
server_beyond(const struct server *server, const char *machine)
{
    const struct server *relay = server_known(server);
    struct site *site = server_find_site(&relay->site->host->addr, relay->site->port, relay);
    char *name = (char *)machine_name(NULL, machine);
    struct server *found = server_find_named(site, name);

    if (found == NULL) {
        found = site->num_named == 0 ? site->first : new_server(site);
        name_server(found, name);
    }
    wmem_free(NULL, name);
    return found;
}

/* Returns the server that this one turned out to be, or itself. */
static struct server *
merged_server(const struct server *server)
{
    return server->merged_into != NULL ? server->merged_into : (struct server *)server;
}

const struct server *
server_known(const struct server *server)
{
    if (server->merged_into != NULL) {
        return server->merged_into;
    }
    return server->label != NULL || server->site->num_named > 1 ? server : server->site->first;
}

const char *
server_host(const struct server *server)
{
    const struct server *machine = server_known(server);

    return machine->label != NULL       ? machine->label
        : machine->site->is_label_taken ? machine->site->with_port
                                        : machine->site->label;
}

/* Returns the site (address and port) of the server that has a text as HOST, or NULL. */
static const struct site *
labelled_site(const char *host)
{
    char *key = known.servers == NULL ? NULL : server_folded(NULL, host, strlen(host));
    const struct site *site = key == NULL ? NULL : (const struct site *)wmem_map_lookup(known.labels, key);

    wmem_free(NULL, key);
    return site;
}

const char *
perf_tap_host_now(const char *host)
{
    const struct site *site = labelled_site(host);

    return site != NULL && !site->is_label_taken && site->num_named == 1 ? site->first->label : host;
}

const char *
perf_tap_host_key(const char *host)
{
    const struct site *site = labelled_site(host);
    const bool is_first = site != NULL && (site->num_named <= 1 || strcmp(host, site->first->label) == 0);

    return is_first && site->through == NULL ? site->with_port : host;
}

bool
server_may_be(const struct server *server, const struct server *other)
{
    const struct server *a = server_known(server), *b = server_known(other);

    return a->site == b->site ||
        (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0 &&
            are_domains_alike(a->domain, b->domain));
}

bool
server_is_named(const struct server *server)
{
    return server->label != NULL;
}

const struct server *
server_unnamed(const struct server *server)
{
    return unnamed_at(server->site);
}

struct catalog *
server_teach(struct server *server)
{
    server = merged_server(server);
    if (server->catalog == NULL) {
        server->catalog = catalog_new(false, false);
        wmem_list_append(known.servers, server);
        if (server->site->through == NULL) {
            group_join(&server->site->host->group, server);
            group_join(&server->site->group, server);
        }
    }
    /* With several machines at the site, only its first calls may be for any of them: see server_catalogs(). */
    if (server->label == NULL && server->stray == NULL && (server->site->num_named <= 1 || server->is_firsts)) {
        wmem_list_append(server->site->strays, server);
        server->stray = wmem_list_tail(server->site->strays);
    }
    return server->catalog;
}

unsigned
server_catalogs(const struct server *server, const struct catalog *catalogs[SERVER_MAX_CATALOGS])
{
    const struct server *self = merged_server(server);
    const struct site *site = self->site;
    const bool is_only = site->num_named <= 1;
    unsigned count = 0;

    if (self->catalog != NULL) {
        catalogs[count++] = self->catalog;
    }
    if (!is_only && self != site->first && (self->label != NULL || !self->is_firsts)) {
        return count;
    }
    if (site->first != NULL && site->first != self && site->first->catalog != NULL) {
        catalogs[count++] = site->first->catalog;
    }
    for (wmem_list_frame_t *at = wmem_list_head(site->strays); at != NULL && count < SERVER_MAX_CATALOGS;
         at = wmem_list_frame_next(at)) {
        const struct server *stray = (const struct server *)wmem_list_frame_data(at);

        if (stray != self && (is_only || stray->is_firsts)) {
            catalogs[count++] = stray->catalog;
        }
    }
    return count;
}

enum catalog_source
server_source(const struct server *server, const struct catalog *catalog)
{
    const struct server *self = merged_server(server);

    return self->catalog == catalog ? CATALOG_MACHINE
        : self->site->num_said <= 1 ? CATALOG_ONLY_MACHINE
                                    : CATALOG_OTHER_NAME;
}

unsigned
server_learners(struct server *server, struct catalog *catalogs[SERVER_MAX_LEARNERS])
{
    unsigned count = 0;

    server = merged_server(server);
    catalogs[count++] = server_teach(server);
    for (unsigned i = 0; i < server->num_groups; i++) {
        if (server->groups[i]->shared != NULL) {
            catalogs[count++] = server->groups[i]->shared;
        }
    }
    catalogs[count++] = known.shared;
    return count;
}

/*
 * Gets the catalog of a group from which a server may take names and types: the shared one, or that of the only other
 * member. Returns the number of catalogs, 0 or 1.
 */
static unsigned
group_lends(const struct group *group, const struct server *to, const struct catalog **lent)
{
    const struct server *first = group->first == NULL ? NULL : merged_server(group->first);

    *lent = group->shared != NULL ? group->shared : first == NULL || first == to ? NULL : first->catalog;
    return *lent != NULL;
}

const struct catalog *
server_title_lender(const struct server *server)
{
    const struct server *self = server_known(server);
    const struct catalog *lent = NULL;

    return self->site->through == NULL && group_lends(&self->site->group, self, &lent) ? lent : NULL;
}

bool
server_is_one_of_several(const struct server *server)
{
    const struct server *self = server_known(server);

    return self->is_said && self->site->num_said > 1;
}

unsigned
server_lenders(const struct server *server, enum catalog_source source,
    const struct catalog *catalogs[SERVER_MAX_LENDERS])
{
    const struct server *self = server_known(server);
    unsigned count = 0;

    if (source == CATALOG_OTHER_NAME && self->site->through == NULL) {
        count = group_lends(&self->site->host->group, self, catalogs);
    } else if (source == CATALOG_OTHER_ADDRESS && self->name != NULL) {
        count = group_lends(self->domain[0] == '\0' ? self->of_name : self->of_domain, self, catalogs);
        count += self->domain[0] == '\0' ? 0 : group_lends(self->of_no_domain, self, catalogs + count);
    } else if (source == CATALOG_OTHER_MACHINE) {
        catalogs[count++] = known.shared;
    }
    return count;
}

static int
compare_servers(const void *a, const void *b)
{
    const struct server *one = *(const struct server *const *)a, *other = *(const struct server *const *)b;
    const int order = strcmp(one->site->address, other->site->address);
    const int ports = (one->site->port > other->site->port) - (one->site->port < other->site->port);

    return order != 0 ? order : ports != 0 ? ports : strcmp(server_host(one), server_host(other));
}

GPtrArray *
server_all(void)
{
    GPtrArray *all = g_ptr_array_new();

    for (wmem_list_frame_t *at = known.servers == NULL ? NULL : wmem_list_head(known.servers); at != NULL;
         at = wmem_list_frame_next(at)) {
        struct server *server = (struct server *)wmem_list_frame_data(at);

        if (server->merged_into == NULL) {
            g_ptr_array_add(all, server);
        }
    }
    g_ptr_array_sort(all, compare_servers);
    return all;
}
