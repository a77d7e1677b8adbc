#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""table.py - show results.json as tables on the terminal.

usage: table.py show RESULTS.json
"""

import re

import bars
from plan import ROWS
from results import NEAR_NS, command_of, each_of, is_icount, machine_of, read_json

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


def print_table(header, rows, left=2):
    # Leave out columns without values, such as near and far if the state was not measured.
    kept = [i for i, title in enumerate(header) if i < left or not title or any(row[i] for row in rows)]
    header, rows = [header[i] for i in kept], [[row[i] for i in kept] for row in rows]
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    for row in [header] + rows:
        print('  ' + '  '.join(
            cell.ljust(width) if i < left else cell.rjust(width)
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


def trips_ns(results, state):
    """The round trips of a cache line in all measurements of a state, near or far, sorted."""
    return sorted(one[f'c2c_{when}_ns'] for m in each_of(results)
                  if state in m['states'] for one in m.get('raw', ()) for when in ('before', 'after')
                  if f'c2c_{when}_ns' in one and
                  (one[f'c2c_{when}_ns'] < NEAR_NS) == (state == 'near') and
                  one[f'c2c_{when}_ns'])


# Figures that explain others.
UNSHOWN = re.compile('c2c_|submit_cpu_|stolen')
# What is shown of the first figure of a table beside its median.
OF_FIRST = {'worst': ('worst', None), 'near': ('median', 'near'), 'far': ('median', 'far')}


def show_tables(measurements):
    """A table for each case, with the parameters that differ, and the medians of the figures."""
    for case in dict.fromkeys(one['case'] for one in measurements):
        group = [(one, {'boot': one['boot'], **one['params']}) for one in measurements if one['case'] == case]
        figures = dict.fromkeys(name for one, _ in group for name in one['figures'])
        first, *names = sorted((name for name in figures if not UNSHOWN.match(name) and f'{name}_per_task' not in figures),
                               key=lambda name: (not name.endswith('_p50'), not name.startswith('total'))) or ['']
        params = [name for name in group[0][1] if name not in ('v', 'peer') and
                  len({str(params.get(name)) for _, params in group}) > 1]
        print_table(['', case] + params + [first, *OF_FIRST, *names], [
            [HTTP_LOADS.get(one['variant'], one['variant'].replace('_', ' ')), PEERS.get(one['peer'], one['peer'])] +
            [str(has.get(name, '')) for name in params] +
            [number(figure(one, first, *which)) for which in [(), *OF_FIRST.values()]] +
            [number(figure(one, name)) for name in names] for one, has in group])


def value_of(value, unit):
    text = f'{value:.2f}' if unit in ('x', '%') else number(value)
    return f'{text} {unit}'.rstrip()


def show_verdicts(verdicts, row, machine):
    rows = []
    for one in verdicts:
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


def show(path):
    results = read_json(path)
    if states_text(results):
        print(f'a cache line from one CPU to the other and back, {states_text(results)}')
    verdicts = bars.judge(results)
    for row, of_row in ((int(row), of_row) for row, of_row in results['measurements'].items()):
        for boot in (bars.boot_of(machine, row) for machine in bars.BOOTS):
            timed = [one for one in of_row if one['boot'] == boot]
            machine = machine_of(boot)
            if timed:
                print(f'\nrow {row}: {TITLES.get(row, "")} [{machine_text(results["run"], machine)}]')
                show_tables(timed)
                show_verdicts(verdicts, row, machine)
        counted = [one for one in of_row if is_icount(one['boot'])]
        if counted:
            print(f'\nrow {row}: {TITLES.get(row, "")} [counted]')
            show_tables(counted)
    for one in results['failed']:
        print(f'\nFAILED ({one["boot"]}): {one["what"]}')


if __name__ == '__main__':
    command_of(__doc__, show=show)
