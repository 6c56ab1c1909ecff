# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording of the probe says of a server, from the plugin's tables; and why a rule was not judged."""

import json
import textwrap

FORBIDDEN = 'only a call that no client may send gives occasion to judge it: --forbidden makes that call'
CHOSEN = 'the client chooses it, so it is judged in requests'
ENUMERATION = 'the server listed no counterset'
DESCRIPTION = 'the server described no counterset (EnumerateCounterSet, request code 1)'
NEEDS_BASE = 'no counterset has a counter of a type that needs a base counter, such as PERF_AVERAGE_BULK'
NEEDS_TIME = 'no counterset has a counter of a type that needs an object clock, such as PERF_ELAPSED_TIME'
NEEDS_MULTI = 'no counterset has a counter of a type that needs a multi counter, such as PERF_COUNTER_MULTI_TIMER'
ONE_COUNTER = 'no counter was described by itself (request code 2)'
STRINGS = 'no list of names or descriptions of counters was received (request codes 5, 6, 10)'
TEXTS = 'no name or description was received'
INSTANCES = 'no list of instances was received'
SINGLE = 'no counterset of a single instance gave a list of instances'
IDENTIFIERS = 'no answer to ValidateCounters holds identifiers'
ADDED = 'no identifier could be added to a query'
REMOVED = 'no identifier could be removed from a query'
INDEX_MAP = 'no answer to QueryCounterInfo holds identifiers'
POLL = 'no answer to QueryCounterData could be read'
BLOCKS = 'no poll has a block with values'
MANY_COUNTERS = 'no poll has a block with several counters'
MANY_INSTANCES = 'no poll has a block with several instances'
ERROR_BLOCKS = 'no poll has a block of type PERF_ERROR_RETURN'
SAMPLE_BASE = 'no poll has a counter of type PERF_SAMPLE_BASE'
HANDLES = 'no query handle was opened'
CLOSED = 'no query handle was closed'
SIZES = 'no call that returns a buffer was answered'
STRUCTURES = 'no answer holds a structure'
ANSWERS = 'no call was answered'
SUCCESS = 'no call that returns a buffer succeeded'

# Each rule that binds a server: the occasion to judge it that was missing if it was not judged.
WHY = {rule: why for why, rules in {
    FORBIDDEN: 'request_code_refused validate_refused short_identifier_refused handle_refused',
    CHOSEN: 'transport transfer_syntax',
    ENUMERATION: 'guid_unique out_size_zero guid_count guid_limit',
    DESCRIPTION: 'counterset_type instance_type detail_level detail_level_listed counter_id_unique counter_type counter_type_listed '
                 'attrib attrib_combination default_scale aggregate counter_reserved counterset_guid reg_num_counters '
                 'registration_empty',
    NEEDS_BASE: 'base_id base_type',
    NEEDS_TIME: 'perf_time_id perf_time_type perf_freq_id perf_freq_type',
    NEEDS_MULTI: 'multi_id multi_type',
    ONE_COUNTER: 'counter_id',
    STRINGS: 'strings_size strings_counters strings_counter_id strings_offset strings_offset_base strings_aligned',
    TEXTS: 'string_terminated',
    INSTANCES: 'instance_unique instance_size instance_terminated instances_none',
    SINGLE: 'instance_single',
    IDENTIFIERS: 'identifier_status identifier_echo validate_status added_guid added_counter',
    ADDED: 'added_twice',
    REMOVED: 'removed_unknown already_exists',
    INDEX_MAP: 'identifier_size identifier_terminated info_identifiers info_counters index_range index_unique info_padding',
    POLL: 'data_total_size data_num_counters data_time system_time perf_freq poll_empty poll_blocks',
    BLOCKS: 'value_data_size block_single block_status block_value_status block_size block_type block_reserved value_size '
            'block_identifier',
    MANY_COUNTERS: 'multi_counters_size block_counter_ids block_all_counters',
    MANY_INSTANCES: 'block_instances multi_instances_size instance_padding',
    ERROR_BLOCKS: 'block_error_alone block_error_status',
    SAMPLE_BASE: 'sample_base',
    HANDLES: 'handle_opened handle_unique',
    CLOSED: 'handle_closed',
    SIZES: 'lpdata_count max_count array_offset out_size_room too_small',
    SUCCESS: 'out_size_needed out_size_all',
    STRUCTURES: 'structure_fits trailing_bytes alignment',
    ANSWERS: 'privacy_required return_code return_code_listed',
}.items() for rule in rules.split()}
TITLES = {'broken': 'Broken', 'departs': 'Departed from, which does not count as broken',
          'held': 'Held (the frame is the first answer that was judged by it)'}


def rows(folder):
    text = (folder / 'perflibv2-rules.ndjson').read_text(encoding='utf-8')
    return [json.loads(line) for line in text.splitlines()]


def sentence(row):
    frame = row['first_frame'] or row['checked_in']
    often = f"; broken {row['broken']} of {row['checked']} times" if row['broken'] else ''
    return f"  frame {frame}: {row['rule']} ({row['section']}): {row['holds']}{often}"


def refusal(told):
    """Why the calls that give occasion to judge were not answered, or ''."""
    first = told['steps']['PerflibV2']
    if not first['answered']:
        return first['outcome']
    if told['answers'] > told['refusals']:
        return ''
    return 'denied: ERROR_ACCESS_DENIED' if told['refusals'] else told['faults'][0]


def tell(told, answers, requests, notes):
    """Prints the verdict; the number of rules broken by the server, or None where hardly any could be judged."""
    judged = [row for row in answers if row['rule'] in WHY and row['verdict'] != 'not checked']
    missing = [row['rule'] for row in answers if row['rule'] in WHY and row['verdict'] == 'not checked']
    by = {verdict: [row for row in judged if row['verdict'] == verdict] for verdict in TITLES}
    print('What the server did:')
    for name, step in told['steps'].items():
        print(f"  {name}: {step['outcome']}")
    for note in notes:
        print(f'  {note}')
    for verdict, title in TITLES.items():
        if by[verdict]:
            print(f'\n{title}:')
            for row in by[verdict]:
                print(sentence(row))
    reasons = {}
    refused = refusal(told)
    for rule in missing:
        reasons.setdefault(f'PerflibV2 was not served ({refused})' if refused else WHY[rule], []).append(rule)
    if missing:
        print('\nNot judged:')
    for why, rules in reasons.items():
        print(f'  {why}:')
        print(textwrap.fill(', '.join(rules), 100, initial_indent='    ', subsequent_indent='    '))
    own = {verdict: [row['rule'] for row in requests if row['verdict'] == verdict] for verdict in TITLES}
    print(f"\nThe probe itself broke {', '.join(own['broken']) or 'no rule for clients'}."
          + (f" It departed from {', '.join(own['departs'])}." if own['departs'] else ''))
    print(f"{len(judged)} of {len(WHY)} rules that bind a server were judged: {len(by['broken'])} broken, "
          f"{len(by['departs'])} departed from, {len(by['held'])} held.")
    return len(by['broken']) if by['broken'] or not refused else None
