/* server.h
 * Machines: who answers under one name by one address and port
 *
 * Several may answer at one address and port: a cluster's, one that is translated, or two sites' in one capture. And
 * two addresses may call themselves alike: ".", "localhost", a cluster's name. So a machine is both, its place and its
 * name. A name is that of a call that was answered and not refused; what is not called anything is whoever else answers
 * on the same connection, or the only machine at that place.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COUNTERS_SERVER_H
#define PERFLIB_COUNTERS_SERVER_H

#include "compat.h"

#include <epan/address.h>

struct catalog;

/*
 * Where a name or a type comes from, best first. What a machine did not say itself may be borrowed from another one,
 * as the members CATALOG_OTHER_* say, unless machines that could lend it disagree about that counter, or the values of
 * the machine contradict the lender's list.
 */
enum catalog_source {
    CATALOG_UNKNOWN,
    CATALOG_MACHINE,       /* the machine itself, under this name at this address and port */
    CATALOG_TABLE,         /* the user's table */
    CATALOG_OTHER_NAME,    /* this address under another name: an alias, an IPv6 literal, address translation */
    CATALOG_OTHER_ADDRESS, /* this name at another address or port */
    CATALOG_OTHER_MACHINE, /* every machine that listed the counterset */
    CATALOG_BUILT_IN,      /* the built-in table */
};

/* A machine: what it is called, and what the capture taught of it (counters/catalog.h). File scope. */
struct server;

/* Whose a connection is, as far as its calls told. Begins as all zero; belongs to who keeps connections. */
struct server_link {
    struct server *server; /* NULL: no call was seen */
    bool is_shared;        /* several machines answered on it */
};

/* An address and port. */
struct server_place {
    const address *addr;
    uint32_t port;
};

/* Where a packet goes to, or comes from that is an answer. */
struct server_place server_place_of(const packet_info *pinfo, bool is_response);

/* Registers what makes the empty memory of each newly opened file; called once, at registration. */
void server_init(void);

/* Whoever answers a request, or this packet, where nothing else is known. Made on first use, as are those below. */
struct server *server_of(const packet_info *pinfo, bool is_response);
/* The machine a call goes to, before it is answered. machine: the name it says, NULL or empty: none. */
struct server *server_asked(struct server_link *link, const struct server_place *place, const char *machine);
/*
 * The same of a call that was answered and not refused. frame: of the request that said the name, for
 * server_complaint(); 0: the answer says it. First pass only.
 */
struct server *server_answered(struct server_link *link, const struct server_place *place, const char *machine,
    uint32_t frame);
/* Another computer of this name, whose data a server passes on. First pass only. */
struct server *server_beyond(const struct server *server, const char *machine);

/*
 * The machine that a server is, by what is known by now: one that no call named is the only one named at its place, as
 * nearly every address has one machine; of several nobody can tell which. Whoever keeps something by servers, or
 * compares them, asks for this first.
 */
const struct server *server_known(const struct server *server);
/*
 * HOST of its counter paths: its name without backslashes, or its address. No other machine has the same text, which
 * does not change any more once it was named. Never NULL; file scope.
 */
const char *server_host(const struct server *server);
/* Whether two may be one machine, which has several addresses. */
bool server_may_be(const struct server *server, const struct server *other);
/* Whether calls named it. */
bool server_is_named(const struct server *server);
/* Whoever else answers where this one does: the same for all servers there. */
const struct server *server_unnamed(const struct server *server);

/*
 * Why a call to this address that says this name names another server, in file scope; NULL: nothing shows that. First
 * pass only, before the call is answered.
 *
 * Nobody but the peers knows all names and addresses of a host: aliases, several network cards, clusters, translated
 * addresses and tunnels are no errors. So a name counts as another server's only where that one, at another address,
 * was called so and nothing else, and this one was called something else and nothing else; an address, where calls
 * went to it, too, under another name. Case and domain of names do not count; loopback says nothing.
 */
const char *server_complaint(const address *addr, const char *machine, wmem_allocator_t *scratch);

/* For counters/catalog*.c: */

/* Returns the catalog of what a server itself taught; made on first use. */
struct catalog *server_teach(struct server *server);
/* The most catalogs that learn what a server teaches. */
#define SERVER_MAX_LEARNERS 7
/*
 * The catalogs that learn what a server teaches: its own first, then those that it shares with other machines of its
 * address and of its name, and with all. Returns their number.
 */
unsigned server_learners(struct server *server, struct catalog *catalogs[SERVER_MAX_LEARNERS]);
/* The most catalogs that lend from one source. */
#define SERVER_MAX_LENDERS 2
/*
 * The catalogs that a server may borrow from, of one source: CATALOG_OTHER_NAME, CATALOG_OTHER_ADDRESS or
 * CATALOG_OTHER_MACHINE. Returns their number.
 */
unsigned server_lenders(const struct server *server, enum catalog_source source,
    const struct catalog *catalogs[SERVER_MAX_LENDERS]);
/*
 * The catalog that lends titles of the older API, whose numbers differ from machine to machine: of other names at the
 * same address and port, as two ports of one address may lead to two machines. NULL: there is none.
 */
const struct catalog *server_title_lender(const struct server *server);
/* So many catalogs may tell of a server. */
#define SERVER_MAX_CATALOGS 8
/*
 * The catalogs that tell of a server, its own first. Of the only machine at a place those tell, too, that were taught
 * there by calls that named none.
 */
unsigned server_catalogs(const struct server *server, const struct catalog *catalogs[SERVER_MAX_CATALOGS]);
/* All servers that were taught something, by address, port and name. In scope. */
GPtrArray *server_all(void);
/* Rises where a server gets a name. */
unsigned server_version(void);

#endif /* PERFLIB_COUNTERS_SERVER_H */
