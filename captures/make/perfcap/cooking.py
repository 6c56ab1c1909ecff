# SPDX-License-Identifier: GPL-2.0-or-later
"""What perfmon would show for two samples of a counter, as exact fractions.

N value, T PerfTimeStamp, F PerfFreq, X PerfTime100NSec, B base counter, M multi counter, O counter named by
PerfTimeId, FO counter named by PerfFreqId; 0 the older sample, 1 the newer. Where Microsoft's texts differ,
README.md of captures/ says which reading is used.
"""

from fractions import Fraction

from .countertypes import BASE_TYPES, value_size, TYPES

# unit in the record -> what stands behind a number a person reads
UNIT_LABELS = {'percent': '%', 'per_second': '/s', 'samples_per_second': '', 'seconds': 's',
               'seconds_per_operation': 's', 'per_operation': '', 'length': '', 'count': '', 'hex': '',
               'difference': '', 'text': ''}

# type: formula, unit, clock pair whose difference divides, does it need a second sample
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
    """Carries the reason."""


def _difference(name, new, old, size, notes):
    """new - old; one wrap of a 32-bit number is assumed when the difference stays below 2^31."""
    if new >= old:
        return new - old
    if size == 4 and (new - old) % (1 << 32) < 1 << 31:
        notes.append(f'{name} wrapped once: difference modulo 2^32')
        return (new - old) % (1 << 32)
    raise NotComputable('counter decreased')


def cook(type_name, new, old, absent='first sample'):
    """new, old: dicts of inputs by letter; old None when there is no earlier sample (absent says why).

    A base, multi or object-clock counter that is not in the poll is missing from the dict.
    Returns a dict with formula, unit, inputs, value and notes; raises NotComputable.
    """
    if type_name is None:
        raise NotComputable('type unknown')
    if type_name == 'PERF_COUNTER_TEXT':
        raise NotComputable('text')
    if type_name in BASE_TYPES:
        raise NotComputable('base of another counter')
    if type_name not in FORMULAS:
        raise NotComputable('type not computable')
    formula, unit = FORMULAS[type_name]
    if type_name == 'PERF_PRECISION_OBJECT_TIMER' and 'B' in new:
        formula = '100*(N1-N0)/(B1-B0)'
    size = value_size(TYPES[type_name])
    needs_old = 'N0' in formula
    if needs_old and old is None:
        raise NotComputable(absent)
    for letter, counter in (('B', 'base'), ('M', 'multi'), ('O', 'time'), ('FO', 'frequency')):
        if letter + '1' in formula.replace('FO1', '') or (letter == 'FO' and 'FO1' in formula):
            if new.get(letter) is None or (letter + '0' in formula and old.get(letter) is None):
                raise NotComputable(f'{counter} not in query')
    notes, inputs, values = [], {}, {}
    for letter in ('N', 'T', 'X', 'B', 'O'):
        if f'{letter}1' in formula.replace('FO1', ''):
            inputs[f'{letter}1'] = new[letter]
        if f'{letter}0' in formula:
            inputs[f'{letter}0'] = old[letter]
    if 'F' in formula.replace('FO', ''):
        inputs['F'] = new['F']
    if 'M1' in formula:
        inputs['M1'] = new['M']
    if 'FO1' in formula:
        inputs['FO1'] = new['FO']
    # the clocks first: when time went back nothing else can be said
    for letter in ('T', 'X', 'O'):
        if f'{letter}0' in formula:
            if new[letter] < old[letter]:
                raise NotComputable('time went back')
            values['D'] = new[letter] - old[letter]
    if needs_old:
        values['N'] = _difference('N', new['N'], old['N'], size, notes)
    if 'B0' in formula:
        values['D'] = _difference('B', new['B'], old['B'], new.get('B_size', 8), notes)
    if values.get('D') == 0 and '/' in formula:
        raise NotComputable('zero base')
    n, d = Fraction(values.get('N', 0)), Fraction(values.get('D', 1))
    if formula == '(N1-N0)/((T1-T0)/F)':
        value = n * inputs['F'] / d
    elif formula == '((N1-N0)/F)/(B1-B0)':
        value = n / inputs['F'] / d
    elif formula in ('100*(N1-N0)/(T1-T0)', '100*(N1-N0)/(X1-X0)', '100*(N1-N0)/(O1-O0)', '100*(N1-N0)/(B1-B0)'):
        value = 100 * n / d
    elif formula.startswith('100*(1-'):
        value = 100 * (1 - n / d)
    elif formula.startswith('100*(M1-'):
        value = 100 * (inputs['M1'] - n / d)
    elif formula.startswith('100*((N1-N0)'):
        if not inputs['M1']:
            raise NotComputable('zero base')
        value = 100 * n / d / inputs['M1']
    elif formula in ('(N1-N0)/(T1-T0)', '(N1-N0)/(X1-X0)', '(N1-N0)/(O1-O0)', '(N1-N0)/(B1-B0)'):
        value = n / d
    elif formula == 'N1-N0':
        value = n
    elif formula == '100*N1/B1':
        if not inputs['B1']:
            raise NotComputable('zero base')
        value = Fraction(100 * inputs['N1'], inputs['B1'])
    elif formula == '(O1-N1)/FO1':
        if not inputs['FO1']:
            raise NotComputable('zero base')
        if inputs['O1'] < inputs['N1']:
            raise NotComputable('time went back')
        value = Fraction(inputs['O1'] - inputs['N1'], inputs['FO1'])
    else:
        value = Fraction(inputs['N1'])
    return {'formula': formula, 'inputs': inputs, 'exact': str(value), 'value': float(value), 'unit': unit,
            'unit_label': UNIT_LABELS[unit], **({'note': '; '.join(notes)} if notes else {})}
