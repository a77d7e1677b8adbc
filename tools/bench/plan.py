#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plan.py - print the measurements of a benchmark boot, in their order.

usage: plan.py {native|native1|nativehttp|main|http|nativesmoke|gate|cpus2} [--rows 1,2] [--rounds N] [--quick]
               [--cpus N]

The file rows beside this one lists all measurements. A printed line is a request to the
module: a case and key=value words. The module ignores row=, v= (the variant, for tables)
and round=, and repeats them in its answer. alone=1 asks, natively, for a kernel of its
own, because memory that other measurements leave behind would count. A round measures
each peer of a row once; the rounds of a row follow each other, so that the compared
figures are measured close together. Round 0 is a warm-up, and does not count.

native and native1 are native kernels with two CPUs and with one. main is a stock kernel
under QEMU. nativehttp and http have a client in user space; nativesmoke has a small part of their
measurements. The other boots count instructions instead of time.
"""

import argparse
import os
import re
from dataclasses import dataclass, field

PEER_LISTS = {'POOLS': 'wpool,percpu,unbound,kworker', 'QUEUES': 'wpool,percpu,unbound',
              'HTTP': 'wpool,thread,percpu,unbound'}
KINDS = ('native', 'native1', 'nativehttp', 'main', 'http', 'nativesmoke', 'gate', 'cpus2')
# Boots without emulation: whether two CPUs are near or far changes there.
WITH_C2C = {'native', 'nativehttp', 'nativesmoke'}


@dataclass
class Measurement:
    """A line "- ..." of the file rows."""
    case: str
    variant: str
    peers: tuple
    params: dict
    conditions: list


@dataclass
class Row:
    number: int
    kinds: list
    flags: list
    title: str
    measurements: list = field(default_factory=list)
    comparisons: list = field(default_factory=list)    # for bars.py

    @property
    def variants(self):
        """name -> (first measurement, all peers) of each variant, in order"""
        out = {}
        for one in self.measurements:
            first, peers = out.get(one.variant, (one, ()))
            out[one.variant] = first, peers + one.peers
        return out

    def most_rounds(self, rounds):
        return min([rounds] + [int(flag[len('rounds='):]) for flag in self.flags if '=' in flag])


def peers_of(text):
    return tuple(PEER_LISTS.get(text, text).split(','))


def params_of(words):
    return dict(word.split('=', 1) for word in words)


def expanded(text, by):
    """Expand a line with {a,b,...} into one line for each of a, b, ...; @by: "," or ";"."""
    mark = re.compile(r'\{([^{}]*' + by + r'[^{}]*)\}')
    lists = [found.split(by) for found in mark.findall(text)]
    if not lists:
        return [text]
    return [mark.sub(lambda _, values=iter(values): next(values), text)
            for values in zip(*lists, strict=True)]


def read_rows(path):
    rows = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            sign, _, rest = line.strip().partition(' ')
            if sign == 'row':
                head, _, title = rest.partition(': ')
                number, kinds, *flags = head.split()
                row = rows[int(number)] = Row(int(number), kinds.split(','), flags, title)
            elif sign == '-':
                what, _, conditions = rest.partition(' : ')
                for one in expanded(what, ','):
                    case, variant, peers, *words = one.split()
                    row.measurements.append(Measurement(case, variant, peers_of(peers),
                                                        params_of(words), conditions.split()))
            elif sign in ('<', '>'):
                row.comparisons += [(sign, [part.strip() for part in one.split('|')])
                                    for one in expanded(rest, ';')]
    return rows


ROWS = read_rows(os.path.join(os.path.dirname(__file__), 'rows'))


class Size:
    """The sizes of the measurements: for a whole run, a quick one, and the gate."""

    def __init__(self, kind, quick, cpus):
        native, gate = kind.startswith('native'), kind == 'gate'
        self.kind = kind
        self.quick = quick
        self.conditions = {'gate': gate, 'native': native, 'full': not quick}
        self.names = {
            'cpus': cpus,
            'noops': 20000 if gate else 50000 if quick else 200000,
            'tree': 20000 if gate else 100000 if quick else 300000 if native else 1000000,
            'shots': 500 if quick else 2000,
            'trips': 2000 if not native else 5000 if quick else 20000,
            # the tasks of row 28: in proportion to the CPUs, as each has a producer
            'shape': (2000 if not native else 5000 if quick else 20000) * max(cpus // 2, 1),
            # Making and ending a thread takes 30 to 200 times as long as another peer's task.
            'threads': 2000,
        }

    def value(self, text):
        if re.fullmatch(r'\d+\|\d+', text):
            text = text.split('|')[self.quick]
        found = re.fullmatch(r'(\d+)([*/])(\w+)', text)
        if found:
            number = int(self.names.get(found[3], found[3]))
            return int(found[1]) * number if found[2] == '*' else int(found[1]) // number
        return self.names.get(text, text)

    def has(self, row, one):
        """Does this boot make measurement @one of @row?"""
        kinds = [word for word in one.conditions if word.lstrip('!') not in self.conditions]
        return self.kind in (kinds or row.kinds) and all(
            self.conditions[word.lstrip('!')] != word.startswith('!')
            for word in one.conditions if word not in kinds)

    def lines(self, row):
        for one in row.measurements:
            if not self.has(row, one):
                continue
            for peer in one.peers:
                yield [one.case, f'row={row.number}', f'v={one.variant}', f'peer={peer}'] + \
                    [f'{key}={self.value(value)}' for key, value in one.params.items()]


def is_compared(words):
    """Does the gate compare the measurement?"""
    return words[0] != 'invoke' and words[3] in ('peer=wpool', 'peer=percpu')


def is_tried(words):
    """Is the measurement a part of nativesmoke: each load for wpool, and two loads for each peer?"""
    return words[3] == 'peer=wpool' or words[2] in ('v=keep_16', 'v=short_64')


# Kinds that make only a part of the measurements of their rows.
PARTS = {'gate': is_compared, 'nativesmoke': is_tried}


def warm_up(words):
    """A short measurement before the first round: the emulator translates the code, pages are mapped."""
    return [f'n={max(int(word[2:]) // 10, 1)}' if word.startswith('n=') else word for word in words]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('kind', choices=KINDS)
    parser.add_argument('--rows', default='')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--cpus', type=int, default=2)
    args = parser.parse_args()

    wanted = [int(row) for row in args.rows.split(',') if row]
    is_wanted = PARTS.get(args.kind, lambda words: True)
    size = Size(args.kind, args.quick, args.cpus)
    for row in ROWS.values():
        if wanted and row.number not in wanted:
            continue
        measurements = [words for words in size.lines(row) if is_wanted(words)]
        if 'cold' not in row.flags:
            for words in measurements:
                print(*warm_up(words), 'round=0')
        for number in range(1, row.most_rounds(args.rounds) + 1):
            for words in measurements:
                # Measure whether two CPUs are near or far at that moment.
                print(*words, *(['c2c=1'] if args.kind in WITH_C2C else []), f'round={number}')


if __name__ == '__main__':
    main()
