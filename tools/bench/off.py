#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""off.py - the longest sections of wpool with interrupts off.

usage: off.py plan
       off.py collect OUT.json COUNTED PRINTED
       off.py show OUT.json

plan prints the measurements of the loads. collect reads what the plugin off.c counted and what
scripts/guest/off.sh printed, and writes the longest section of each function, the longest first: its
load, and [instructions, lines] of what counts and of the whole section. It refuses wrong counts of
the load "known". show fails if a section takes more than LIMIT_US.
"""

import bisect
import sys

import counts
from results import command_of, read_json, write_json
from table import print_table

LIMIT_US = 100
PER_US, US_PER_LINE = 2000, 0.1
# Counted by hand in known_off() of module/off.c: instructions, lines.
KNOWN = [11, 3]
# The lines of the page.
NR_SHOWN = 25
# Load: its name in the table, and the measurement, if it is one.
LOADS = {
    'await': ('1,000 tasks that wait for each other', 'off what=await n=1000 capacity=1000 depth=0'),
    'waits': ('1,000 threads wait for a group, which ends', 'off what=waits n=1000'),
    'group': ('1,000 submitters of a group, which is cancelled', 'off what=group n=1000'),
    'let_in': ('1,000 submitters are let in at once', 'off what=let_in n=1000 capacity=1 depth=0'),
    'close': ('1,000 submitters are sent away', 'off what=close n=1000 capacity=1 depth=0'),
    'overdue': ('an overdue task behind 10,000', 'off what=overdue n=10000 capacity=64'),
    'full': ('cancel of tasks in full rings of other CPUs',
             f'paths what=full busy=1 outside=1 n=8192 capacity={counts.UNLIMITED}'),
    'begin': ('1,000 workers begin tasks, 9,000 are queued', ''),
    'dump': ('then a dump', ''),
    'freeze': ('then a freeze', ''),
    'cancel': ('then all tasks are cancelled', ''),
    'torture': ('torture', ''),
}


def plan():
    print(*[f'{measurement} of={load}' for load, (_, measurement) in LOADS.items() if measurement],
          *list(counts.plan_loaded())[1:], sep='\n')


def us_of(counted):
    return counted[0] / PER_US + counted[1] * US_PER_LINE


def collect(out, path, printed):
    sections = {}
    with open(printed, encoding='utf-8') as lines:
        words = [line.split() for line in lines if line.startswith('off: ')]
    symbols = sorted((int(word[1], 16), word[2]) for word in words if len(word) == 3)
    for report in counts.reports(path):
        for one in report['sections']:
            function = symbols[bisect.bisect(symbols, (int(one['at'], 16) + 1, )) - 1][1]
            if function not in sections or us_of(one['ours']) > us_of(sections[function]['ours']):
                sections[function] = {'function': function, 'load': counts.words_of(report['asked'])['of'],
                                      'ours': one['ours'], 'whole': one['whole']}
    known = sections.pop('known_off', {'ours': None})
    if known['ours'] != KNOWN:
        sys.exit(f'off.py: the known section was not counted right: {known}')
    write_json(out, sorted(sections.values(), key=lambda one: -us_of(one['ours'])), 1)


def rows(sections):
    yield ['function', 'load', 'instructions', 'lines', 'estimated us', 'the whole section: instructions', 'lines']
    for one in sections:
        yield [one['function'], LOADS.get(one['load'], (f'busy CPUs: {one["load"]}', ))[0]] + \
            [f'{value:,}' for value in one['ours']] + [f'{us_of(one["ours"]):.1f}'] + \
            ['' if one['whole'] == one['ours'] else f'{value:,}' for value in one['whole']]


def show(path):
    sections = read_json(path)
    header, *lines = rows(sections)
    print_table(header, lines)
    return any(us_of(one['ours']) > LIMIT_US for one in sections)


def lines(path):
    """The lines of the page, the first one with titles."""
    return list(rows(read_json(path)))


if __name__ == '__main__':
    command_of(__doc__, plan=plan, collect=collect, show=show)
