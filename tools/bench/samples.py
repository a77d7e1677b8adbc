#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""samples.py - where the time of a measurement goes, for scripts/bench-profile.

usage: samples.py measurements [NAME]...  NAME PEER of all measurements, or of those named
       samples.py plan NAME PEER          the measurement as often as fits into a command line
       samples.py collect DIR NAME PEER COMMIT
                                          read DIR/report, DIR/symbols, DIR/plan into DIR/samples.json
       samples.py show DIR                print DIR/samples.json

DIR/report is from perf report, DIR/symbols from nm -A. readme.py keeps the times of the parts in samples.json, and
writes the table of Documentation/benchmarks.rst from it.
"""

import datetime
import pathlib
import re
import sys

from plan import ROWS, Size
from results import command_of, read_json, write_json
from table import PEERS, number

KEPT = pathlib.Path(__file__).resolve().parent / 'samples.json'
# Samples a second and CPU.
RATE = 20000
# name: title, row, wpool's variant, the peer that is compared, its variant if that has another name
MEASUREMENTS = {
    'client': ('submit and wait, 1 client', 12, '1_client', 'percpu'),
    'cancel': ('cancelled at once', 29, 'cancelled_at_once', 'kworker'),
    'create': ('a pool for one task', 29, 'a_pool_for_one_task', 'kworker'),
    'detached': ('allocated, submitted, freed', 13, 'detached', 'percpu', 'kmalloc'),
    'invoke': ('wpool_invoke()', 13, 'invoke', 'percpu', 'kmalloc'),
    'events': ('events of 10 ms, no limit', 24, 'wheel', 'percpu'),
}
# Parts of the kernel, and the object files of each: the first match counts.
PARTS = {
    # one object file with the classes of real-time and deadline threads, which no load has
    'idle': r'kernel/sched/(idle|build_policy)\.o',
    'wpool': 'drivers/wpool/module/',
    'the load': r'drivers/wpool/|lib/sort\.o',
    'the peer': r'kernel/(workqueue|kthread|padata)\.o',
    'scheduler': r'kernel/sched/|arch/um/(kernel|os-Linux)/',
    'locks': 'kernel/locking/',
    'timers': 'kernel/time/',
    'memory': r'mm/|lib/',
    'files, devices': 'fs/|drivers/base/',
    'RCU': 'kernel/rcu/',
}


def part_of(where):
    return next((part for part, objects in PARTS.items() if re.search(objects, where)), 'other')


def collect(place, name, peer, commit):
    place = pathlib.Path(place)
    objects = {}
    for line in (place / 'symbols').read_text().splitlines():
        where, kind, symbol = line.rsplit(' ', 2)
        if kind != 'U':
            objects.setdefault(symbol, where.split(':')[1])
    lines = (place / 'plan').read_text().splitlines()
    tasks = sum(int(re.search(r' n=(\d+)', line)[1]) for line in lines)
    parts = {}
    for line in (place / 'report').read_text().splitlines():
        found = re.match(r'\s*(\d+)\s+\[(.)\]\s+(\S+)', line)
        if not found:
            continue
        symbol = re.sub(r'\.(isra|constprop|part|cold).*', '', found[3])
        part = 'host' if found[2] == 'k' else part_of(objects.get(found[3], objects.get(symbol, '')))
        parts.setdefault(part, {})[symbol] = int(found[1]) * 1e9 / RATE / tasks
    parts.pop('idle', None)
    path = place / 'samples.json'
    kept = read_json(path).get('samples', {}) if path.exists() else {}
    kept.setdefault(name, {})[peer] = {
        part: {'ns': round(sum(symbols.values()), 1),
               'most': {symbol: round(ns, 1) for symbol, ns in sorted(symbols.items(), key=lambda one: -one[1])[:8]}}
        for part, symbols in parts.items()}
    write_json(path, {'commit': commit, 'date': f'{datetime.date.today()}', 'samples': kept}, 4)


# The columns of the table: parts that count together.
COLUMNS = {'its own code': ('wpool', 'the peer'), 'scheduler': ('scheduler', ), 'locks': ('locks', ),
           'timers': ('timers', ), 'memory': ('memory', ), 'files, devices': ('files, devices', ),
           'RCU': ('RCU', ), 'the load, the rest': ('the load', 'host', 'other')}


def lines():
    """The kept figures as lines of cells, the first one with titles."""
    yield ['ns of CPU time a task', 'of', *COLUMNS, 'all']
    for name, peers in read_json(KEPT)['samples'].items():
        for peer, kept in peers.items():
            spent = [sum(kept.get(part, 0) for part in parts) for parts in COLUMNS.values()]
            yield [MEASUREMENTS[name][0], PEERS[peer], *(number(round(ns, 1)) for ns in (*spent, sum(spent)))]


def origin():
    kept = read_json(KEPT)
    return f'One run each, {kept["date"]}, commit {kept["commit"]}.'


def show(place):
    for name, peers in read_json(pathlib.Path(place) / 'samples.json')['samples'].items():
        for peer, kept in peers.items():
            print(f'{MEASUREMENTS[name][0]}, {PEERS[peer]}: ns of CPU time a task')
            for part, one in sorted(kept.items(), key=lambda one: -one[1]['ns']):
                most = ', '.join(f'{symbol} {ns:.1f}' for symbol, ns in one['most'].items())
                print(f'  {part:12} {one["ns"]:9.1f}  {most}')


def keep(path):
    """Keep the times of the parts that a run has measured; it must have made all measurements."""
    run = read_json(path)
    if set(run['samples']) != set(MEASUREMENTS):
        sys.exit('not all measurements were made')
    run['samples'] = {name: {peer: {part: one['ns'] for part, one in parts.items()} for peer, parts in peers.items()}
                      for name, peers in run['samples'].items()}
    write_json(KEPT, run, 3)


def measurements(*names):
    if not set(names) <= set(MEASUREMENTS):
        sys.exit(f'the measurements are: {", ".join(MEASUREMENTS)}')
    for name in names or MEASUREMENTS:
        print(f'{name} wpool', f'{name} {MEASUREMENTS[name][3]}', sep='\n')


def plan(name, peer):
    _, row, variant, _, *others = MEASUREMENTS[name]
    wanted = [f'v={others[0] if others and peer != "wpool" else variant}', f'peer={peer}']
    line, = (' '.join([*words, 'round=1']) for words in Size('native', False, 2).lines(ROWS[row]) if words[2:4] == wanted)
    # some millions of tasks
    print(*[line] * min(3599 // (len(line) + 1), -(-4000000 // int(re.search(r' n=(\d+)', line)[1]))), sep='\n')


if __name__ == '__main__':
    command_of(__doc__, measurements=measurements, plan=plan, collect=collect, show=show)
