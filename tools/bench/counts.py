#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""counts.py - what each of the common paths costs, by the number of possible CPUs.

usage: counts.py plan [gate | near | loaded | shape CPUS]
       counts.py collect OUT.json CPUS:PLUGIN:ANSWERS...
       counts.py show OUT.json

plan prints the measurements of a boot; with gate or near, those that gate.py compares.
collect reads, for each boot, what the plugin counted and what the module answered, and
writes OUT.json; README.md of this directory has its schema. It refuses a boot with wrong
counts of the path "known". show prints tables.
"""

import json
import sys
from collections import Counter

import results
from results import command_of, read_json, write_json
from table import number, print_table

UNLIMITED = 2 ** 32 - 1
POOLS = {'default': {'capacity': 256, 'depth': 0},
         'unlimited': {'capacity': UNLIMITED, 'depth': 0}}
# The counts of known() in module/paths.c, counted by hand.
KNOWN = {'instructions': 9, 'locked': 4, 'reads': 6, 'writes': 7, 'lines': 7,
         'lines_written': 6}
# Tasks in a batch of module/paths.c.
CHUNK = 16

# Name in the tables: measurement, its path, operations in a sample.
ROWS = {
    'submit': ('stream', 'submit', 1),
    'submit, detached': ('detached', 'submit', 1),
    'submit, a function': ('function', 'submit', 1),
    'submit, of 16 in a batch': ('batch', 'batch', CHUNK),
    'run and finish': ('stream', 'run', 1),
    'run and finish, detached': ('detached', 'run', 1),
    'run and finish, a function': ('function', 'run', 1),
    'submit by an own task': ('help', 'spawn', 1),
    'wait, already done': ('wait', 'wait', 1),
    'wait, sleeping': ('sleep', 'sleep', 1),
    'help': ('help', 'help', 1),
    'cancel': ('cancel', 'cancel', 1),
    'refuse': ('refuse', 'refuse', 1),
    'block': ('block', 'block', 1),
    'serve': ('block', 'serve', 1),
    'park': ('idle', 'park', 1),
    'wake': ('idle', 'wake', 1),
    'start after a wake-up': ('idle', 'start', 1),
}
# Rows of boots in which the pool's workers of all other CPUs are in tasks. Name: as in ROWS.
LOADED_ROWS = {
    'submit': ('stream', 'submit', 1),
    'submit, of 16 in a batch': ('batch', 'batch', CHUNK),
    'submit, from a CPU that the pool may not use': ('outside', 'submit', 1),
    'run and finish': ('stream', 'run', 1),
    'run and finish, during a flush': ('flush', 'run', 1),
    'wait, sleeping': ('sleep', 'sleep', 1),
    'help': ('help', 'help', 1),
    'cancel': ('cancel', 'cancel', 1),
    'cancel, of a task on another CPU': ('away', 'cancel', 1),
    'park': ('idle', 'park', 1),
    'park, during a flush': ('idle_flush', 'park', 1),
    'wake': ('idle', 'wake', 1),
    'start after a wake-up': ('idle', 'start', 1),
    'a look of the monitor, 1 quiet pool': ('look1', 'look', 1),
    'a look of the monitor, 100 quiet pools': ('look100', 'look', 1),
    'a look of the monitor, 1,000 quiet pools': ('look1000', 'look', 1),
}
# The shape of the kernel's own benchmark of workqueues: a producer on each CPU, each with one
# task in flight (row 28 of ./rows). Name in the table: the peer.
SHAPE_PEERS = {
    'wpool': {'peer': 'wpool'},
    'wpool, by_cache=0': {'peer': 'wpool', 'load': 'by_cache=0'},
    'per-CPU workqueue': {'peer': 'percpu'},
    'unbound workqueue, scope cpu': {'peer': 'unbound', 'scope': 'cpu'},
    'unbound workqueue, scope cache': {'peer': 'unbound', 'scope': 'cache'},
    'unbound workqueue, scope system': {'peer': 'unbound', 'scope': 'system'},
}
SHAPE_TASKS = 12800
# On NEAR_CPUS CPUs, SHARE to a last-level cache, the same peers have two more loads: a producer in
# one cache, or one in each of four caches, submits SHARE tasks at a time. Each round has a
# new pool, whose first workers may be on other CPUs. Number of producers: name of the load.
NEAR_CPUS, SHARE, NEAR_ROUNDS = 16, 4, 8
NEAR_LOADS = {1: 'one producer', 4: 'four producers'}
NEAR_FIGURES = ('moved', 'crossed')
SHAPE_FIGURES = {'instructions': 'instructions', 'locked': 'locked',
                 'moved': 'lines from another CPU', 'crossed': 'lines from another cache'}
PEER = 'per-CPU workqueue'
# Figures of wpool that are larger than one of these peers' are bold.
RIVALS = (PEER, 'unbound workqueue, scope cache')
FIGURES = {name: name for name in ('instructions', 'locked', 'lines')}
LOADED_FIGURES = FIGURES | {'lines_written': 'lines written'}
# counts.json has a line for each row.
DEPTHS = {'schema': 0, 'boots': 2, 'loaded': 1, 'shape': 1, 'near': 1, 'failed': 1}
# The gate's pools have only CPU 0. If a worker of another CPU searches during a burst, which is
# chance, the submits execute a barrier.
GATE = {'cpu': 0}
# An unlimited pool does not have these paths.
NEEDS_LIMIT = ('refuse', 'block')
# Parameters of measurements. Without spin=0 a worker would spin before it parks, for a time and not
# for a number of instructions, which would hide the cost of parking.
OF_WHAT = {
    'detached': {'what': 'stream', 'detached': 1},
    'function': {'what': 'stream', 'function': 1},
    'batch': {'what': 'stream', 'batch': 1},
    'idle': {'spin': 0},
    'outside': {'what': 'cancel', 'outside': 1},
    'flush': {'what': 'stream', 'flush': 1},
    'idle_flush': {'what': 'idle', 'spin': 0, 'flush': 1},
    'look1': {'what': 'look', 'pools': 1},
    'look100': {'what': 'look', 'pools': 100},
    'look1000': {'what': 'look', 'pools': 1000},
}
STREAMS = ('stream', 'detached', 'function', 'batch')


def line(v, of, **params):
    words = [f'{key}={value}' for key, value in params.items()]
    return ' '.join(['paths', f'v={v}', f'of={of}'] + words)


def plan_paths(gate):
    yield line('none', 'known', what='known', n=100)
    for pool, attributes in POOLS.items():
        for of in dict.fromkeys(row[0] for row in ROWS.values()):
            if (pool == 'unlimited' and of in NEEDS_LIMIT) or (gate and of not in STREAMS):
                continue
            yield line(pool, of, **({'what': of} | OF_WHAT.get(of, {})),
                       n=3200 if of in STREAMS else 400, **(attributes | (GATE if gate else {})))
    if not gate:
        yield line(PEER.replace(' ', '_'), 'stream', what='stream', peer='percpu', n=3200)


def plan_loaded():
    yield line('none', 'known', what='known', n=100)
    for of in dict.fromkeys(row[0] for row in LOADED_ROWS.values()):
        yield line('loaded', of, **({'what': of} | OF_WHAT.get(of, {})), busy=1,
                   n=640 if of in ('stream', 'batch', 'flush') else 100, **POOLS['unlimited'])


def plan_shape(cpus):
    yield line('none', 'known', what='known', n=100)
    loads = {'shape': f'clients={cpus} n={SHAPE_TASKS}'}
    if cpus == NEAR_CPUS:
        loads |= {f'near{clients}': f'clients={clients} first={SHARE} step={SHARE} burst={SHARE} '
                  f'ns=20000 n={SHAPE_TASKS // SHARE // NEAR_ROUNDS}' for clients in NEAR_LOADS}
    for i, params in enumerate(SHAPE_PEERS.values()):
        if 'load' in params:
            yield f'load {params["load"]}'
        for of, load in loads.items():
            for _ in range(1 if of == 'shape' else NEAR_ROUNDS):
                yield ' '.join(['client', f'v={i}', f'of={of}', 'turns=1', load] +
                               [f'{key}={params[key]}' for key in ('peer', 'scope') if key in params])
        if 'load' in params:
            yield 'load'


def plan_near():
    """The part of plan_shape() that shows the effect of by_cache: wpool with one producer."""
    for asked in plan_shape(NEAR_CPUS):
        words = words_of(asked)
        if asked.startswith('load') or words.get('of') == 'known' or \
                (words.get('of') == 'near1' and words['peer'] == 'wpool'):
            yield asked


# ---- the results of a boot ----

def words_of(asked):
    return dict(word.split('=', 1) for word in asked.split() if '=' in word)


def reports(path):
    with open(path, encoding='utf-8') as lines:
        return [json.loads(text) for text in lines]


def is_known_right(report):
    """Are the counts of the path "known" those counted by hand?"""
    counted = report['paths']['known']['all']
    return all(counted[name] == [value] * 4 for name, value in KNOWN.items())


def paths(path):
    """(pool, measurement, path) -> { all, inside: figure -> (least, quartile, median, most) }"""
    out = {}
    for report in reports(path):
        asked = words_of(report['asked'])
        if 'of' not in asked:
            continue
        if asked['of'] == 'known' and not is_known_right(report):
            sys.exit(f'counts.py: {path}: the known path was not counted right: {report}')
        for name, counted in report['paths'].items():
            out[asked['v'].replace('_', ' '), asked['of'], name] = counted
    if ('none', 'known', 'known') not in out:
        sys.exit(f'counts.py: {path}: the known path was not counted')
    return out


def value_of(counted, part, name):
    """The lower quartile: an interrupt only adds."""
    return counted[part][name][1]


def row_of(counted, part, per, figures):
    return {name: value_of(counted, part, name) / per for name in figures}


def rows_of(counted, pool, rows, figures=FIGURES):
    return {row: {'all': row_of(counted[pool, what, name], 'all', per, figures),
                  'wpool': row_of(counted[pool, what, name], 'inside', per, figures),
                  'least': counted[pool, what, name]['inside']['instructions'][0] / per}
            for row, (what, name, per) in rows.items() if (pool, what, name) in counted}


def shape(path, of):
    """name -> { all: figure -> a task's }"""
    sums = {}
    for report in reports(path):
        asked, turns = words_of(report['asked']), report.get('turns')
        if asked.get('of') == of and turns:
            sums.setdefault(list(SHAPE_PEERS)[int(asked['v'])], Counter()).update(turns)
    # A task has two turns, as its submit and its start each begin one.
    return {name: {'all': {figure: 2 * turns[figure] / turns['nr'] for figure in SHAPE_FIGURES}}
            for name, turns in sums.items()}


def collect(out, *specs):
    found = {'schema': 4, 'boots': {}, 'loaded': {}, 'shape': {}, 'near': {}, 'failed': []}

    def add(of_rows, cpus, rows):
        for row, counted in rows.items():
            of_rows.setdefault(row, {})[cpus] = counted

    def cpus_of(boot):
        return boot.removeprefix('shape').removeprefix('loaded')
    for boot, plugin, answers in sorted((spec.split(':') for spec in specs), key=lambda spec: int(cpus_of(spec[0]))):
        found['failed'] += [f'{boot} CPUs: {why}' for _, why in results.read_lines(answers) if why]
        counted, cpus = paths(plugin), cpus_of(boot)
        if boot.startswith('shape'):
            add(found['shape'], cpus, shape(plugin, 'shape'))
            for clients in NEAR_LOADS if int(cpus) == NEAR_CPUS else ():
                add(found['near'], str(clients), shape(plugin, f'near{clients}'))
        elif boot.startswith('loaded'):
            add(found['loaded'], cpus, rows_of(counted, 'loaded', LOADED_ROWS, LOADED_FIGURES))
        else:
            for pool in (*POOLS, PEER):
                add(found['boots'].setdefault(pool, {}), cpus, rows_of(counted, pool, ROWS))
    write_json(out, found, DEPTHS)
    for why in found['failed']:
        print(f'FAILED: {why}')
    return bool(found['failed'])


def keep(new, kept):
    """Copy the parts that were counted, and leave the others."""
    write_json(kept, read_json(kept) | {part: one for part, one in read_json(new).items() if one}, DEPTHS)


# ---- tables ----

def cells_of(name, of_boots, part, figures=FIGURES):
    """For each figure: the count of each boot, and the last count divided by the first."""
    cells = [name]
    for figure in figures:
        values = [one[part][figure] for one in of_boots]
        cells += [number(value) for value in values]
        cells.append(f'{values[-1] / values[0]:.2f}' if values[0] >= 0.05 else '')
    return cells


def both_cells_of(name, of_boots, figures=FIGURES):
    """As cells_of(), each with the part of wpool.ko in brackets."""
    cells, own = (cells_of(name, of_boots, part, figures)[1:] for part in ('all', 'wpool'))
    return [name] + [f'{cell} ({part})' if part else cell for cell, part in zip(cells, own)]


def with_bold(header, rows):
    """A table of peers: wpool's figures are bold where one of RIVALS takes less."""
    found = {row[0]: row for row in rows}
    for i, title in enumerate(header[1:], 1):
        values = [float(found[name][i].replace(',', '')) for name in ('wpool', *RIVALS)
                  if title != 'ratio' and name in found]
        if values and values[0] > min(values):
            found['wpool'][i] = f'**{found["wpool"][i]}**'
    return header, rows


def header_of(what, rows, figures=FIGURES):
    header = [what]
    for name in figures.values():
        first, *more = next(iter(rows.values()))
        header += [f'{name}: {first}', *more, 'ratio']
    return header


def cells_of_rows(cells, rows, *args):
    """The lines of the rows that all boots have."""
    most = max(len(counted) for counted in rows.values())
    return [cells(row, list(counted.values()), *args) for row, counted in rows.items() if len(counted) == most]


def tables(results_file):
    """(title, header, rows) of each table."""
    found = read_json(results_file)
    boots, loaded, shapes, near = (found[part] for part in ('boots', 'loaded', 'shape', 'near'))
    if shapes:
        yield 'a producer on each CPU, a task', *with_bold(
            header_of('CPUs', shapes, SHAPE_FIGURES), cells_of_rows(cells_of, shapes, 'all', SHAPE_FIGURES))
    if near:
        yield f'{NEAR_CPUS} CPUs in {NEAR_CPUS // SHARE} last-level caches, a task', *with_bold(
            [''] + [f'{SHAPE_FIGURES[figure]}: {load}'
                    for load in NEAR_LOADS.values() for figure in NEAR_FIGURES],
            [[name] + [number(one['all'][figure]) for one in counted.values() for figure in NEAR_FIGURES]
             for name, counted in near.items() if len(counted) == len(NEAR_LOADS)])
    if loaded:
        yield "busy CPUs; in brackets wpool.ko's own part", header_of('busy CPUs', loaded, LOADED_FIGURES), \
            cells_of_rows(both_cells_of, loaded, LOADED_FIGURES)
    for pool in POOLS if boots else ():
        yield f"{pool} pool; in brackets wpool.ko's own part", header_of('possible CPUs', boots[pool]), \
            cells_of_rows(both_cells_of, boots[pool])
    if boots:
        header = header_of('possible CPUs', boots[PEER])
        yield PEER, header, cells_of_rows(cells_of, boots[PEER], 'all')
        yield 'The least that an operation ever took, where the ratio is above 1.05', \
            ["wpool.ko's own instructions, possible CPUs:", *next(iter(boots[PEER].values()))], list(ways(boots))


def show(results_file):
    for title, header, rows in tables(results_file):
        print(f'\n{title}')
        print_table(header, rows, 1)


def ways(boots):
    """The minimum in each boot, of operations that took more with the most CPUs than with the fewest."""
    for pool in POOLS:
        for row, counted in boots[pool].items():
            values = [one['wpool']['instructions'] for one in counted.values()]
            if values[-1] > 1.05 * values[0]:
                yield [f'{row}, {pool} pool'] + [number(one['least']) for one in counted.values()]


def plan(what='', cpus=NEAR_CPUS):
    plans = {'': lambda: plan_paths(False), 'gate': lambda: plan_paths(True), 'loaded': plan_loaded,
             'near': plan_near, 'shape': lambda: plan_shape(int(cpus))}
    print(*plans[what](), sep='\n')


if __name__ == '__main__':
    command_of(__doc__, plan=plan, collect=collect, show=show)
