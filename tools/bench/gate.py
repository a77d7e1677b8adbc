#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""gate.py - compare the cost of a task, in instructions, with the committed baseline.

usage: gate.py check BASELINE OUTPUT
       gate.py update BASELINE OUTPUT...

What is compared is a ratio: instructions per task of wpool by those of the per-CPU
workqueue in the same boot, each the median of its rounds. It survives a new compiler
or kernel; the counts themselves would not.

check prints a line for scripts/test per row: pass, fail or skip, a name and why,
separated by tabs. A row fails when its ratio is more than 10 % above the baseline's.
update writes the baseline from several boots. A row is gated only if these agree
within 5 %: what does not repeat would fail, or hide a failure, by chance.
"""

import json
import statistics
import sys

import results

TOLERANCE = 1.10
REPEATS = 1.05
# What wpool does, and what of the workqueue it is compared with.
ROWS = {
    'single': (1, 'single', 'single'),
    'batch': (1, 'batch', 'single'),
    'producer-per-cpu': (2, 'single', 'single'),
    'tree': (4, 'tree', 'tree'),
}


def counts(path):
    measurements, failed = results.collect([('icount', path)])
    if failed:
        sys.exit(f'gate.py: {failed[0]["what"]}')
    return {(one['row'], one['variant'], one['peer']):
            one['figures']['instructions_per_task']['median'] for one in measurements}


def ratios(path):
    """name -> (ratio, wpool's count, the workqueue's count)"""
    of = counts(path)
    out = {}
    for name, (row, ours, theirs) in ROWS.items():
        wpool, queue = of[row, ours, 'wpool'], of[row, theirs, 'percpu']
        out[name] = (wpool / queue, wpool, queue)
    return out


def check(baseline, path):
    with open(baseline, encoding='utf-8') as file:
        known = json.load(file)['rows']
    for name, (ratio, wpool, queue) in ratios(path).items():
        seen = f'{wpool:.0f} instructions a task, {ratio:.3f} of the workqueue\'s {queue:.0f}'
        if name not in known:
            print('fail', name, f'{seen}; not in the baseline', sep='\t')
            continue
        base = known[name]
        growth = f'{(ratio / base["ratio"] - 1) * 100:+.1f} % against {base["ratio"]:.3f}'
        if not base['gated']:
            print('skip', name, f'not gated, it does not repeat; {seen}, {growth}', sep='\t')
        elif ratio > base['ratio'] * TOLERANCE:
            print('fail', name, f'{seen}, {growth}, over 10 %', sep='\t')
        else:
            print('pass', name, f'{seen}, {growth}', sep='\t')


def update(baseline, paths):
    boots = [ratios(path) for path in paths]
    rows = {}
    for name in ROWS:
        values = [boot[name][0] for boot in boots]
        spread = max(values) / min(values)
        rows[name] = {
            'ratio': round(statistics.median(values), 4),
            'boots': [round(value, 4) for value in values],
            'gated': spread <= REPEATS,
        }
        print(f'{name}: {" ".join(f"{value:.3f}" for value in values)}, '
              f'they differ by {(spread - 1) * 100:.1f} %: '
              f'{"gated" if spread <= REPEATS else "not gated"}')
    with open(baseline, 'w', encoding='utf-8') as file:
        json.dump({'what': 'instructions per task, wpool by per-CPU workqueue; '
                           'written by make bench-gate UPDATE=1', 'rows': rows},
                  file, indent=1)
        file.write('\n')


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ('check', 'update'):
        sys.exit(__doc__)
    if sys.argv[1] == 'check':
        check(sys.argv[2], sys.argv[3])
    else:
        update(sys.argv[2], sys.argv[3:])


if __name__ == '__main__':
    main()
