# SPDX-License-Identifier: GPL-2.0-or-later
"""What perfmon would show for two samples of a counter, as exact fractions.

Raw values of 8 bytes and their differences are signed, as PDH keeps them (LONGLONG); hexadecimal ones are not.
N value, T PerfTimeStamp, F PerfFreq, X PerfTime100NSec, B base counter, M multi counter, O counter named by
PerfTimeId, FO counter named by PerfFreqId; 0 the older sample, 1 the newer. Where Microsoft's texts differ,
README.md of captures/ says which reading is used.
"""

import re
from fractions import Fraction

from .countertypes import BASE_TYPES, value_size, TYPES

# unit in the record -> what stands behind a number a person reads
UNIT_LABELS = {'percent': '%', 'per_second': '/s', 'samples_per_second': '', 'seconds': 's',
               'seconds_per_operation': 's', 'per_operation': '', 'length': '', 'count': '', 'hex': '',
               'difference': '', 'text': ''}

# formula (evaluated as it stands) and unit of each type
FORMULAS = {
    'PERF_COUNTER_COUNTER': ('(N1-N0)/((T1-T0)/F)', 'per_second'),
    'PERF_COUNTER_BULK_COUNT': ('(N1-N0)/((T1-T0)/F)', 'per_second'),
    'PERF_SAMPLE_COUNTER': ('(N1-N0)/((T1-T0)/F)', 'samples_per_second'),
    'PERF_COUNTER_TIMER': ('100*(N1-N0)/(T1-T0)', 'percent'),
    'PERF_COUNTER_TIMER_INV': ('100*(1-(N1-N0)/(T1-T0))', 'percent'),
    'PERF_100NSEC_TIMER': ('100*(N1-N0)/(X1-X0)', 'percent'),
    'PERF_100NSEC_TIMER_INV': ('100*(1-(N1-N0)/(X1-X0))', 'percent'),
    'PERF_OBJ_TIME_TIMER': ('100*(N1-N0)/(O1-O0)', 'percent'),
    'PERF_PRECISION_SYSTEM_TIMER': ('100*(N1-N0)/(B1-B0)', 'percent'),
    'PERF_PRECISION_100NS_TIMER': ('100*(N1-N0)/(B1-B0)', 'percent'),
    'PERF_PRECISION_OBJECT_TIMER': ('100*(N1-N0)/(O1-O0)', 'percent'),
    'PERF_COUNTER_MULTI_TIMER': ('100*((N1-N0)/(T1-T0))/M1', 'percent'),
    'PERF_COUNTER_MULTI_TIMER_INV': ('100*(M1-(N1-N0)/(T1-T0))', 'percent'),
    'PERF_100NSEC_MULTI_TIMER': ('100*((N1-N0)/(X1-X0))/M1', 'percent'),
    'PERF_100NSEC_MULTI_TIMER_INV': ('100*(M1-(N1-N0)/(X1-X0))', 'percent'),
    'PERF_COUNTER_QUEUELEN_TYPE': ('(N1-N0)/(T1-T0)', 'length'),
    'PERF_COUNTER_LARGE_QUEUELEN_TYPE': ('(N1-N0)/(T1-T0)', 'length'),
    'PERF_COUNTER_100NS_QUEUELEN_TYPE': ('(N1-N0)/(X1-X0)', 'length'),
    'PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE': ('(N1-N0)/(O1-O0)', 'length'),
    'PERF_AVERAGE_TIMER': ('((N1-N0)/F)/(B1-B0)', 'seconds_per_operation'),
    'PERF_AVERAGE_BULK': ('(N1-N0)/(B1-B0)', 'per_operation'),
    'PERF_SAMPLE_FRACTION': ('100*(N1-N0)/(B1-B0)', 'percent'),
    'PERF_COUNTER_DELTA': ('N1-N0', 'difference'),
    'PERF_COUNTER_LARGE_DELTA': ('N1-N0', 'difference'),
    'PERF_RAW_FRACTION': ('100*N1/B1', 'percent'),
    'PERF_LARGE_RAW_FRACTION': ('100*N1/B1', 'percent'),
    'PERF_ELAPSED_TIME': ('(O1-N1)/FO1', 'seconds'),
    'PERF_COUNTER_RAWCOUNT': ('N1', 'count'),
    'PERF_COUNTER_LARGE_RAWCOUNT': ('N1', 'count'),
    'PERF_COUNTER_RAWCOUNT_HEX': ('N1', 'hex'),
    'PERF_COUNTER_LARGE_RAWCOUNT_HEX': ('N1', 'hex'),
}


class NotComputable(Exception):
    """reasons: all that hold, the first the most telling."""

    def __init__(self, *reasons):
        super().__init__(reasons[0])
        self.reasons = list(reasons)


def longlong(bits):
    """The signed number that 64 bits are."""
    return (bits + (1 << 63)) % (1 << 64) - (1 << 63)


def _difference(new, old, size):
    """(new - old, wrapped) or None; one wrap of a 32-bit number is assumed where it leaves less than 2^31."""
    if size == 8:
        return (longlong(new - old), False) if longlong(new - old) >= 0 else None
    if new >= old:
        return new - old, False
    if size == 4 and (new - old) % (1 << 32) < 1 << 31:
        return (new - old) % (1 << 32), True
    return None


def _letters(formula):
    """The inputs a formula names: N1, N0, FO1, ..."""
    return set(re.findall(r'FO1|[NTXBOM][01]|F', formula))


OTHER_COUNTERS = ('B', 'O', 'FO', 'M')


def cook(type_name, new, old, absent='first sample'):
    """new, old: dicts of inputs by letter; old None when there is no earlier sample (absent says why).

    A base, multi or object-clock counter that is not in the poll is None or missing in the dict; B stands in
    it where the counter has a base id at all. B_size is the base's size in bytes.
    Returns a dict with formula, inputs, exact, value, unit and notes; raises NotComputable.
    """
    if type_name is None:
        raise NotComputable('type unknown')
    if type_name == 'PERF_COUNTER_TEXT':
        raise NotComputable('text')
    if type_name in BASE_TYPES or type_name == 'PERF_COUNTER_NODATA':
        raise NotComputable('not displayed')
    if type_name not in FORMULAS:
        raise NotComputable('type unknown')
    formula, unit = FORMULAS[type_name]
    if type_name == 'PERF_PRECISION_OBJECT_TIMER' and 'B' in new:
        formula = FORMULAS['PERF_PRECISION_100NS_TIMER'][0]
    used = _letters(formula)
    if 'N0' in used and old is None:
        raise NotComputable(absent)
    for letter in OTHER_COUNTERS:
        if letter + '1' in used and new.get(letter) is None or letter + '0' in used and old.get(letter) is None:
            raise NotComputable('base not in query')

    inputs = {}
    for name in sorted(used):
        inputs[name] = new['F'] if name == 'F' else new[name[:-1]] if name.endswith('1') else old[name[:-1]]
    reasons, notes, env = [], [], {name: Fraction(value) for name, value in inputs.items()}
    for letter in 'TXO':
        if letter + '0' in used:
            if inputs[letter + '1'] < inputs[letter + '0']:
                reasons.append('time went back')
            elif inputs[letter + '1'] == inputs[letter + '0']:
                reasons.append('zero base')
    for letter, size in (('N', value_size(TYPES[type_name])), ('B', new.get('B_size'))):
        if letter + '0' in used:
            change = _difference(inputs[letter + '1'], inputs[letter + '0'], size)
            if change is None:
                reasons.append('counter decreased')
                continue
            if change[1]:
                notes.append(f'{letter} wrapped once: difference modulo 2^32')
            env[letter + '1'] = env[letter + '0'] + change[0]
            if letter == 'B' and change[0] == 0:
                reasons.append('zero base')
        elif letter + '1' in used and size == 8 and not type_name.endswith('_HEX') and type_name != 'PERF_ELAPSED_TIME':
            env[letter + '1'] = Fraction(longlong(inputs[letter + '1']))
    if 'O1' in used and 'O0' not in used and inputs['O1'] < inputs['N1']:
        reasons.append('time went back')
    if 'B1' in used and 'B0' not in used and inputs['B1'] == 0 or formula.endswith('/M1') and inputs['M1'] == 0:
        reasons.append('zero base')
    if inputs.get('FO1') == 0 or inputs.get('F') == 0:
        reasons.append('zero base')
    if reasons:
        raise NotComputable(*dict.fromkeys(reasons))
    value = eval(formula, {'__builtins__': {}}, env)    # formulas are the constants above
    return {'formula': formula, 'inputs': inputs, 'exact': str(value), 'value': float(value), 'unit': unit,
            'unit_label': UNIT_LABELS[unit], **({'note': '; '.join(notes)} if notes else {})}
