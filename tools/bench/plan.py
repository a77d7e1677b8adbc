#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plan.py - write down which measurements a benchmark boot makes, in which order.

usage: plan.py {main|icount|gate|uml} [--rows 1,2] [--rounds N] [--quick] [--cpus N]

One line is one measurement, as the module wants it: a case and key=value words.
row=, v= (the variant, for tables) and round= mean nothing to the module, it
repeats them in its answer. The peers of a row take turns within a round; the
rounds of a row follow each other, so that what is compared was measured close
together. A round 0 comes first and does not count.
"""

import argparse

NOOP_PEERS = ('wpool', 'percpu', 'unbound', 'kworker')
# Making and ending a thread takes a thousand times as long as anything else here.
KTHREAD_TASKS = 2000


def line(case, row, v, **params):
    words = [case, f'row={row}', f'v={v}']
    return words + [f'{key}={value}' for key, value in params.items()]


class Size:
    """How much of everything: for a whole run, a quick one, under -icount."""

    def __init__(self, kind, quick, cpus):
        self.kind, self.quick, self.cpus = kind, quick, cpus
        self.icount = kind in ('icount', 'gate')
        self.noops = 20000 if self.icount else 50000 if quick else 200000
        self.tree = 20000 if self.icount else 100000 if quick else 1000000
        self.shots = 500 if quick else 2000
        self.busy = 5000 if quick else 25000


def row_1(size):
    n = size.noops
    yield line('noop', 1, 'single', peer='wpool', n=n)
    yield line('noop', 1, 'batch', peer='wpool', n=n, batch=64)
    yield line('invoke', 1, 'invoke', peer='wpool', n=n)
    for peer in NOOP_PEERS[1:]:
        yield line('noop', 1, 'single', peer=peer, n=n)
    if not size.icount:
        yield line('noop', 1, 'single', peer='kthread', n=KTHREAD_TASKS)


def row_2(size):
    for peer in NOOP_PEERS:
        yield line('noop', 2, 'single', peer=peer, n=size.noops, producers=size.cpus)
    if not size.icount:
        yield line('noop', 2, 'single', peer='kthread', n=KTHREAD_TASKS, producers=size.cpus)


def row_3(size):
    n = size.shots
    yield line('wakeup', 3, 'local', peer='floor', cpu=0, n=n)
    yield line('latency', 3, 'local', peer='wpool', cpu=0, n=n)
    yield line('latency', 3, 'local', peer='percpu', cpu=0, n=n)
    yield line('wakeup', 3, 'cross', peer='floor', cpu=1, n=n)
    yield line('latency', 3, 'cross', peer='wpool', cpu=1, n=n)
    yield line('latency', 3, 'cross', peer='percpu', cpu=1, n=n)
    yield line('latency', 3, 'cross', peer='kworker', cpu=1, n=n)
    # Where they go by themselves, which on a quiet machine is the other CPU
    # for a worker that may run anywhere.
    yield line('latency', 3, 'free', peer='wpool', n=n)
    yield line('latency', 3, 'free', peer='unbound', n=n)
    yield line('latency', 3, 'free', peer='kworker', n=n)
    for peer in NOOP_PEERS:
        yield line('busy', 3, 'busy', peer=peer, n=size.busy, detached=1)


def row_4(size):
    for peer in NOOP_PEERS:
        yield line('tree', 4, 'tree', peer=peer, n=size.tree)
    if not size.icount:
        yield line('tree', 4, 'tree', peer='kthread', n=KTHREAD_TASKS)


ROWS = {1: row_1, 2: row_2, 3: row_3, 4: row_4}
OF_KIND = {
    'main': (1, 2, 3, 4, 5, 6, 7, 8, 9),
    'icount': (1, 2, 4),
    'gate': (1, 2, 4),
    'uml': (1, 4),
}


def warm_up(words):
    """A short one: what it runs has been translated, its pages are there."""
    short = {'n': lambda value: str(max(int(value) // 10, 1))}
    out = []
    for word in words:
        key, _, value = word.partition('=')
        out.append(f'{key}={short[key](value)}' if key in short else word)
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('kind', choices=sorted(OF_KIND))
    parser.add_argument('--rows', default='')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--cpus', type=int, default=2)
    args = parser.parse_args()

    rows = [row for row in OF_KIND[args.kind] if row in ROWS]
    if args.rows:
        wanted = {int(row) for row in args.rows.split(',')}
        rows = [row for row in rows if row in wanted]
    size = Size(args.kind, args.quick, args.cpus)
    for row in rows:
        measurements = list(ROWS[row](size))
        for words in measurements:
            print(*warm_up(words), 'round=0')
        for number in range(1, args.rounds + 1):
            for words in measurements:
                print(*words, f'round={number}')


if __name__ == '__main__':
    main()
