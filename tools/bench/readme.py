#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readme.py - write the tables of results.json into a Markdown file.

usage: readme.py RESULTS.json FILE.md

Replaces what stands between the lines "<!-- bench: begin -->" and "<!-- bench: end -->".
"""

import json
import sys

from table import PEERS, figure, instructions, number, value_of

BEGIN, END = '<!-- bench: begin -->', '<!-- bench: end -->'

# What each line of the first table is: name, row, variant; wpool's cost and its peers'.
COSTS = (
    ('one producer, one by one', 1, 'single', 'single'),
    ('one producer, batches of 64', 1, 'batch', 'single'),
    ('one producer, `wpool_invoke()`', 1, 'invoke', 'single'),
    ('a producer per CPU', 2, 'single', 'single'),
    ('a tree of tasks', 4, 'tree', 'tree'),
    ('natively, one CPU, one by one', 10, 'single', 'single'),
    ('natively, one CPU, batches of 64', 10, 'batch', 'single'),
    ('natively, one CPU, a tree', 10, 'tree', 'tree'),
)
OTHERS = ('percpu', 'unbound', 'kworker', 'kthread')


def row_of(cells):
    return '| ' + ' | '.join(cells) + ' |'


def find(results, row, v, peer):
    boot = 'uml' if row == 10 else 'main'
    for one in results['measurements']:
        if (one['row'], one['variant'], one['peer'], one['boot']) == (row, v, peer, boot):
            return one
    return None


def costs(results):
    yield row_of(['a task that does nothing, ns', 'wpool', 'all CPUs', 'instructions'] +
                 [PEERS[peer] for peer in OTHERS])
    yield row_of(['---'] + ['---:'] * (3 + len(OTHERS)))
    for name, row, ours, theirs in COSTS:
        one = find(results, row, ours, 'wpool')
        if not one:
            continue
        cells = [name, f'{number(figure(one, "total_ns_per_task"))} '
                 f'({number(figure(one, "total_ns_per_task", "worst"))})',
                 number(figure(one, 'cpu_ns_per_task')), number(instructions(results, one))]
        for peer in OTHERS:
            cells.append(number(figure(find(results, row, theirs, peer), 'total_ns_per_task')))
        yield row_of(cells)


def limit(one, which):
    if one[which] is None:
        return ''
    mark = '≥' if one['better'] == 'more' else '≤'
    return f'{mark} {value_of(one[which], one["unit"])}' + \
        ('' if one[which + '_reached'] else ' **missed**')


def verdicts(results):
    yield row_of(['row', 'to reach', 'measured', 'bar', 'goal'])
    yield row_of(['---', '---', '---:', '---', '---'])
    for one in results['verdicts']:
        yield row_of([str(one['row']), one['what'],
                      value_of(one['value'], one['unit']),
                      limit(one, 'bar'), limit(one, 'goal')])


def section(results):
    run = results['run']
    machine = {'kvm': 'hardware virtualisation', 'tcg': 'an emulated machine'}
    yield f'Linux {run.get("kernel")}, {run.get("cpus")} CPUs, ' \
          f'{machine.get(run.get("accel"), run.get("accel"))}, ' \
          f'{run.get("rounds")} rounds: the median (and the worst) of them.'
    if run.get('quick') == '1':
        yield 'Smaller loads than `make bench` takes by itself (`QUICK=1`), also where a row names a larger one.'
    yield ''
    yield from costs(results)
    yield ''
    yield '"All CPUs" is the time in which CPUs were not idle, together; it can exceed the total, ' \
          'where several work at the same time.'
    yield ''
    yield from verdicts(results)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        results = json.load(file)
    with open(sys.argv[2], encoding='utf-8') as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f'{sys.argv[2]} has no lines {BEGIN} and {END}')
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write(before + BEGIN + '\n' + '\n'.join(section(results)) + '\n' + END + after)


if __name__ == '__main__':
    main()
