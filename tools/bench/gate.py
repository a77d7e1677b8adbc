#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""gate.py - compare the cost of a task with the committed baseline.

usage: gate.py check BASELINE OUTPUT:COUNTS...
       gate.py update BASELINE OUTPUT:COUNTS...
       gate.py near COUNTS
       gate.py decoder MODULE.ko DECODER

OUTPUT has the answers of the benchmark module, COUNTS the reports of the emulator's
plugin in the same boot.

Instructions are compared as a ratio: wpool's instructions per task, divided by those of
the per-CPU workqueue in the same boot, each the lower quartile of its rounds. A new
compiler or kernel changes the counts, but hardly the ratio. The counts of locked
instructions stay the same, so they are compared directly: those of all CPUs per task of a
row, in its best round, and those of one operation of a path (counts.py).

check prints a line for scripts/test per row and path: pass, fail or skip, a name and the
reason, separated by tabs. A row fails when its ratio is more than 10 % above the
baseline's, or its locked instructions per task are more than 0.05 above. Of several boots
the least figure is compared: a task that costs more does so in each boot.
update writes the baseline from several boots. A row whose boots differ by more than 5 %,
or by more than 0.05 locked instructions, is not gated: its result would be chance.

near compares lines that cross a last-level cache: with a producer in one of four caches
by_cache must save more than half of them. Without by_cache there must be some.

decoder compares the plugin's decoder of locked instructions with objdump, for the whole
text of a module.
"""

import os
import re
import statistics
import subprocess
import sys

import counts
import results

TOLERANCE = 1.10
REPEATS = 1.05
# Tolerance in locked instructions per task.
LOCKED_TOLERANCE = 0.05
# The parts of the baseline, and what each name has there.
PARTS = {'rows': 'ratio', 'locked': 'locked'}
# With by_cache, lines from another cache must be less than this share of those without it. If all
# workers are on CPUs of the producer's cache, no line comes from another cache. If by_cache had no
# effect, both numbers would be the same, except for chance: each is the average of
# counts.NEAR_ROUNDS pools.
NEAR_SHARE = 0.5
# Name: row number, wpool's variant, the workqueue's.
ROWS = {
    'single': (1, 'single', 'single'),
    'batch': (1, 'batch', 'single'),
    'producer-per-cpu': (2, 'single', 'single'),
    'tree': (4, 'tree', 'tree'),
}


def quartile(values):
    """The lower quartile: disturbances by another CPU, and ticks, only add."""
    return sorted(values)[len(values) // 4]


def instructions(path):
    measurements, failed = results.collect([('gate', path)])
    if failed:
        sys.exit(f'gate.py: {failed[0]["what"]}')
    return {(one['row'], one['variant'], one['peer']):
            quartile([one_round['total_ns'] for one_round in one['raw']])
            / results.ICOUNT_NS / one['params']['n']
            for one in measurements if one['row'] is not None}


def ratios(path):
    """name -> (ratio, wpool's count, the workqueue's count)"""
    of = instructions(path)
    out = {}
    for name, (row, ours, theirs) in ROWS.items():
        wpool, queue = of[row, ours, 'wpool'], of[row, theirs, 'percpu']
        out[name] = (wpool / queue, wpool, queue)
    return out


def locked(path):
    """name -> locked instructions per task, or of one operation"""
    rounds = {}
    for report in counts.reports(path):
        asked = counts.words_of(report['asked'])
        if 'row' in asked and asked['peer'] == 'wpool' and asked['round'] != '0':
            rounds.setdefault((int(asked['row']), asked['v']), []).append(
                report['locked'] / int(asked['n']))
    # The minimum: two producers that disturb each other add half of a locked instruction.
    out = {f'{name}.locked': min(rounds[row, ours])
           for name, (row, ours, _) in ROWS.items()}
    counted = counts.paths(path)
    for pool in counts.POOLS:
        for row, (of, name, per) in counts.ROWS.items():
            if of in counts.STREAMS:
                words = '-'.join(re.findall('[a-z0-9]+', row))
                out[f'{pool}.{words}.locked'] = \
                    counts.value_of(counted[pool, of, name], 'all', 'locked') / per
    return out


def measured(specs):
    """(part of the baseline, name, the figure of each boot, the one to compare, that in words)"""
    outputs, counted = zip(*(spec.split(':') for spec in specs))
    boots = [ratios(path) for path in outputs]
    for name in ROWS:
        # separate minima: a boot that disturbs the workqueue must not make wpool look better
        wpool, queue = (min(boot[name][i] for boot in boots) for i in (1, 2))
        yield 'rows', name, [boot[name][0] for boot in boots], wpool / queue, \
            f'{wpool:.0f} instructions a task, the workqueue takes {queue:.0f}'
    boots = [locked(path) for path in counted]
    for name in boots[0]:
        values = [boot[name] for boot in boots]
        yield 'locked', name, values, min(values), 'locked instructions'


def exceeds(part, value, base, growth):
    return value > (base * growth if part == 'rows' else base + LOCKED_TOLERANCE)


def check(baseline, *specs):
    known = results.read_json(baseline)
    for part, name, _, value, seen in measured(specs):
        base = known[part].get(name)
        if not base:
            print('fail', name, f'{value:.3f}: {seen}; not in the baseline', sep='\t')
            continue
        base, is_gated = base[PARTS[part]], base['gated']
        seen = f'{value:.3f} against {base:.3f}: {seen}'
        if not is_gated:
            print('skip', name, f'not gated, it does not repeat; {seen}', sep='\t')
        else:
            print('fail' if exceeds(part, value, base, TOLERANCE) else 'pass', name, seen, sep='\t')


def update(baseline, *specs):
    known = {part: {} for part in PARTS}
    for part, name, values, *_ in measured(specs):
        is_gated = not exceeds(part, max(values), min(values), REPEATS)
        known[part][name] = {PARTS[part]: round(statistics.median(values), 4), 'gated': is_gated}
        print(f'{name}: {" ".join(f"{value:.3f}" for value in values)}: {"" if is_gated else "not "}gated')
    results.write_json(baseline, {
        'what': 'rows: instructions per task, wpool by per-CPU workqueue; locked: locked instructions '
                'per task, or of one operation; written by make bench-gate UPDATE=1', **known}, 2)


def near(path):
    counts.paths(path)
    ours, without = (counts.shape(path, 'near1')[name]['all']['crossed']
                     for name in ('wpool', 'wpool, by_cache=0'))
    print('pass' if ours < NEAR_SHARE * without else 'fail', 'near',
          f'{ours:.2f} lines a task from another cache, {without:.2f} with by_cache=0', sep='\t')


def is_locked_text(text):
    """Is the instruction locked by objdump's text: a lock prefix, or an xchg with memory?"""
    words = text.split()
    if 'lock' in words:
        return True
    names = [i for i, word in enumerate(words) if re.fullmatch('xchg[bwlq]?', word)]
    return bool(names) and not re.fullmatch('%[a-z0-9]+,%[a-z0-9]+', words[names[0] + 1])


def decoder(module, program):
    dump = subprocess.run(['objdump', '-d', '-w', module], check=True,
                          capture_output=True, text=True).stdout
    codes, said, lines = [], [], []
    for line in dump.splitlines():
        parts = line.split('\t')
        if len(parts) < 3 or '(bad)' in parts[2]:
            continue
        codes.append(parts[1])
        said.append(is_locked_text(parts[2]))
        lines.append(line)
    taken = subprocess.run([program], input='\n'.join(codes) + '\n', check=True,
                           capture_output=True, text=True).stdout.split()
    for line, one, other in zip(lines, said, taken, strict=True):
        if one != (other == '1'):
            print('fail', 'decoder', f'not as objdump says: {line}', sep='\t')
            return
    outcome = 'pass' if any(said) and not all(said) else 'fail'
    print(outcome, 'decoder', f'{sum(said)} of the {len(said)} instructions of '
          f'{os.path.basename(module)} are locked, as objdump says', sep='\t')


if __name__ == '__main__':
    results.command_of(__doc__, check=check, update=update, near=near, decoder=decoder)
