#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plots.py - draw results.json with gnuplot.

usage: plots.py RESULTS.json DIR

Writes the plots as SVG into DIR, and prints their names: what a task costs, how soon it
starts, bursts, clients, sleepers, a thread for each task, the mix, computing, the full
queue, HTTP, growth with tasks, CPUs and pools. A plot shows the native measurements, else
those of QEMU. A plot without measurements is not drawn.
"""

import json
import math
import os
import subprocess
import sys

from results import machine_of
from table import PEERS, boots_of, figure, machine_text

COLOURS = {'wpool': '#d1495b', 'percpu': '#30638e', 'unbound': '#7fa6c9',
           'kworker': '#8d96a3', 'kthread': '#c9c9c9', 'floor': '#b0a99f',
           'semaphore': '#30638e', 'fifo': '#e8a0aa', 'thread': '#c9c9c9'}

# Readable on a light and on a dark page: no background, and text of a medium grey.
TEXT = '#78818b'
STYLE = f'''
set terminal svg size 860,480 dynamic noenhanced font "Helvetica,15"
set output "{{path}}"
set title "{{title}}" font ",18" offset 0,1.2 tc rgb "{TEXT}"
set label "{{note}}" at screen 0.5, 0.865 center font ",12" tc rgb "{TEXT}"
set border 3 lc rgb "{TEXT}"
set tics nomirror tc rgb "{TEXT}"
set grid ytics lc rgb "#a0888888" lt 1
set key at screen 0.5, 0.02 bottom center horizontal maxrows 1 tc rgb "{TEXT}"
set tmargin 5
set bmargin {{bmargin}}
set style fill solid 0.95 noborder
set decimalsign "."
'''

# A line from the median to the worst round.
WORST = f'with vectors nohead lw 1.5 lc rgb "{TEXT}" notitle'


def gnuplot(script, directory=None):
    subprocess.run(['gnuplot'], input=script, text=True, check=True, cwd=directory)


def quoted(text):
    return '"' + text.replace('"', "'") + '"'


def bars(path, title, ylabel, groups, series, values, log=False, note=''):
    """Draw a bar with its number for each group and peer: values[group][peer] = (median, worst)."""
    nothing = (float('nan'), float('nan'))
    lines = [' '.join([quoted(group)] + [f'{value:.6g}' for peer in series
                                         for value in values[group].get(peer, nothing)])
             for group in groups]
    more_lines = max(group.count(r'\n') for group in groups)
    script = STYLE.format(path=path, title=title, note=note, bmargin=5 + more_lines)
    script += f'set ylabel "{ylabel}" tc rgb "{TEXT}"\n'
    width = 0.85 / len(series)
    script += f'set boxwidth {width * 0.92:.4f}\n'
    if log:
        script += 'set logscale y\nset format y "%g"\n'
        shown = [value for found in values.values() for pair in found.values() for value in pair]
        script += f'set yrange [{10 ** math.floor(math.log10(0.9 * min(shown)))}:{2 * max(shown):g}]\n'
    else:
        script += 'set yrange [0:*]\nset offsets 0, 0, graph 0.08, 0\n'
    script += f'set xrange [-0.5:{len(groups) - 0.5}]\n'
    script += 'set xtics (' + ', '.join(f'{quoted(group)} {i}'
                                        for i, group in enumerate(groups)) + ') scale 0\n'
    script += 'shown(x) = sprintf(x >= 100 ? "%.0f" : "%.3g", x)\n'
    script += '$DATA << EOD\n' + '\n'.join(lines) + '\nEOD\n'
    parts, whiskers, labels = [], [], []
    for i, peer in enumerate(series):
        x = f'($0{(i - (len(series) - 1) / 2) * width:+.4f})'
        median, worst = 2 * i + 2, 2 * i + 3
        parts.append(f'$DATA using {x}:{median} with boxes '
                     f'title {quoted(PEERS.get(peer, peer))} lc rgb "{COLOURS[peer]}"')
        whiskers.append(f'$DATA using {x}:{median}:(0):(${worst}-${median}) {WORST}')
        labels.append(f'$DATA using {x}:(${worst} > ${median} ? ${worst} : ${median}):'
                      f'(shown(${median})) with labels notitle offset 0,0.6 font ",10" '
                      f'tc rgb "{TEXT}"')
    return script + 'plot ' + ', \\\n     '.join(parts + whiskers + labels) + '\n'


def lines(path, title, xlabel, ylabel, series, note=''):
    """series: (name, colour, [(x, y, worst)])"""
    script = STYLE.format(path=path, title=title, note=note, bmargin=6.5)
    script += f'set xlabel "{xlabel}" tc rgb "{TEXT}"\nset ylabel "{ylabel}" tc rgb "{TEXT}"\n'
    script += 'set yrange [0:*]\nset logscale x\nset format x "%.0s%c"\n'
    xs = sorted({x for _, _, points in series for x, _, _ in points})
    script += f'set xtics ({", ".join(str(x) for x in xs)})\n'
    script += f'set xrange [{xs[0] * 0.8}:{xs[-1] * 1.25}]\n'
    worst, parts = [], []
    for i, (name, colour, points) in enumerate(series):
        script += f'$D{i} << EOD\n' + '\n'.join(
            ' '.join(f'{value:.6g}' for value in point) for point in points) + '\nEOD\n'
        worst.append(f'$D{i} using 1:2:(0):($3-$2) with vectors nohead lw 1.5 '
                     f'lc rgb "{colour}" notitle')
        parts.append(f'$D{i} using 1:2 with linespoints lw 2.5 pt 7 ps 0.8 '
                     f'lc rgb "{colour}" title {quoted(name)}')
    return script + 'plot ' + ', \\\n     '.join(worst + parts) + '\n'


POOLS = ('wpool', 'percpu', 'unbound', 'kworker')
PERCENTILES = ('p50', 'p90', 'p99')
LENGTHS = ('0.5us', '2us', '10us', '100us', '1ms')
SLEEPS = ('1ms/1024', '1ms/512', '100ms/1000', '10ms/16384')
COST = {'one by one': (1, 'single'), 'batches of 64': (1, 'batch'),
        'a producer per CPU': (2, 'single'), 'fork-join tree': (4, 'tree')}
COST_ONE = {'one by one': (10, 'single'), 'batches of 64': (10, 'batch'), 'fork-join tree': (10, 'tree')}
EACH = {r'2^20 of 1 ms,\n1,024 workers': '1ms/1024', r'10^6 of 10 ms,\n16,384 workers': '10ms/16384',
        r'10^5 of 100 ms,\n1,000 workers': '100ms/1000'}
HTTP = {'1': 'keep_1', '16': 'keep_16', '256': 'keep_256', '2,000': 'keep_2000',
        # gnuplot breaks the labels at \n: long labels side by side would overlap
        r'64, one\nrequest each': 'short_64', r'512, a handler\nof 10 ms': 'slow_512'}


def divided_by(by):
    return lambda one, value: value / by


def a_second(by, share=1):
    """Convert a task's time to tasks a second (@by 1e9 for ns), and count only @share of the tasks."""
    return lambda one, value: by / value * share


def noops_a_second(one, value):
    return 0.9 * one['params']['n'] / value * 1e6


def of_figure(name):
    return lambda one, value: value / figure(one, name)


def plot(name, title, ylabel, row, groups, peers, what, convert=divided_by(1), boot=None, better='less',
         log=False):
    """@groups: name -> a variant of the row, or (row, variant). "{}" in @what stands for the group's name."""
    return {'name': name, 'title': title, 'ylabel': ylabel, 'row': row, 'groups': groups, 'peers': peers,
            'what': what, 'convert': convert, 'boot': boot, 'better': better, 'log': log}


BARS = [
    plot('cost', 'What a task that does nothing costs', 'ns a task', (1, 2, 4), COST, POOLS,
         'total_ns_per_task'),
    plot('instructions', 'What a task that does nothing costs', 'instructions a task, all CPUs', 1, COST,
         POOLS, 'instructions_per_task', boot='icount'),
    plot('cost-one-cpu', 'What a task that does nothing costs on one CPU', 'ns a task', 10, COST_ONE, POOLS,
         'total_ns_per_task'),
    *[plot(f'latency-{v}', title, 'microseconds', 3, {one: (3, v) for one in PERCENTILES},
           ('floor',) + POOLS, 'start_{}', divided_by(1000), log=True)
      for v, title in (('local', 'From submit to start, on the CPU of the submitter'),
                       ('cross', 'From submit to start, on another CPU'),
                       ('free', 'From submit to start, wherever the task runs'))],
    plot('burst', 'A burst of no-ops for a pool that sleeps, until the last has run', 'microseconds', 11,
         {f'{tasks:,}': f'{tasks}_tasks' for tasks in (1, 4, 16, 64, 1000)}, POOLS, 'burst_p50',
         divided_by(1000), log=True),
    plot('clients', 'Clients that submit and wait', 'thousand trips a second', 12,
         {'1 client': '1_client', '2 clients': '2_clients', '8 clients': '8_clients'}, POOLS,
         'total_ns_per_task', a_second(1e6), better='more'),
    plot('sleep', 'Tasks that sleep: time per workers, against the ideal', 'times the ideal', 5,
         {v: v for v in SLEEPS}, ('wpool', 'unbound'), 'total_ns', of_figure('floor_ns')),
    *[plot(name, f'A pool, or a thread for each task: {title}', ylabel, 27, EACH,
           ('wpool', 'kthread', 'unbound'), what, divided_by(by), log=True)
      for name, title, ylabel, what, by in (('each', 'time', 'seconds', 'total_ns', 1e9),
                                            ('each-memory', 'memory at most', 'MiB', 'peak_bytes', 2 ** 20))],
    plot('mix', 'No-op tasks among sleepers (9 to 1)', 'thousand no-ops a second', 6,
         {'a producer per CPU': 'a_producer_a_CPU', 'one producer': 'one_producer'},
         ('wpool', 'percpu', 'unbound'), 'noop_ns', noops_a_second, better='more'),
    plot('computing', 'Tasks that compute, one producer: total, against the ideal', 'times the ideal', 14,
         {v: v for v in LENGTHS}, POOLS, 'total_ns', of_figure('ideal_ns')),
    plot('queue', 'The wait in a full queue: 4 workers, 1,000 queued, 500 us each', 'milliseconds', 17,
         {one: (17, 'asleep') for one in ('p50', 'p99', 'max')}, ('wpool', 'fifo', 'percpu', 'unbound'),
         'wait_{}', divided_by(1000)),
    plot('http-rate', 'HTTP over loopback, by connections', 'thousand requests a second', 21, HTTP,
         ('wpool', 'percpu', 'unbound', 'thread'), 'per_request_ns', a_second(1e6), better='more'),
    plot('http-p99', 'HTTP over loopback, by connections: p99', 'milliseconds', 21, HTTP,
         ('wpool', 'percpu', 'unbound', 'thread'), 'request_p99', divided_by(1e6), log=True),
]

PALE = '#e8a0aa'
# Curves of row 8: name, title, axes, boots (None: the boot with times), figure, position of a
# measurement on the x axis, and curves: name, colour, variant, peer.
CURVES = [
    ('growth-tasks', 'Does a task cost more among many?', 'tasks', 'ns a task', None,
     'total_ns_per_task', lambda one: one['params']['n'],
     [(PEERS[peer], COLOURS[peer], 'tasks', peer) for peer in ('wpool', 'percpu')]),
    ('growth-cpus', 'Does a task cost more on many CPUs?', 'CPUs, a producer each',
     'instructions a task', [f'cpus{n}' for n in (1, 2, 4, 8)],
     'instructions_per_task', lambda one: int(one['boot'][4:]),
     [('wpool', COLOURS['wpool'], 'cpus', 'wpool'), ('wpool, batches of 64', PALE, 'cpus_batch', 'wpool'),
      (PEERS['percpu'], COLOURS['percpu'], 'cpus', 'percpu')]),
    ('growth-pools', 'Does a task cost more among many pools?', 'pools', 'ns a task', None,
     'total_ns_per_task', lambda one: one['params']['pools'],
     [('wpool, one of the pools used', COLOURS['wpool'], 'pools', 'wpool'),
      ('wpool, in turn', PALE, 'spread', 'wpool'),
      ('per-CPU workqueues, in turn', COLOURS['percpu'], 'spread', 'percpu')]),
]


class Plots:
    def __init__(self, results, directory, draw=gnuplot):
        self.measurements = results['measurements']
        self.run = results['run']
        self.directory = directory
        self.draw = draw
        self.made = []

    def boot(self, *rows):
        """The boot whose figures of these rows are drawn; None if none has any."""
        there = {one['boot'] for one in self.measurements if one['row'] in rows}
        return next((boot for row in rows for boot in boots_of(row) if boot in there), None)

    def find(self, row, boot, v, peer):
        return [one for one in self.measurements if (one['row'], one['boot'], one['variant'], one['peer']) ==
                (row, boot, v, peer) and one['params'].get('handoff') != 0]

    def path(self, name):
        path = os.path.join(self.directory, name + '.svg')
        self.made.append(path)
        return path

    def note(self, boot, better='less'):
        cpus = {'native1': 1, 'wide': 8}.get(boot, self.run.get('cpus', ''))
        return f'{machine_text(self.run, machine_of(boot))}, CPUs: {cpus}; {better} is better; ' \
               'thin lines: to the worst round'

    def pick(self, of, group, peer, boot):
        """The median and the worst round of a measurement, or None."""
        where = of['groups'][group]
        row, v = where if isinstance(where, tuple) else (of['row'], where)
        what = of['what'].format(group)
        if peer == 'fifo':
            peer, what = 'wpool', what.replace('wait', 'fifo')
        # For a peer without batches, show the measurement of single submits.
        v = 'single' if v == 'batch' and peer != 'wpool' else v
        for one in self.find(row, boot, v, peer):
            if figure(one, what) is not None:
                return tuple(of['convert'](one, figure(one, what, which)) for which in ('median', 'worst'))
        return None

    def bars(self, of):
        """Draw a plot of BARS, if there are figures for it."""
        rows = of['row'] if isinstance(of['row'], tuple) else (of['row'],)
        boot = of['boot'] or self.boot(*rows)
        values = {}
        for group in of['groups']:
            found = {peer: self.pick(of, group, peer, boot) for peer in of['peers']}
            found = {peer: value for peer, value in found.items() if value is not None}
            if found:
                values[group] = found
        shown = [peer for peer in of['peers'] if any(peer in found for found in values.values())]
        if values:
            self.draw(bars(self.path(of['name']), of['title'], of['ylabel'], list(values), shown, values,
                           note=self.note(boot, of['better']), log=of['log']))

    def curves(self, name, title, xlabel, ylabel, boots, what, xof, wanted):
        series = []
        for label, colour, v, peer in wanted:
            points = [(xof(one), figure(one, what), figure(one, what, 'worst'))
                      for boot in boots or [self.boot(8)] for one in self.find(8, boot, v, peer)]
            if points:
                series.append((label, colour, sorted(points)))
        if series:
            self.draw(lines(self.path(name), title, xlabel, ylabel, series,
                            self.note((boots or [self.boot(8)])[0])))

    def named(self, name):
        self.bars(next(of for of in BARS if of['name'] == name))

    def all(self):
        for of in BARS:
            self.bars(of)
        for of in CURVES:
            self.curves(*of)
        return self.made


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        results = json.load(file)
    os.makedirs(sys.argv[2], exist_ok=True)
    for path in Plots(results, sys.argv[2]).all():
        print(path)


if __name__ == '__main__':
    main()
