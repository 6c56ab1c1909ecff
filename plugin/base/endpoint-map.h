/* endpoint-map.h
 * Stubs of the endpoint mapper's ept_map: which interface is sought, and where it is
 *
 * [C706] appendix O, its towers appendices I and L; [MS-RPCE] 2.2.1.2.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_BASE_ENDPOINT_MAP_H
#define PERFLIB_BASE_ENDPOINT_MAP_H

#include "compat.h"

extern const e_guid_t endpoint_map_uuid; /* of the endpoint mapper's own interface */
#define ENDPOINT_MAP_OPNUM 3u            /* ept_map */

/* What a tower says. */
struct endpoint_tower {
    e_guid_t uuid;    /* of the interface */
    uint16_t version; /* its major version */
    uint16_t port;    /* TCP's; 0: none */
};

/* The tower a request (NDR, in clear) asks for. False: there is none, or it was not captured. */
bool endpoint_map_read_request(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower);
/*
 * The answer to it: *status is its return code, *tower the first one with a TCP port, or else with port 0. False: it
 * was not captured whole.
 */
bool endpoint_map_read_response(const uint8_t *stub, unsigned length, bool is_little_endian,
    struct endpoint_tower *tower, uint32_t *status);

#endif /* PERFLIB_BASE_ENDPOINT_MAP_H */
