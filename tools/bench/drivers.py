#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""drivers.py - the figures of scripts/drivers.

usage: drivers.py show OUTPUT                        the medians of a run, as a table
       drivers.py keep DRIVER OUTPUT KERNEL COMMIT   put the run's figures into drivers.json; COMMIT is
                                                     the last one of module/

OUTPUT is what scripts/guest/drivers.sh printed. Both fail if the contents of the two kinds differ.
drivers.json has every round, and a line for each driver, which is measured as a whole; readme.py
writes the table of Documentation/drivers.rst from it.
"""

import datetime
import pathlib
import statistics
import sys

from results import command_of, read_json, write_json
from table import number

KEPT = pathlib.Path(__file__).resolve().parent / 'drivers.json'
KINDS = ('kernel', 'wpool')


def rounds_of(output):
    """{row: {kind: [[rate, p99] or [rate] of each round]}}, and {kind: [checksum]}."""
    rows, sums = {}, {kind: [] for kind in KINDS}
    for line in pathlib.Path(output).read_text(encoding='utf-8').splitlines():
        word = line.split()
        if word[:1] == ['figure']:
            kinds = rows.setdefault(word[1], {kind: [] for kind in KINDS})
            kinds[word[2]].append([float(figure) for figure in word[3:]])
        elif word[:1] == ['sum']:
            sums[word[1]].append(word[2])
    if not rows or sums['kernel'] != sums['wpool']:
        sys.exit('contents differ')
    return rows


def median(rounds):
    return [statistics.median(column) for column in zip(*rounds)]


def show(output):
    print(f'{"":24}{"kernel MB/s":>12}{"wpool":>9}{"ratio":>7}{"p99 us":>9}{"wpool":>9}')
    for name, kinds in rounds_of(output).items():
        kernel, wpool = (median(kinds[kind]) for kind in KINDS)
        late = ''.join(f'{figure:9.1f}' for figure in kernel[1:] + wpool[1:])
        print(f'{name:24}{kernel[0]:12.1f}{wpool[0]:9.1f}{wpool[0] / kernel[0]:7.2f}{late}')


def ratio(value, loses):
    text = f'{value:.2f}'
    return f'**{text}**' if loses(float(text)) else text


def lines():
    """The kept figures as lines of cells, the first one with titles."""
    yield ['driver', 'row', 'MB/s of the kernel', 'of wpool', 'ratio', 'of single rounds',
           'p99 of the kernel, µs', 'of wpool', 'ratio']
    for driver, kept in read_json(KEPT).items():
        for name, kinds in kept['rows'].items():
            (kernel, *kernel_p99), (wpool, *wpool_p99) = (median(kinds[kind]) for kind in KINDS)
            each = [ours[0] / theirs[0] for theirs, ours in zip(kinds['kernel'], kinds['wpool'])]
            late = [number(kernel_p99[0]), number(wpool_p99[0]),
                    ratio(wpool_p99[0] / kernel_p99[0], lambda value: value > 1)] if wpool_p99 else [''] * 3
            yield [driver, name, number(kernel), number(wpool), ratio(wpool / kernel, lambda value: value < 1),
                   f'{min(each):.2f} to {max(each):.2f}', *late]


def origins():
    """How the figures came about, in words: one text for each kernel and commit."""
    runs = {}
    for driver, kept in read_json(KEPT).items():
        runs.setdefault((kept['kernel'], kept['commit'], kept['date']), []).append(driver)
    return '; '.join(f'{", ".join(drivers)}: Linux {kernel}, `module/` of commit {commit}, {date}'
                     for (kernel, commit, date), drivers in runs.items())


def nr_rounds():
    """The number of rounds, or a range."""
    found = {len(kinds['wpool']) for kept in read_json(KEPT).values() for kinds in kept['rows'].values()}
    return ' to '.join(str(nr) for nr in sorted({min(found), max(found)}))


def keep(driver, output, kernel, commit):
    kept = read_json(KEPT) if KEPT.exists() else {}
    kept[driver] = {'kernel': kernel, 'commit': commit, 'date': f'{datetime.date.today()}', 'rows': rounds_of(output)}
    write_json(KEPT, dict(sorted(kept.items())), 1)


if __name__ == '__main__':
    command_of(__doc__, show=show, keep=keep)
