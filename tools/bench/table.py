#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py - show results.json as tables on the terminal.

usage: table.py RESULTS.json
"""

import json
import sys

PEERS = {'wpool': 'wpool', 'percpu': 'per-CPU workqueue', 'unbound': 'unbound workqueue',
         'kworker': 'kthread_worker', 'kthread': 'a kthread per task',
         'floor': 'bare wake_up_process', 'semaphore': 'per-CPU workqueue + semaphore'}

TITLES = {
    1: 'no-op tasks, one producer',
    2: 'no-op tasks, one producer per CPU',
    3: 'from submit to start, one task in flight',
    4: 'a fork-join tree of tasks',
    5: 'tasks that sleep',
    6: 'nine no-ops, one sleep of 1 ms',
    7: 'bounded: capacity 64, queue_depth 0, four producers',
    8: 'growth',
    9: 'memory and quiet',
    10: 'user-mode Linux: one CPU, nothing emulated',
}


def number(value):
    if value is None:
        return ''
    if value >= 10000 or value == int(value):
        return f'{value:,.0f}'
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:,.1f}'


def print_table(header, rows):
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    for row in [header] + rows:
        print('  ' + '  '.join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def figure(one, name, which='median'):
    found = one['figures'].get(name) if one else None
    return found[which] if found else None


def instructions(results, one):
    """The same measurement's count in the -icount boot."""
    for other in results['measurements']:
        if other['boot'] == 'icount' and all(
                other[key] == one[key] for key in ('row', 'case', 'variant', 'peer')):
            return figure(other, 'instructions_per_task')
    return None


def per_task(results, row, boot):
    rows = []
    for one in results['measurements']:
        if one['row'] != row or one['boot'] != boot \
                or 'total_ns_per_task' not in one['figures']:
            continue
        rows.append([one['variant'], PEERS.get(one['peer'], one['peer']),
                     number(figure(one, 'total_ns_per_task')),
                     number(figure(one, 'total_ns_per_task', 'worst')),
                     number(figure(one, 'submit_ns_per_task')),
                     # user-mode Linux counts run time in ticks
                     number(figure(one, 'submit_cpu_ns_per_task')) if boot == 'main' else '',
                     number(figure(one, 'cpu_ns_per_task')),
                     number(instructions(results, one)),
                     number(figure(one, 'workers'))])
    if rows:
        print_table(['', 'ns a task, median of rounds', 'total', 'worst', 'submit',
                     'submit CPU', 'all CPUs', 'instructions', 'workers'], rows)


def latency(results):
    rows = []
    for one in results['measurements']:
        if one['row'] != 3 or 'start_p50' not in one['figures']:
            continue
        rows.append([one['variant'], PEERS.get(one['peer'], one['peer'])] +
                    [number(figure(one, f'{what}_{which}'))
                     for what in ('start', 'enqueue')
                     for which in ('p50', 'p90', 'p99', 'max')] +
                    [number(1e9 * one['params']['n'] / figure(one, 'total_ns'))
                     if one['variant'] == 'busy' else ''])
    if rows:
        print_table(['', 'ns, median of rounds', 'start p50', 'p90', 'p99', 'max',
                     'enqueue p50', 'p90', 'p99', 'max', 'items/s'], rows)
    rows = [[one['variant'], PEERS.get(one['peer'], one['peer'])] +
            [number(figure(one, f'{what}_{which}_instructions'))
             for what in ('start', 'enqueue') for which in ('p50', 'p90', 'p99')]
            for one in results['measurements']
            if one['row'] == 3 and 'start_p50_instructions' in one['figures']]
    if rows:
        print()
        print_table(['', 'instructions, median of rounds', 'start p50', 'p90', 'p99',
                     'enqueue p50', 'p90', 'p99'], rows)


def milliseconds(value):
    return number(value / 1e6) if value is not None else ''


def sleeping(results):
    rows = [[one['variant'], PEERS.get(one['peer'], one['peer']),
             number(one['params']['n']),
             milliseconds(figure(one, 'floor_ns')),
             milliseconds(figure(one, 'total_ns')),
             milliseconds(figure(one, 'total_ns', 'worst')),
             milliseconds(figure(one, 'cpu_ns')),
             number(figure(one, 'workers')),
             number(figure(one, 'used_bytes') / 2 ** 20)]
            for one in results['measurements'] if one['row'] == 5]
    if rows:
        print_table(['', 'ms, median of rounds', 'tasks', 'floor', 'total', 'worst',
                     'all CPUs', 'workers', 'MiB used'], rows)


def mixed(results):
    rows = []
    for one in results['measurements']:
        if one['row'] != 6:
            continue
        peer = PEERS.get(one['peer'], one['peer'])
        if 'handoff' in one['params']:
            peer += ', hand-off ' + ('off', 'on')[one['params']['handoff']]
        noops = one['params']['n'] * 9 / 10
        rows.append([one['variant'].replace('_', ' '), peer,
                     number(1e9 * noops / figure(one, 'noop_ns')),
                     number(1e9 * noops / figure(one, 'noop_ns', 'worst')),
                     milliseconds(figure(one, 'total_ns')),
                     milliseconds(figure(one, 'cpu_ns')),
                     number(figure(one, 'workers')), number(figure(one, 'handoffs'))])
    if rows:
        print_table(['', 'median of rounds', 'no-ops/s', 'worst', 'all done, ms',
                     'all CPUs, ms', 'workers', 'hand-offs'], rows)


def growth(results):
    rows = []
    for one in results['measurements']:
        if one['row'] != 8:
            continue
        params = one['params']
        if one['boot'] == 'main':
            how_many = params.get('pools', params['n'])
            rows.append([{'tasks': 'tasks', 'pools': 'pools, one used',
                          'spread': 'pools, in turn'}.get(one['variant'], one['variant']),
                         PEERS.get(one['peer'], one['peer']), number(how_many),
                         number(figure(one, 'total_ns_per_task')),
                         number(figure(one, 'total_ns_per_task', 'worst')), ''])
        else:
            rows.append([one['variant'].replace('_', ', '), PEERS.get(one['peer'], one['peer']),
                         one['boot'][len('cpus'):], '', '',
                         number(figure(one, 'instructions_per_task'))])
    if rows:
        print_table(['', 'ns a task, median of rounds', 'how many', 'total', 'worst',
                     'instructions'], rows)


def memory(results):
    rows = []
    for one in results['measurements']:
        if one['row'] == 9 and one['variant'] == 'memory' and one['peer'] == 'wpool':
            cpus = one['boot'][len('cpus'):] if one['boot'] != 'main' else results['run']['cpus']
            rows.append([f'{cpus} CPUs', 'bytes'] + [number(figure(one, name)) for name in
                        ('pool_bytes', 'worker_bytes', 'task_bytes', 'queued_bytes')])
    if rows:
        print_table(['', '', 'a pool', 'an idle worker', 'a task', 'to queue it'], rows)
    for one in results['measurements']:
        if one['row'] == 9 and one['variant'] == 'memory' and one['peer'] != 'wpool' and \
                one['boot'] == 'main':
            print(f'  an {PEERS[one["peer"]]} with its files in sysfs: '
                  f'{number(figure(one, "pool_bytes"))} bytes')
        if one['row'] == 9 and one['variant'] == 'quiet' and one['boot'] == 'main':
            print(f'  a used pool in {one["params"]["seconds"]} s of quiet: '
                  f'{number(figure(one, "quiet_switches"))} wake-ups of '
                  f'{number(figure(one, "quiet_threads"))} threads')


def value_of(value, unit):
    text = f'{value:.2f}' if unit == 'x' else number(value)
    return f'{text} {unit}'.rstrip()


def show_verdicts(results, row):
    rows = []
    for one in results['verdicts']:
        if one['row'] != row:
            continue
        cells = []
        for which in ('bar', 'goal'):
            if one[which] is None:
                cells += ['', '']
            else:
                limit = '>= ' if one['better'] == 'more' else '<= '
                cells += [limit + value_of(one[which], one['unit']),
                          'reached' if one[which + '_reached'] else 'MISSED']
        rows.append(['', one['what'], value_of(one['value'], one['unit'])] + cells)
    if rows:
        print()
        print_table(['', 'to reach', '', 'bar', '', 'goal', ''], rows)


def icount_only(results, row):
    rows = [[one['variant'], PEERS.get(one['peer'], one['peer']),
             number(figure(one, 'instructions_per_task')),
             number(figure(one, 'instructions_per_task', 'best')),
             number(figure(one, 'instructions_per_task', 'worst'))]
            for one in results['measurements']
            if one['row'] == row and one['boot'] == 'icount']
    if rows:
        print_table(['', 'instructions a task', 'median', 'best', 'worst'], rows)


OF_ROW = {3: latency, 5: sleeping, 6: mixed, 8: growth, 9: memory}


def show(results):
    boots = {one['boot'] for one in results['measurements']}
    for row in sorted({one['row'] for one in results['measurements']}):
        print(f'\nrow {row}: {TITLES.get(row, "")}')
        if row in OF_ROW:
            OF_ROW[row](results)
        elif boots == {'icount'}:
            icount_only(results, row)
        else:
            per_task(results, row, 'uml' if row == 10 else 'main')
        show_verdicts(results, row)
    for one in results['failed']:
        print(f'\nFAILED ({one["boot"]}): {one["what"]}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        show(json.load(file))


if __name__ == '__main__':
    main()
