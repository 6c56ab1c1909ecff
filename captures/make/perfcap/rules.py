# SPDX-License-Identifier: GPL-2.0-or-later
"""Values that follow from a rule, so that the record of a big capture stays small."""


def value(rule, instance, step):
    """(start + instance*spread + step*(rate + instance*drift)) modulo 2^bits; rule is a dict of these names."""
    return (rule['start'] + instance * rule['spread'] + step * (rule['rate'] + instance * rule['drift'])) % \
        (1 << rule['bits'])


def fold(block, rule, step):
    """Puts a rule in the place of a block's instances; they must be laid out regularly and follow the rule."""
    nodes = block.pop('instances')
    first = nodes[0]
    stride = nodes[1]['offset'] - first['offset']
    block['instances_by_rule'] = {
        'count': len(nodes), 'step': step, 'offset': first['offset'], 'stride': stride,
        'name_digits': len(first['name']) - 1, 'name_prefix': first['name'][0], 'Size': first['Size'],
        'data': [{'offset_in_instance': leaf['offset'] - first['offset'], 'dwDataSize': leaf['dwDataSize'],
                  'dwSize': leaf['dwSize'], 'counter_id': leaf['counter_id'],
                  'counter_type': leaf['counter_type'], 'rule': rule[leaf['counter_id']]}
                 for leaf in first['data']]}
    if expand(block) != nodes:
        raise ValueError('the block does not follow its rule')


def expand(block):
    """The instances of a block whose record has instances_by_rule."""
    by = block['instances_by_rule']
    nodes = []
    for number in range(by['count']):
        at = by['offset'] + number * by['stride']
        data = [{'offset': at + leaf['offset_in_instance'], 'dwDataSize': leaf['dwDataSize'],
                 'dwSize': leaf['dwSize'], 'counter_id': leaf['counter_id'], 'counter_type': leaf['counter_type'],
                 'value': value(leaf['rule'], number, by['step'])} for leaf in by['data']]
        nodes.append({'offset': at, 'Size': by['Size'], 'InstanceId': number,
                      'name': f"{by['name_prefix']}{number:0{by['name_digits']}}", 'data': data})
    return nodes
