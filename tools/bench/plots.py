#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plots.py - draw results.json with gnuplot.

usage: plots.py RESULTS.json DIR

Writes one SVG per idea into DIR, and prints their names: what a task costs, how soon
it starts, bursts, clients, sleepers, a thread for each task, the mix, computing, the full queue,
HTTP, growth with tasks, CPUs and pools. What was measured natively is drawn, else what QEMU
measured. A plot whose measurements are not there is not drawn.
"""

import json
import math
import os
import subprocess
import sys

from table import PEERS, boots_of, figure, machine_text

COLOURS = {'wpool': '#d1495b', 'percpu': '#30638e', 'unbound': '#7fa6c9',
           'kworker': '#8d96a3', 'kthread': '#c9c9c9', 'floor': '#b0a99f',
           'semaphore': '#30638e', 'fifo': '#e8a0aa', 'thread': '#c9c9c9'}

# To be read on a light page and on a dark one: no background, and text between the two.
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

# From the median to the worst round.
WORST = f'with vectors nohead lw 1.5 lc rgb "{TEXT}" notitle'


def gnuplot(script):
    subprocess.run(['gnuplot'], input=script, text=True, check=True)


def quoted(text):
    return '"' + text.replace('"', "'") + '"'


def bars(path, title, ylabel, groups, series, values, log=False, note=''):
    """values[group][peer] = (median, worst); each peer a bar in each group, with its number."""
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
    gnuplot(script + 'plot ' + ', \\\n     '.join(parts + whiskers + labels) + '\n')


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
    gnuplot(script + 'plot ' + ', \\\n     '.join(worst + parts) + '\n')


def both(one, name, convert=lambda value: value):
    """The median and the worst of a measurement; None if it has none."""
    value = figure(one, name)
    return None if value is None else (convert(value), convert(figure(one, name, 'worst')))


class Plots:
    def __init__(self, results, directory):
        self.measurements = results['measurements']
        self.results = results
        self.directory = directory
        self.made = []

    def boot(self, *rows):
        """The boot whose figures of these rows are drawn; None if none has any."""
        there = {one['boot'] for one in self.measurements if one['row'] in rows}
        return next((boot for row in rows for boot in boots_of(row) if boot in there), None)

    def where(self, boot):
        machine = 'native' if boot.startswith('native') else 'qemu'
        cpus = {'native1': 1, 'wide': 8}.get(boot, self.results['run'].get('cpus', ''))
        return f'{machine_text(self.results["run"], machine)}, CPUs: {cpus}'

    def find(self, row, boot=None, **params):
        boot = boot or self.boot(row)
        return [one for one in self.measurements if one['row'] == row and
                one['boot'] == boot and
                all(one['params'].get(key) == value for key, value in params.items())]

    def path(self, name):
        path = os.path.join(self.directory, name + '.svg')
        self.made.append(path)
        return path

    def note(self, boot, better='less'):
        return f'{self.where(boot)}; {better} is better; thin lines: to the worst round'

    def grouped(self, name, title, ylabel, groups, series, pick, boot, better='less', log=False):
        """pick(group, peer) -> median and worst of a measurement, or None."""
        values = {}
        for group in groups:
            found = {peer: pick(group, peer) for peer in series}
            found = {peer: value for peer, value in found.items() if value is not None}
            if found:
                values[group] = found
        shown = [peer for peer in series if any(peer in found for found in values.values())]
        if values:
            bars(self.path(name), title, ylabel, list(values), shown, values,
                 note=self.note(boot, better), log=log)

    def value(self, row, name, boot=None, **params):
        found = self.find(row, boot, **params)
        return both(found[0], name) if found else None

    def scaled(self, row, name, convert, **params):
        found = self.find(row, **params)
        return both(found[0], name, convert) if found else None

    def of_task(self, row, v, peer, boot, what):
        """A peer that knows no batches gets the tasks one by one."""
        if v == 'batch' and peer != 'wpool':
            v = 'single'
        return self.value(row, what, boot, v=v, peer=peer)

    def cost(self):
        groups = {'one by one': (1, 'single'), 'batches of 64': (1, 'batch'),
                  'a producer per CPU': (2, 'single'), 'fork-join tree': (4, 'tree')}
        for name, title, ylabel, boot, what in (
                ('cost', 'What a task that does nothing costs', 'ns a task', self.boot(1, 2, 4),
                 'total_ns_per_task'),
                ('instructions', 'What a task that does nothing costs',
                 'instructions a task, all CPUs', 'icount', 'instructions_per_task')):
            self.grouped(name, title, ylabel, groups,
                         ('wpool', 'percpu', 'unbound', 'kworker'),
                         lambda group, peer, boot=boot, what=what: self.of_task(
                             *groups[group], peer, boot, what), boot)
        native = {'one by one': 'single', 'batches of 64': 'batch', 'fork-join tree': 'tree'}
        self.grouped('cost-one-cpu', 'What a task that does nothing costs on one CPU', 'ns a task',
                     native, ('wpool', 'percpu', 'unbound', 'kworker'),
                     lambda group, peer: self.of_task(10, native[group], peer, 'native1',
                                                      'total_ns_per_task'), 'native1')

    def latency(self):
        for v, title in (('local', 'From submit to start, on the CPU of the submitter'),
                         ('cross', 'From submit to start, on another CPU'),
                         ('free', 'From submit to start, wherever the task runs')):
            def pick(group, peer, v=v):
                for one in self.find(3, v=v, peer=peer):
                    return both(one, f'start_{group}', lambda ns: ns / 1000)
                return None
            self.grouped(f'latency-{v}', title, 'microseconds', ('p50', 'p90', 'p99'),
                         ('floor', 'wpool', 'percpu', 'unbound', 'kworker'), pick, self.boot(3),
                         log=True)

    def burst(self):
        groups = {f'{tasks:,}': f'{tasks}_tasks' for tasks in (1, 4, 16, 64, 1000)}

        def pick(group, peer):
            for one in self.find(11, v=groups[group], peer=peer):
                return both(one, 'burst_p50', lambda ns: ns / 1000)
            return None
        self.grouped('burst', 'A burst of no-ops for a pool that sleeps, until the last has run',
                     'microseconds', groups, ('wpool', 'percpu', 'unbound', 'kworker'), pick,
                     self.boot(11), log=True)

    def clients(self):
        groups = {'1 client': '1_client', '2 clients': '2_clients', '8 clients': '8_clients'}

        def pick(group, peer):
            for one in self.find(12, v=groups[group], peer=peer):
                return both(one, 'total_ns_per_task', lambda ns: 1e6 / ns)
            return None
        self.grouped('clients', 'Clients that submit and wait', 'thousand trips a second', groups,
                     ('wpool', 'percpu', 'unbound', 'kworker'), pick, self.boot(12),
                     better='more')

    def computing(self):
        lengths = ('0.5us', '2us', '10us', '100us', '1ms')

        def pick(group, peer):
            for one in self.find(14, v=group, peer=peer):
                return both(one, 'total_ns', lambda ns, one=one: ns / figure(one, 'ideal_ns'))
            return None
        self.grouped('computing', 'Tasks that compute, one producer: total, against the ideal',
                     'times the ideal', lengths, ('wpool', 'percpu', 'unbound', 'kworker'), pick,
                     self.boot(14))

    def queue(self):
        def pick(group, peer):
            what = 'fifo' if peer == 'fifo' else 'wait'
            for one in self.find(17, v='asleep', peer='wpool' if peer == 'fifo' else peer):
                return both(one, f'{what}_{group}', lambda us: us / 1000)
            return None
        self.grouped('queue', 'The wait in a full queue: 4 workers, 1,000 queued, 500 us each',
                     'milliseconds', ('p50', 'p99', 'max'),
                     ('wpool', 'fifo', 'percpu', 'unbound'), pick, self.boot(17))

    def sleep(self):
        def pick(group, peer):
            for one in self.find(5, v=group, peer=peer):
                return both(one, 'total_ns', lambda ns, one=one: ns / figure(one, 'floor_ns'))
            return None
        self.grouped('sleep', 'Tasks that sleep: time per workers, against the ideal',
                     'times the ideal', ('1ms/1024', '1ms/512', '100ms/1000', '10ms/16384'),
                     ('wpool', 'unbound'), pick, self.boot(5))

    def each(self):
        loads = {r'2^20 of 1 ms,\n1,024 workers': '1ms/1024', r'10^6 of 10 ms,\n16,384 workers': '10ms/16384',
                 r'10^5 of 100 ms,\n1,000 workers': '100ms/1000'}
        for name, title, ylabel, what, by in (
                ('each', 'A pool, or a thread for each task: time', 'seconds', 'total_ns', 1e9),
                ('each-memory', 'A pool, or a thread for each task: memory at most', 'MiB',
                 'peak_bytes', 2 ** 20)):
            self.grouped(name, title, ylabel, loads, ('wpool', 'kthread', 'unbound'),
                         lambda group, peer, what=what, by=by: self.scaled(
                             27, what, lambda value: value / by, v=loads[group], peer=peer),
                         self.boot(27), log=True)

    def mix(self):
        groups = {'a producer per CPU': 'a_producer_a_CPU', 'one producer': 'one_producer'}

        def pick(group, peer):
            more = {'handoff': 1} if peer == 'wpool' else {}
            for one in self.find(6, v=groups[group], peer=peer, **more):
                noops = 0.9 * one['params']['n']
                return both(one, 'noop_ns', lambda ns, noops=noops: noops / ns * 1e6)
            return None
        self.grouped('mix', 'No-op tasks among sleepers (9 to 1)', 'thousand no-ops a second',
                     groups, ('wpool', 'percpu', 'unbound'), pick, self.boot(6), better='more')

    def serving(self):
        peers = ('wpool', 'percpu', 'unbound', 'thread')
        loads = {'1': 'keep_1', '16': 'keep_16', '256': 'keep_256', '2,000': 'keep_2000',
                 # gnuplot breaks the lines: side by side they would cover each other
                 r'64, one\nrequest each': 'short_64', r'512, a handler\nof 10 ms': 'slow_512'}

        def rate(group, peer):
            return self.scaled(21, 'per_request_ns', lambda ns: 1e6 / ns, v=loads[group], peer=peer)

        def p99(group, peer):
            return self.scaled(21, 'request_p99', lambda ns: ns / 1e6, v=loads[group], peer=peer)
        self.grouped('http-rate', 'HTTP over loopback, by connections',
                     'thousand requests a second', loads, peers, rate, self.boot(21),
                     better='more')
        self.grouped('http-p99', 'HTTP over loopback, by connections: p99', 'milliseconds', loads,
                     peers, p99, self.boot(21), log=True)

    def growth(self):
        def curve(name, title, xlabel, ylabel, row, boots, what, xof, variants):
            series = []
            for label, colour, params in variants:
                points = []
                for boot in boots:
                    for one in self.find(row, boot, **params):
                        points.append((xof(one), figure(one, what),
                                       figure(one, what, 'worst')))
                if points:
                    series.append((label, colour, sorted(points)))
            if series:
                lines(self.path(name), title, xlabel, ylabel, series, self.note(boots[0]))

        curve('growth-tasks', 'Does a task cost more among many?', 'tasks',
              'ns a task', 8, (self.boot(8),), 'total_ns_per_task',
              lambda one: one['params']['n'],
              [(PEERS[peer], COLOURS[peer], {'v': 'tasks', 'peer': peer})
               for peer in ('wpool', 'percpu')])
        curve('growth-cpus', 'Does a task cost more on many CPUs?', 'CPUs, a producer each',
              'instructions a task', 8, [f'cpus{n}' for n in (1, 2, 4, 8)],
              'instructions_per_task', lambda one: int(one['boot'][4:]),
              [('wpool', COLOURS['wpool'], {'v': 'cpus', 'peer': 'wpool'}),
               ('wpool, batches of 64', '#e8a0aa', {'v': 'cpus_batch', 'peer': 'wpool'}),
               (PEERS['percpu'], COLOURS['percpu'], {'v': 'cpus', 'peer': 'percpu'})])
        curve('growth-pools', 'Does a task cost more among many pools?', 'pools',
              'ns a task', 8, (self.boot(8),), 'total_ns_per_task',
              lambda one: one['params']['pools'],
              [('wpool, one of the pools used', COLOURS['wpool'], {'v': 'pools', 'peer': 'wpool'}),
               ('wpool, in turn', '#e8a0aa', {'v': 'spread', 'peer': 'wpool'}),
               ('per-CPU workqueues, in turn', COLOURS['percpu'],
                {'v': 'spread', 'peer': 'percpu'})])

    def all(self):
        for plot in (self.cost, self.latency, self.burst, self.clients, self.sleep, self.each,
                     self.mix, self.computing, self.queue, self.serving, self.growth):
            plot()
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
