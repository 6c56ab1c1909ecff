/* server.h
 * Machines: a machine is an address and port together with a name
 *
 * Several machines may answer at one address and port: in a cluster, behind address translation, or in merged
 * captures. And two addresses may use one name: ".", "localhost", a cluster's name. A name counts only if the call
 * that used it was answered and not refused. A call without a name belongs to the machine of the connection's other
 * calls, or to the only machine at the address and port.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_SERVER_H
#define PERFLIB_COUNTERS_SERVER_H

#include "compat.h"

#include <epan/address.h>

struct catalog;

/*
 * Source of a name or type, best first. A machine's missing names and types are taken from other machines
 * (CATALOG_OTHER_*) unless these disagree about the counter, or the machine's values contradict them.
 */
enum catalog_source {
    CATALOG_UNKNOWN,
    CATALOG_MACHINE,       /* the machine itself, by its name, address and port */
    CATALOG_ONLY_MACHINE,  /* another connection to the only machine that is known at this address and port */
    CATALOG_TABLE,         /* the user's table */
    CATALOG_OTHER_NAME,    /* this address under another name: an alias, an IPv6 literal, address translation */
    CATALOG_OTHER_ADDRESS, /* this name at another address or port */
    CATALOG_OTHER_MACHINE, /* every machine that listed the counterset */
    CATALOG_BUILT_IN,      /* the built-in table */
};

/* A machine with its name and catalog (counters/catalog.h). File scope. */
struct server;

/* The machine that a connection belongs to. Zero-initialised, owned by the connection. */
struct server_link {
    struct server *server; /* NULL: no call yet */
    bool is_shared;        /* several machines answered on the connection */
};

/* Address and port */
struct server_address {
    const address *addr;
    uint32_t port;
};

/* Returns the server's address and port: the packet's source if it is a response, else its destination. */
struct server_address server_address_of(const packet_info *pinfo, bool is_response);

/* Registers the routine that resets the machines for each capture file. Call it once, at start. */
void server_init(void);

/* Returns the machine at a packet's address and port, for callers that know nothing more. Created on first use. */
struct server *server_of(const packet_info *pinfo, bool is_response);
/*
 * Returns the machine that a call is for, before its answer. machine: name in the call, NULL or empty if none. Created
 * on first use.
 */
struct server *server_asked(struct server_link *link, struct server_address to, const char *machine);
/*
 * Returns the machine of a call that was answered, and not refused. frame: frame of the request that contains the name,
 * for server_complaint(); 0 if the answer contains it. First pass only. Created on first use.
 */
struct server *server_answered(struct server_link *link, struct server_address from, const char *machine,
    uint32_t frame);
/* Returns another computer (machine) whose data the server passes on. First pass only. Created on first use. */
struct server *server_beyond(const struct server *server, const char *machine);

/*
 * Returns the machine that a server turned out to be, as far as known. A server without a name counts as the first
 * machine at its address and port, but is returned unchanged if several there have names. Call this before comparing
 * servers or using one as a key.
 */
const struct server *server_known(const struct server *server);
/*
 * Returns HOST of a server's counter paths: its name, or its address if no name is known or another machine has the
 * name. Never NULL; file scope. A named machine's HOST is unique and final.
 */
const char *server_host(const struct server *server);
/* Returns whether two servers may be one machine with several addresses. */
bool server_may_be(const struct server *server, const struct server *other);
/* Returns whether the server's name is known, from a call to it or its answer. */
bool server_is_named(const struct server *server);
/* Returns the unnamed server at the same address and port, which is the same for all servers there. */
const struct server *server_unnamed(const struct server *server);

/*
 * Returns why szMachine, in a call to addr, must be the name or address of another server, or NULL. Hosts have aliases,
 * so this is certain only if the other server was always called by one name, and the one at addr always by a different
 * name. File scope. First pass only, before the call is answered.
 */
const char *server_complaint(const address *addr, const char *machine, wmem_allocator_t *scratch);

/* For counters/catalog*.c */

/* Returns the catalog of the server's own answers. Created on first use. */
struct catalog *server_teach(struct server *server);
/* Maximum number of catalogs that server_learners() lists */
#define SERVER_MAX_LEARNERS 7
/*
 * Lists the catalogs that store the answers of a server: its own first, then those of all servers with its address, of
 * all with its name, and of all machines. Returns their number.
 */
unsigned server_learners(struct server *server, struct catalog *catalogs[SERVER_MAX_LEARNERS]);
/* Maximum number of catalogs that server_lenders() lists */
#define SERVER_MAX_LENDERS 2
/*
 * Lists the catalogs from which a server may take names and types of one source: CATALOG_OTHER_NAME,
 * CATALOG_OTHER_ADDRESS or CATALOG_OTHER_MACHINE. Returns their number.
 */
unsigned server_lenders(const struct server *server, enum catalog_source source,
    const struct catalog *catalogs[SERVER_MAX_LENDERS]);
/*
 * Returns the catalog from which a server may take titles of the older API, or NULL. Title indexes differ between
 * machines, and two ports of an address may be two machines, so only servers at the same address and port share titles.
 */
const struct catalog *server_title_lender(const struct server *server);
/*
 * Returns whether this machine and another one at the same address and port sent their own names in answers, so that
 * they certainly differ.
 */
bool server_is_one_of_several(const struct server *server);
/* Maximum number of catalogs that server_catalogs() lists */
#define SERVER_MAX_CATALOGS 8
/*
 * Lists the catalogs about a server, its own first, and returns their number. The first machine with a name at an
 * address and port also gets the catalogs of calls without a name, except calls that began after a second name was used
 * there.
 */
unsigned server_catalogs(const struct server *server, const struct catalog *catalogs[SERVER_MAX_CATALOGS]);
/* Returns the source of a name or type that one of server_catalogs() contains. */
enum catalog_source server_source(const struct server *server, const struct catalog *catalog);
/* Returns all servers with a catalog, ordered by address, port and name. The caller frees the array. */
GPtrArray *server_all(void);

#endif /* PERFLIB_COUNTERS_SERVER_H */
