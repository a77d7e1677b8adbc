#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py - show results.json as tables on the terminal.

usage: table.py RESULTS.json
"""

import json
import sys

from results import NEAR_NS

PEERS = {'wpool': 'wpool', 'percpu': 'per-CPU workqueue', 'unbound': 'unbound workqueue',
         'kworker': 'kthread_worker', 'kthread': 'a kthread per task',
         'floor': 'bare wake_up_process', 'semaphore': 'per-CPU workqueue + semaphore',
         'bounded': 'unbound workqueue + semaphore',
         'timer': 'bare timers', 'fifo': 'wpool, if first in, first out', 'thread': 'a kthread per connection'}

TITLES = {
    24: 'events: armed, due after 10 ms, fired',
    26: 'a submitter that computes as long as its tasks',
    27: 'a pool, or a thread for each task',
    28: 'the kernel\'s own benchmark of workqueues: a producer a CPU, one in flight each',
    29: 'shapes that users have',
    30: 'shapes that users have, on one CPU',
    1: 'no-op tasks, one producer',
    2: 'no-op tasks, one producer per CPU',
    3: 'from submit to start, one task in flight',
    4: 'a fork-join tree of tasks',
    5: 'tasks that sleep',
    6: 'nine no-ops, one sleep of 1 ms',
    7: 'bounded: capacity 64, queue_depth 0, four producers',
    8: 'growth',
    9: 'memory and quiet',
    10: 'no-op tasks and a tree, on one CPU',
    11: 'a burst of no-op tasks for a pool that sleeps, until the last has run',
    12: 'clients that submit and wait',
    13: 'tasks that are allocated, submitted, and freed by their function',
    14: 'tasks that compute, one producer',
    15: 'a mix: 90 % of 0.5 us, 9 % of 10 us, 1 % of 100 us',
    16: 'a timer interrupt that submits every 200 us',
    17: 'a full queue: 4 workers, queue_depth 1,000, tasks of 500 us',
    18: 'the default pool, capacity 256 and queue_depth 0, on 8 CPUs',
    19: 'two tasks of 9 ms, submitted on one CPU by an interrupt, 100 us apart',
    20: '500 tasks that wait for each other, while other threads compute',
    21: 'HTTP over loopback: connections that stay, that end, that wait for a handler of 10 ms',
    22: 'several pools behind one handle, together as large as the one',
    23: '1,000 pools destroyed, each of which has a worker',
    25: 'the order of tasks: how many that were submitted later started before one',
}


# The loads of row 21.
HTTP_LOADS = {
    'keep_1': '1 connection', 'keep_16': '16 connections', 'keep_256': '256 connections',
    'keep_2000': '2,000 connections', 'short_64': '64 clients, a connection per request',
    'slow_512': '512 connections, a handler of 10 ms',
    'served_500': 'until 500 connections were served once, a handler of 10 ms',
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
    # A column that nobody has anything for: near and far, where there is no such thing.
    kept = [i for i, title in enumerate(header) if i < 2 or not title or any(row[i] for row in rows)]
    header, rows = [header[i] for i in kept], [[row[i] for i in kept] for row in rows]
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    for row in [header] + rows:
        print('  ' + '  '.join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def figure(one, name, which='median', state=None):
    if not one:
        return None
    figures = one['states'].get(state, {}).get('figures', {}) if state else one['figures']
    return figures[name][which] if name in figures else None


def machine_text(run, machine):
    """A machine in words."""
    if machine == 'native':
        return f'natively, Linux {run.get("native_kernel", "?")} on the processor itself'
    if run.get('accel') == 'none':
        return f'Linux {run.get("kernel", "?")} itself on {run.get("processor") or "?"}'
    how = {'kvm': 'hardware virtualisation', 'tcg': 'emulated'}
    return f'QEMU, Linux {run.get("kernel", "?")}, {how.get(run.get("accel"), "?")}'


# Which boot of a machine has a row's figures in time.
def boots_of(row):
    if row in (10, 30):
        return ('native1',)
    if row == 21:
        return ('nativehttp', 'http')
    return ('wide',) if row == 18 else ('native', 'main')


def trips_ns(results, state):
    """A cache line's round trips that were seen in a state of the machine."""
    return sorted(one[f'c2c_{when}_ns'] for m in results['measurements']
                  if state in m['states'] for one in m['raw'] for when in ('before', 'after')
                  if f'c2c_{when}_ns' in one and
                  (one[f'c2c_{when}_ns'] < NEAR_NS) == (state == 'near') and
                  one[f'c2c_{when}_ns'])


def instructions(results, one):
    """The same measurement's count in the -icount boot."""
    for other in results['measurements']:
        if other['boot'] == {'wide': 'cpus8'}.get(one['boot'], 'icount') and all(
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
                     number(figure(one, 'total_ns_per_task', state='near')),
                     number(figure(one, 'total_ns_per_task', state='far')),
                     number(figure(one, 'submit_ns_per_task')),
                     # user-mode Linux counts run time in ticks
                     '' if boot.startswith('native') else
                     number(figure(one, 'submit_cpu_ns_per_task')),
                     number(figure(one, 'cpu_ns_per_task')),
                     number(instructions(results, one)),
                     number(figure(one, 'workers'))])
    if rows:
        print_table(['', 'ns a task, median of rounds', 'total', 'worst', 'near', 'far',
                     'submit', 'submit CPU', 'all CPUs', 'instructions', 'workers'], rows)


def latency(results, row, boot):
    rows = []
    for one in results['measurements']:
        if one['row'] != 3 or one['boot'] != boot or 'start_p50' not in one['figures']:
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
            for one in results['measurements'] if boot == 'main' and
            one['row'] == 3 and 'start_p50_instructions' in one['figures']]
    if rows:
        print()
        print_table(['', 'instructions, median of rounds', 'start p50', 'p90', 'p99',
                     'enqueue p50', 'p90', 'p99'], rows)


def milliseconds(value):
    return number(value / 1e6) if value is not None else ''


def sleeping(results, row, boot):
    rows = [[one['variant'], PEERS.get(one['peer'], one['peer']),
             number(one['params']['n']),
             milliseconds(figure(one, 'floor_ns')),
             milliseconds(figure(one, 'total_ns')),
             milliseconds(figure(one, 'total_ns', 'worst')),
             milliseconds(figure(one, 'cpu_ns')),
             number(figure(one, 'workers')),
             number(figure(one, 'used_bytes') / 2 ** 20)]
            for one in results['measurements'] if one['row'] == 5 and one['boot'] == boot]
    if rows:
        print_table(['', 'ms, median of rounds', 'tasks', 'floor', 'total', 'worst',
                     'all CPUs', 'workers', 'MiB used'], rows)


def each(results, row, boot):
    rows = [[one['variant'].replace('_', ', '), PEERS.get(one['peer'], one['peer']),
             number(one['params']['n']),
             milliseconds(figure(one, 'floor_ns')),
             milliseconds(figure(one, 'total_ns')),
             milliseconds(figure(one, 'total_ns', 'worst')),
             milliseconds(figure(one, 'cpu_ns')),
             number(figure(one, 'peak_max')),
             number(figure(one, 'peak_bytes') / 2 ** 20),
             number(figure(one, 'refused') or None)]
            for one in results['measurements'] if one['row'] == row and one['boot'] == boot]
    if rows:
        print_table(['', 'ms, median of rounds', 'tasks', 'floor', 'total', 'worst', 'all CPUs',
                     'most under way', 'MiB at most', 'refused'], rows)
    for one in results['measurements']:
        if one['row'] == row and 'allocs_per_task' in one['figures']:
            print(f'  allocations a task ({one["boot"]}, {one["variant"].replace("_", ", ")}), '
                  f'{PEERS[one["peer"]]}: {figure(one, "allocs_per_task"):.2f}')


def mixed(results, row, boot):
    rows = []
    for one in results['measurements']:
        if one['row'] != 6 or one['boot'] != boot:
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


def growth(results, row, boot):
    rows = []
    for one in results['measurements']:
        if one['row'] != 8 or one['boot'] != boot and not one['boot'].startswith('cpus'):
            continue
        params = one['params']
        if one['boot'] == boot:
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


def memory(results, row, boot):
    rows = []
    for one in results['measurements']:
        counted = one['boot'].startswith('cpus')
        if one['row'] == 9 and one['variant'] == 'memory' and one['peer'] == 'wpool' and \
                (counted and boot == 'main' or one['boot'] == boot):
            cpus = one['boot'][len('cpus'):] if counted else results['run']['cpus']
            rows.append([f'{cpus} CPUs', 'bytes'] + [number(figure(one, name)) for name in
                        ('pool_bytes', 'worker_bytes', 'task_bytes', 'queued_bytes')])
    if rows:
        print_table(['', '', 'a pool', 'an idle worker', 'a task', 'to queue it'], rows)
    for one in results['measurements']:
        if one['row'] == 9 and one['variant'] == 'memory' and one['peer'] != 'wpool' and \
                one['boot'] == boot:
            print(f'  an {PEERS[one["peer"]]} with its files in sysfs: '
                  f'{number(figure(one, "pool_bytes"))} bytes')
        if one['row'] == 9 and one['variant'] == 'rest' and one['boot'] in (boot, 'cpus2'):
            print(f'  at rest ({one["boot"]}): {number(figure(one, "rest_threads"))} threads, '
                  f'{number(figure(one, "rest_bytes"))} bytes, the module\'s '
                  f'{number(figure(one, "module_bytes"))} among them')
        if one['row'] == 9 and one['variant'] == 'quiet' and one['boot'] == boot:
            print(f'  a used pool in {one["params"]["seconds"]} s of quiet: '
                  f'{number(figure(one, "quiet_switches"))} wake-ups of '
                  f'{number(figure(one, "quiet_threads"))} threads')


def value_of(value, unit):
    text = f'{value:.2f}' if unit == 'x' else number(value)
    return f'{text} {unit}'.rstrip()


def show_verdicts(results, row, machine):
    rows = []
    for one in results['verdicts']:
        if (one['row'], one['machine']) != (row, machine):
            continue
        cells = [value_of(one[state], one['unit']) if one[state] is not None else ''
                 for state in ('near', 'far')]
        for which in ('bar', 'goal'):
            if one[which] is None:
                cells += ['', '']
            else:
                limit = '>= ' if one['better'] == 'more' else '<= '
                cells += [limit + value_of(one[which], one['unit']),
                          'reached' if one[which + '_reached'] else 'MISSED']
        if one.get('only_here'):
            cells[3] += ', but not natively'
        rows.append(['', one['what'], value_of(one['value'], one['unit'])] + cells)
    if rows:
        print()
        print_table(['', 'to reach', 'all', 'near', 'far', 'bar', '', 'goal', ''], rows)


def icount_only(results, row):
    rows = [[one['variant'], PEERS.get(one['peer'], one['peer']),
             number(figure(one, 'instructions_per_task')),
             number(figure(one, 'instructions_per_task', 'best')),
             number(figure(one, 'instructions_per_task', 'worst'))]
            for one in results['measurements']
            if one['row'] == row and one['boot'] == 'icount']
    if rows:
        print_table(['', 'instructions a task', 'median', 'best', 'worst'], rows)


def columns(results, row, boot, unit, wanted):
    """A table of figures: (title, name, what one is divided by). With near and far of the first."""
    rows = []
    for one in results['measurements']:
        if one['row'] != row or one['boot'] != boot or wanted[0][1] not in one['figures']:
            continue
        _, first, by = wanted[0]
        cells = [figure(one, name) / scale if figure(one, name) is not None else None
                 for _, name, scale in wanted]
        cells += [figure(one, first, state=state) / by
                  if figure(one, first, state=state) is not None else None
                  for state in ('near', 'far')]
        rows.append([one['variant'].replace('_', ' '), PEERS.get(one['peer'], one['peer'])] +
                    [number(cell) for cell in cells])
    if rows:
        print_table(['', f'{unit}, median of rounds'] + [title for title, _, _ in wanted] +
                    ['near', 'far'], rows)


def percentiles(name, what):
    return [(f'{what} p50', f'{name}_p50', 1e3), ('p90', f'{name}_p90', 1e3),
            ('p99', f'{name}_p99', 1e3), ('max', f'{name}_max', 1e3)]


def bursts(results, row, boot):
    columns(results, row, boot, 'us', percentiles('burst', 'done') +
            [('submits p50', 'enqueue_p50', 1e3)])


def clients(results, row, boot):
    columns(results, row, boot, 'us', percentiles('trip', 'trip') +
            [('a trip of all clients', 'total_ns_per_task', 1e3)])


def computing(results, row, boot):
    columns(results, row, boot, 'ms', [('total', 'total_ns', 1e6), ('ideal', 'ideal_ns', 1e6),
                                       ('CPU time', 'cpu_ns', 1e6), ('work', 'work_ns', 1e6),
                                       ('submits', 'submit_ns', 1e6)])


def interrupts(results, row, boot):
    columns(results, row, boot, 'us', percentiles('start', 'start') +
            percentiles('enqueue', 'submit'))


def queues(results, row, boot):
    columns(results, row, boot, 'ms', percentiles('wait', 'wait') +
            percentiles('fifo', 'first in, first out') + [('total', 'total_ns', 1e6)])


def orders(results, row, boot):
    columns(results, row, boot, 'overtaken by', [('p99', 'overtaken_p99', 1),
                                                 ('most', 'overtaken_max', 1),
                                                 ('wait p99, ms', 'wait_p99', 1e3),
                                                 ('in order', 'fifo_p99', 1e3),
                                                 ('wait max, ms', 'wait_max', 1e3),
                                                 ('in order', 'fifo_max', 1e3)])


def pairs(results, row, boot):
    columns(results, row, boot, 'ms', [('both done p50', 'pair_p50', 1e6), ('p90', 'pair_p90', 1e6),
                                       ('max', 'pair_max', 1e6)])


def besides(results, row, boot):
    columns(results, row, boot, 'us', [('all done p50', 'beside_p50', 1e3), ('p90', 'beside_p90', 1e3),
                                       ('started p50', 'start_p50', 1e3)])


def shapes(results, row, boot):
    columns(results, row, boot, 'ns', [('a task', 'total_ns_per_task', 1),
                                       ('CPU time', 'cpu_ns_per_task', 1)])
    columns(results, row, boot, 'us', percentiles('trip', 'trip') +
            percentiles('enqueue', 'submit'))
    columns(results, row, boot, 'us', percentiles('beside', 'all done'))


def crowds(results, row, boot):
    columns(results, row, boot, 'ms', [('all have started', 'total_ns', 1e6)])


def several(results, row, boot):
    columns(results, row, boot, 'ms', [('total', 'total_ns', 1e6), ('CPU time', 'cpu_ns', 1e6),
                                       ('submits', 'submit_ns', 1e6)])


def destroying(results, row, boot):
    columns(results, row, boot, 'ms', [('all gone', 'total_ns', 1e6), ('made', 'create_ns', 1e6)])


def events(results, row, boot):
    columns(results, row, boot, 'ms', [('until all have run', 'total_ns', 1e6),
                                       ('arming them', 'submit_ns', 1e6),
                                       ('CPU time', 'cpu_ns', 1e6)])
    columns(results, row, boot, 'ms, of armed ones',
            [('arming', 'arm_ns', 1e6), ('cancelling', 'cancel_sync_ns', 1e6),
             ('MB used', 'used_bytes', 1e6), ('workers made', 'spawned', 1),
             ('wake-ups', 'quiet_switches', 1)])
    columns(results, row, boot, 'us', percentiles('fire', 'fire to start') +
            percentiles('submit', 'submit to start'))


def serving(results, row, boot):
    rows = []
    for one in results['measurements']:
        if one['row'] == row and one['boot'] == boot and 'per_request_ns' in one['figures']:
            rate = [figure(one, 'per_request_ns', which) for which in ('median', 'worst')]
            rows.append([HTTP_LOADS[one['variant']], PEERS[one['peer']]] +
                        [number(1e9 / ns) for ns in rate] +
                        [milliseconds(figure(one, f'request_{which}'))
                         for which in ('p50', 'p90', 'p99')] +
                        [milliseconds(figure(one, 'request_p99', 'worst')),
                         milliseconds(figure(one, 'request_max'))])
    if rows:
        print_table(['', 'median of rounds', 'requests/s', 'worst', 'ms: p50', 'p90', 'p99',
                     'worst p99', 'max'], rows)
    rows = [[HTTP_LOADS[one['variant']], PEERS[one['peer']]] +
            [milliseconds(figure(one, name)) for name in ('first_p50', 'first_p99', 'served_ns')] +
            [milliseconds(figure(one, 'served_ns', 'worst'))]
            for one in results['measurements']
            if one['row'] == row and one['boot'] == boot and 'served_ns' in one['figures']]
    if rows:
        print()
        print_table(['', 'ms until the first answer, median of rounds', 'p50', 'p99', 'all',
                     'worst'], rows)


OF_ROW = {3: latency, 5: sleeping, 6: mixed, 8: growth, 9: memory, 11: bursts, 12: clients,
          14: computing, 15: computing, 16: interrupts, 17: queues, 19: pairs,
          20: crowds, 21: serving, 22: several, 23: destroying, 24: events, 25: orders,
          26: besides, 27: each, 28: shapes, 29: shapes, 30: shapes}


def states_text(results):
    """How far the CPUs were from each other, in words; '' if nobody looked."""
    parts = []
    for state in ('near', 'far'):
        trips = trips_ns(results, state)
        if trips:
            parts.append(f'{state}: {trips[len(trips) // 2]:,} ns [{trips[0]:,} to {trips[-1]:,}]')
    return '; '.join(parts)


def show(results):
    boots = {one['boot'] for one in results['measurements']}
    if states_text(results):
        print(f'a cache line from one CPU to the other and back, {states_text(results)}')
    for row in sorted({one['row'] for one in results['measurements']}):
        for boot in boots_of(row):
            of_row = {one['boot'] for one in results['measurements'] if one['row'] == row}
            if boot not in of_row and not (boot == 'main' and 'native' not in of_row):
                continue
            machine = 'native' if boot.startswith('native') else 'qemu'
            print(f'\nrow {row}: {TITLES.get(row, "")} [{machine_text(results["run"], machine)}]')
            if row in OF_ROW:
                OF_ROW[row](results, row, boot)
            elif boots == {'icount'}:
                icount_only(results, row)
            else:
                per_task(results, row, boot)
            show_verdicts(results, row, machine)
    for one in results['failed']:
        print(f'\nFAILED ({one["boot"]}): {one["what"]}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        show(json.load(file))


if __name__ == '__main__':
    main()
