#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py - show results.json as tables on the terminal.

usage: table.py RESULTS.json
"""

import json
import sys

from plan import ROWS
from results import NEAR_NS, is_icount, machine_of

PEERS = {'wpool': 'wpool', 'percpu': 'per-CPU workqueue', 'unbound': 'unbound workqueue',
         'kworker': 'kthread_worker', 'kthread': 'a kthread per task',
         'floor': 'bare wake_up_process', 'semaphore': 'per-CPU workqueue + semaphore',
         'bounded': 'unbound workqueue + semaphore', 'padata': 'padata',
         'timer': 'bare timers', 'fifo': 'wpool, if first in, first out', 'thread': 'a kthread per connection'}

TITLES = {number: row.title for number, row in ROWS.items()}

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
    if value >= 100 or value == int(value):
        return f'{value:,.0f}'
    return f'{value:,.1f}'


def print_table(header, rows):
    # Leave out columns without values, such as near and far if the state was not measured.
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
    """The description of a machine, for a title."""
    if machine == 'native':
        return f'natively, Linux {run.get("native_kernel", "?")} on the processor itself'
    if run.get('accel') == 'none':
        return f'Linux {run.get("kernel", "?")} itself on {run.get("processor") or "?"}'
    how = {'kvm': 'hardware virtualisation', 'tcg': 'emulated'}
    return f'QEMU, Linux {run.get("kernel", "?")}, {how.get(run.get("accel"), "?")}'


# The boots that measure times of a row.
def boots_of(row):
    if row in (10, 30):
        return ('native1',)
    if row == 21:
        return ('nativehttp', 'http')
    return ('wide',) if row == 18 else ('native', 'main')


def trips_ns(results, state):
    """The round trips of a cache line in all measurements of a state, near or far, sorted."""
    return sorted(one[f'c2c_{when}_ns'] for m in results['measurements']
                  if state in m['states'] for one in m.get('raw', ()) for when in ('before', 'after')
                  if f'c2c_{when}_ns' in one and
                  (one[f'c2c_{when}_ns'] < NEAR_NS) == (state == 'near') and
                  one[f'c2c_{when}_ns'])


def instructions(results, one):
    """The instructions per task that the -icount boot has for the measurement."""
    for other in results['measurements']:
        if other['boot'] == {'wide': 'cpus8'}.get(one['boot'], 'icount') and all(
                other[key] == one[key] for key in ('row', 'case', 'variant', 'peer')):
            return figure(other, 'instructions_per_task')
    return None


# ---- the columns: each a title, and a function that makes the cell of a measurement ----

def column(title, name, by=1, which='median', state=None):
    def cell(one):
        value = figure(one, name, which, state)
        return None if value is None else value / by
    return title, cell


def param(title, *names):
    return title, lambda one: next((one['params'][name] for name in names if name in one['params']),
                                   None)


def rate(title, name, share=None, which='median'):
    """A column of rates a second: of a share of the n tasks, or of one task."""
    def cell(one):
        value = figure(one, name, which)
        return 1e9 * (share * one['params']['n'] if share else 1) / value if value else None
    return title, cell


def percentiles(name, what, by=1e3, wanted=('p50', 'p90', 'p99', 'max')):
    return [column(f'{what} {which}' if which == wanted[0] else which, f'{name}_{which}', by)
            for which in wanted]


def near_and_far(name, by=1):
    return [column(state, name, by, state=state) for state in ('near', 'far')]


def worst(name, by=1):
    return column('worst', name, by, which='worst')


TASK = 'total_ns_per_task'
PER_TASK = ('ns a task', [
    column('total', TASK), worst(TASK), *near_and_far(TASK), column('submit', 'submit_ns_per_task'),
    # not for user-mode Linux, which counts run time in ticks
    ('submit CPU', lambda one: None if one['boot'].startswith('native') else
     figure(one, 'submit_cpu_ns_per_task')),
    column('all CPUs', 'cpu_ns_per_task'), ('instructions', 'counted'), column('workers', 'workers')])
MS = [column('total', 'total_ns', 1e6), worst('total_ns', 1e6), *near_and_far('total_ns', 1e6),
      column('floor', 'floor_ns', 1e6), column('ideal', 'ideal_ns', 1e6),
      column('CPU time', 'cpu_ns', 1e6), column('work', 'work_ns', 1e6),
      column('submits', 'submit_ns', 1e6)]
ENQUEUE = percentiles('enqueue', 'submit')
WAITS = percentiles('wait', 'wait') + percentiles('fifo', 'first in, first out')
SHAPES = [('ns', [column('a task', TASK), *near_and_far(TASK), column('CPU time', 'cpu_ns_per_task')]),
          ('us', percentiles('trip', 'trip') + ENQUEUE), ('us', percentiles('beside', 'all done'))]

# The tables of each row of measurements, each with its unit. A line without figures in the first
# two columns is left out. Rows that are not listed have the table PER_TASK.
SHOWN = {
    3: [('ns', percentiles('start', 'start', 1) + percentiles('enqueue', 'submit', 1) +
         [rate('items/s', 'total_ns', 1)])],
    5: [('ms', [param('tasks', 'n')] + MS + [column('workers', 'workers'),
                                            column('MiB used', 'used_bytes', 2 ** 20)])],
    6: [('', [rate('no-ops/s', 'noop_ns', 0.9), rate('worst', 'noop_ns', 0.9, 'worst'),
              param('hand-off', 'handoff'), column('all done, ms', 'total_ns', 1e6),
              column('all CPUs, ms', 'cpu_ns', 1e6), column('workers', 'workers'),
              column('hand-offs', 'handoffs')])],
    8: [('ns a task', [column('total', TASK), worst(TASK), param('how many', 'pools', 'n')])],
    9: [('bytes', [column('a pool', 'pool_bytes'), column('an idle worker', 'worker_bytes'),
                   column('a task', 'task_bytes'), column('to queue it', 'queued_bytes')]),
        ('at rest', [column('threads', 'rest_threads'), column('bytes', 'rest_bytes'),
                     column('of the module', 'module_bytes')]),
        ('a used pool', [column('wake-ups', 'quiet_switches'), column('threads', 'quiet_threads'),
                         param('seconds', 'seconds')])],
    11: [('us', percentiles('burst', 'done') + near_and_far('burst_p50', 1e3) +
          [column('submits p50', 'enqueue_p50', 1e3)])],
    12: [('us', percentiles('trip', 'trip') + near_and_far('trip_p50', 1e3) +
          [column('a trip of all clients', TASK, 1e3)])],
    14: [('ms', MS)], 15: [('ms', MS)],
    16: [('us', percentiles('start', 'start') + near_and_far('start_p50', 1e3) + ENQUEUE)],
    17: [('ms', WAITS + near_and_far('wait_p50', 1e3) + [column('total', 'total_ns', 1e6)])],
    19: [('ms', percentiles('pair', 'both done', 1e6) + near_and_far('pair_p50', 1e6))],
    20: [('ms', MS)],
    21: [('ms', [rate('requests/s', 'per_request_ns'), rate('worst', 'per_request_ns', which='worst')] +
          percentiles('request', 'answer', 1e6) + [column('worst p99', 'request_p99', 1e6, 'worst')]),
         ('ms until the first answer', [column('all', 'served_ns', 1e6), worst('served_ns', 1e6)] +
          percentiles('first', 'one', 1e6, ('p50', 'p99')))],
    22: [('ms', MS)],
    23: [('ms', MS[:4] + [column('made', 'create_ns', 1e6)])],
    24: [('ms', MS[:4] + [column('arming them', 'submit_ns', 1e6), column('CPU time', 'cpu_ns', 1e6)]),
         ('ms, of armed ones', [
             column('arming', 'arm_ns', 1e6), column('cancelling', 'cancel_sync_ns', 1e6),
             column('MB used', 'used_bytes', 1e6), column('workers made', 'spawned'),
             column('wake-ups', 'quiet_switches')]),
         ('us', percentiles('fire', 'fire to start') + percentiles('submit', 'submit to start'))],
    25: [('overtaken by', [column('p99', 'overtaken_p99'), column('most', 'overtaken_max')]),
         ('ms', WAITS)],
    26: [('us', percentiles('beside', 'all done') + near_and_far('beside_p50', 1e3) +
          [column('started p50', 'start_p50', 1e3)])],
    27: [('ms', [param('tasks', 'n')] + MS[:7] + [
        column('most under way', 'peak_max'), column('MiB at most', 'peak_bytes', 2 ** 20),
        column('refused', 'refused')])],
    28: SHAPES, 29: SHAPES, 30: SHAPES,
    32: [('ms', [column('total', 'total_ns', 1e6),
                 column('queued beside a parked worker', 'parked_ns', 1e6)]),
         ('us', percentiles('start', 'start'))],
    33: [('ms', MS)],
}
SHOWN[31] = SHOWN[25]

# The table of boots that count instructions.
COUNTED = ('', [
    ('boot', lambda one: one['boot']), param('how many', 'pools', 'n'),
    column('instructions a task', 'instructions_per_task'),
    column('best', 'instructions_per_task', which='best'), worst('instructions_per_task'),
    *[column(f'{name} {which}', f'{name}_{which}_instructions') for name in ('start', 'enqueue')
      for which in ('p50', 'p90', 'p99')],
    column('allocations a task', 'allocs_per_task')])


def show_table(results, measurements, unit, columns):
    rows = []
    for one in measurements:
        cells = [instructions(results, one) if cell == 'counted' else cell(one) for _, cell in columns]
        if all(cell is None for cell in cells[:2]):
            continue
        v = HTTP_LOADS.get(one['variant'], one['variant'].replace('_', ' '))
        rows.append([v, PEERS.get(one['peer'], one['peer'])] +
                    [cell if isinstance(cell, str) else number(cell) for cell in cells])
    if rows:
        print_table(['', f'{unit}, median of rounds'.lstrip(', ')] + [title for title, _ in columns], rows)


def value_of(value, unit):
    text = f'{value:.2f}' if unit in ('x', '%') else number(value)
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


def states_text(results):
    """The round trips near and far, in words; '' if they were not measured."""
    parts = []
    for state in ('near', 'far'):
        trips = trips_ns(results, state)
        if trips:
            parts.append(f'{state}: {trips[len(trips) // 2]:,} ns [{trips[0]:,} to {trips[-1]:,}]')
    return '; '.join(parts)


def show(results):
    if states_text(results):
        print(f'a cache line from one CPU to the other and back, {states_text(results)}')
    for row in sorted({one['row'] for one in results['measurements']}):
        of_row = [one for one in results['measurements'] if one['row'] == row]
        for boot in boots_of(row):
            timed = [one for one in of_row if one['boot'] == boot]
            machine = machine_of(boot)
            if timed:
                print(f'\nrow {row}: {TITLES.get(row, "")} [{machine_text(results["run"], machine)}]')
                for unit, columns in SHOWN.get(row, [PER_TASK]):
                    show_table(results, timed, unit, columns)
                show_verdicts(results, row, machine)
        counted = [one for one in of_row if is_icount(one['boot'])]
        if counted:
            print(f'\nrow {row}: {TITLES.get(row, "")} [counted]')
            for unit, columns in SHOWN[9] if row == 9 else [COUNTED]:
                show_table(results, counted, unit, columns)
    for one in results['failed']:
        print(f'\nFAILED ({one["boot"]}): {one["what"]}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        show(json.load(file))


if __name__ == '__main__':
    main()
