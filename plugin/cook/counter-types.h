/* counter-types.h
 * Counter types of performance data and their bit fields
 *
 * Plain C without Wireshark. [MS-PCQ] 2.2.4.2; bit fields as in winperf.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFLIB_COOK_COUNTER_TYPES_H
#define PERFLIB_COOK_COUNTER_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * X(name, value) for every counter type with a name of its own. PERF_PRECISION_TIMESTAMP has the value of
 * PERF_LARGE_RAW_BASE and is left out.
 */
/* clang-format off */
#define PERF_COUNTER_TYPES(X) \
    X(PERF_COUNTER_RAWCOUNT_HEX,           0x00000000) \
    X(PERF_COUNTER_LARGE_RAWCOUNT_HEX,     0x00000100) \
    X(PERF_COUNTER_TEXT,                   0x00000B00) \
    X(PERF_COUNTER_RAWCOUNT,               0x00010000) \
    X(PERF_COUNTER_LARGE_RAWCOUNT,         0x00010100) \
    X(PERF_COUNTER_DELTA,                  0x00400400) \
    X(PERF_COUNTER_LARGE_DELTA,            0x00400500) \
    X(PERF_SAMPLE_COUNTER,                 0x00410400) \
    X(PERF_COUNTER_QUEUELEN_TYPE,          0x00450400) \
    X(PERF_COUNTER_LARGE_QUEUELEN_TYPE,    0x00450500) \
    X(PERF_COUNTER_100NS_QUEUELEN_TYPE,    0x00550500) \
    X(PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 0x00650500) \
    X(PERF_COUNTER_COUNTER,                0x10410400) \
    X(PERF_COUNTER_BULK_COUNT,             0x10410500) \
    X(PERF_RAW_FRACTION,                   0x20020400) \
    X(PERF_LARGE_RAW_FRACTION,             0x20020500) \
    X(PERF_COUNTER_TIMER,                  0x20410500) \
    X(PERF_PRECISION_SYSTEM_TIMER,         0x20470500) \
    X(PERF_100NSEC_TIMER,                  0x20510500) \
    X(PERF_PRECISION_100NS_TIMER,          0x20570500) \
    X(PERF_OBJ_TIME_TIMER,                 0x20610500) \
    X(PERF_PRECISION_OBJECT_TIMER,         0x20670500) \
    X(PERF_SAMPLE_FRACTION,                0x20C20400) \
    X(PERF_COUNTER_TIMER_INV,              0x21410500) \
    X(PERF_100NSEC_TIMER_INV,              0x21510500) \
    X(PERF_COUNTER_MULTI_TIMER,            0x22410500) \
    X(PERF_100NSEC_MULTI_TIMER,            0x22510500) \
    X(PERF_COUNTER_MULTI_TIMER_INV,        0x23410500) \
    X(PERF_100NSEC_MULTI_TIMER_INV,        0x23510500) \
    X(PERF_AVERAGE_TIMER,                  0x30020400) \
    X(PERF_ELAPSED_TIME,                   0x30240500) \
    X(PERF_COUNTER_NODATA,                 0x40000200) \
    X(PERF_AVERAGE_BULK,                   0x40020500) \
    X(PERF_SAMPLE_BASE,                    0x40030401) \
    X(PERF_AVERAGE_BASE,                   0x40030402) \
    X(PERF_RAW_BASE,                       0x40030403) \
    X(PERF_LARGE_RAW_BASE,                 0x40030500) \
    X(PERF_COUNTER_MULTI_BASE,             0x42030500) \
    X(PERF_COUNTER_HISTOGRAM_TYPE,         0x80000000)
/* clang-format on */

#define PERF_COUNTER_TYPE_ENUM(name, value) name = (int32_t)(value),
enum perf_counter_type { PERF_COUNTER_TYPES(PERF_COUNTER_TYPE_ENUM) PERF_COUNTER_TYPE_NONE = -1 };
#undef PERF_COUNTER_TYPE_ENUM

/* Bit fields of a counter type */
#define PERF_TYPE_SIZE_MASK       0x00000300u
#define PERF_TYPE_KIND_MASK       0x00000C00u
#define PERF_TYPE_KIND_TEXT       0x00000800u
#define PERF_TYPE_SUBTYPE_MASK    0x00070000u
#define PERF_TYPE_TIMER_MASK      0x00300000u
#define PERF_TYPE_DELTA_COUNTER   0x00400000u
#define PERF_TYPE_DELTA_BASE      0x00800000u
#define PERF_TYPE_INVERSE_COUNTER 0x01000000u
#define PERF_TYPE_MULTI_COUNTER   0x02000000u
#define PERF_TYPE_DISPLAY_MASK    0x70000000u

/* Attrib of a counter, [MS-PCQ] 2.2.4.2 */
#define COUNTER_ATTRIB_NO_DISPLAY   0x02u
#define COUNTER_ATTRIB_NO_SEPARATOR 0x04u
#define COUNTER_ATTRIB_AS_REAL      0x08u
#define COUNTER_ATTRIB_AS_HEX       0x10u
#define COUNTER_ATTRIB_ALL          0x1Fu

/* As a related id or string offset: none. As a counter id or instance id: all (wildcard). */
#define PERF_ID_NONE UINT32_C(0xFFFFFFFF)

/* Returns the name of a counter type, or NULL. */
const char *perf_counter_type_name(uint32_t type);

/* Returns whether a value of this size in bytes can have the type ([MS-PCQ] 2.2.4.2 and the size bits). */
bool perf_counter_type_has_size(uint32_t type, uint32_t size);

/* Returns whether a type is a base, timestamp or no data: used by other counters, never shown itself. */
bool perf_counter_type_is_base(uint32_t type);
/*
 * Returns whether other counters can be computed with values of this type: raw counts and bases. The specification does
 * not say whether a related id of 0 means counter 0 or "none": it is taken for counter 0 only if that has such a type.
 */
bool perf_counter_type_is_operand(uint32_t type);

#endif /* PERFLIB_COOK_COUNTER_TYPES_H */
