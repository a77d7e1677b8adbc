#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""readme.py - write the measured figures into the documents.

usage: readme.py write [FILE]...   keep what these files have, then write all pages: what the pages show of a
                                   results.json becomes measured.json; counts.json, off.json, samples.json
       readme.py check             do the pages show what the kept files have?

A text between the comments "NAME: begin" and "NAME: end" of a page is replaced, see blocks(), so figures that were
not measured disappear. A results.json also draws the plot of benchmarks.rst. check also refuses a quantity in the
text of README.md, Documentation/*.rst or OTHER_PAGES that is neither in a table between such comments, nor one of
CONSTANTS.
"""

import math
import pathlib
import re
import sys
import textwrap
from itertools import zip_longest

import bars
import counts
import drivers
import off
import samples
from plan import ROWS
from results import NEAR_NS, by_row, command_of, each_of, read_json, write_json
from table import HTTP_LOADS, PEERS, TITLES, figure, machine_text, number, states_text, value_of

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
# The measured figures that the pages show.
MEASURED = HERE / 'measured.json'
README = TOP / 'README.md'
BENCHMARKS, GROWTH, DRIVERS = (TOP / f'Documentation/{name}.rst' for name in ('benchmarks', 'growth', 'drivers'))
# The plot that benchmarks.rst shows.
PLOT = TOP / 'Documentation/each.svg'

# The lines of the first table: name, row, wpool's variant, the peers' variant.
COSTS = (
    ('two CPUs, one producer, one by one', 1, 'single', 'single'),
    ('two CPUs, one producer, batches of 64', 1, 'batch', 'single'),
    ('two CPUs, one producer, `wpool_invoke()`', 1, 'invoke', 'single'),
    ('two CPUs, a producer each', 2, 'single', 'single'),
    ('two CPUs, a producer each, 20,000 tasks', 2, 'few', 'few'),
    ('two CPUs, a tree of tasks', 4, 'tree', 'tree'),
    ('two CPUs, a tree in any order in memory', 4, 'shuffled', 'shuffled'),
    ('one CPU, one by one', 10, 'single', 'single'),
    ('one CPU, batches of 64', 10, 'batch', 'single'),
    ('one CPU, a tree of tasks', 10, 'tree', 'tree'),
    ('one CPU, a tree in any order in memory', 10, 'shuffled', 'shuffled'),
    ('20,000 tasks allocated, submitted, freed by their function', 13, 'detached', 'kmalloc'),
    ('20,000 of `wpool_submit_fn()`', 13, 'submit_fn', 'kmalloc'),
    ('20,000 of `wpool_invoke()`', 13, 'invoke', 'kmalloc'),
)
OTHERS = ('percpu', 'unbound', 'kworker', 'kthread')

# name, row, variant, figures, divisor
TIMES = (
    ('submit to start, this CPU, asleep: p50 (p99)', 3, 'local', ('start_p50', 'start_p99'), 1e3),
    ('submit to start, another CPU, asleep: p50 (p99)', 3, 'cross', ('start_p50', 'start_p99'), 1e3),
    ('submit to start, any CPU, asleep: p50 (p99)', 3, 'free', ('start_p50', 'start_p99'), 1e3),
    ('burst of 1 for a pool that sleeps: p50', 11, '1_tasks', ('burst_p50',), 1e3),
    ('burst of 4: p50', 11, '4_tasks', ('burst_p50',), 1e3),
    ('burst of 16: p50', 11, '16_tasks', ('burst_p50',), 1e3),
    ('burst of 64: p50', 11, '64_tasks', ('burst_p50',), 1e3),
    ('burst of 1,000: p50', 11, '1000_tasks', ('burst_p50',), 1e3),
    ('submit and wait, 1 client: p50 (p99)', 12, '1_client', ('trip_p50', 'trip_p99'), 1e3),
    ('submit and wait, 2 clients: p50 (p99)', 12, '2_clients', ('trip_p50', 'trip_p99'), 1e3),
    ('submit and wait, 8 clients: p50 (p99)', 12, '8_clients', ('trip_p50', 'trip_p99'), 1e3),
    ('a trip of 1 client, on average', 12, '1_client', ('total_ns_per_task',), 1e3),
    ('a trip of 2 clients, on average', 12, '2_clients', ('total_ns_per_task',), 1e3),
    ('a trip of 8 clients, on average', 12, '8_clients', ('total_ns_per_task',), 1e3),
    ('from a timer interrupt to start: p50 (p99)', 16, 'timer', ('start_p50', 'start_p99'), 1e3),
    ('two tasks of 9 ms, 100 µs apart, one CPU: both done, p50', 19, 'pair', ('pair_p50',), 1e3),
    ('1,000 pools destroyed one after the other', 23, 'one_thread', ('total_ns',), 1e3),
    ('1,000 pools destroyed by ten threads at once', 23, 'ten_threads', ('total_ns',), 1e3),
)
# Costs on a stock kernel: name, variant of row 9, figure.
COST = (
    ('the module, its threads and the pool `default`, at rest: bytes of memory', 'rest', 'rest_bytes'),
    ('of these the module, as `lsmod` says', 'rest', 'module_bytes'),
    ('threads at rest', 'rest', 'rest_threads'),
    ('wake-ups of all threads in {seconds} s after a load', 'quiet', 'quiet_switches'),
    ('a pool, with its files in sysfs: bytes', 'memory', 'pool_bytes'),
    ('an idle worker, a thread with its stack: bytes', 'memory', 'worker_bytes'),
    ('a task, which is a part of the caller\'s object: bytes', 'memory', 'task_bytes'),
    ('to queue it: bytes', 'memory', 'queued_bytes'),
)
# name, row, variant
COMPUTING = (
    ('0.5 µs', 14, '0.5us'), ('2 µs', 14, '2us'), ('10 µs', 14, '10us'),
    ('100 µs', 14, '100us'), ('1 ms', 14, '1ms'),
    ('90 % of 0.5 µs, 9 % of 10 µs, 1 % of 100 µs', 15, 'mix'),
)

# Several pools behind one handle: the loads of row 22, by their names in the table.
SEVERAL = (
    ('no-ops, one producer', 'no-ops,_one_producer'),
    ('no-ops, a producer a CPU', 'no-ops,_a_producer_a_CPU'),
    ('a mix of lengths, one producer', 'mix,_one_producer'),
    ('a mix of lengths, a producer a CPU', 'mix,_a_producer_a_CPU'),
)
HANDLES = ('one_pool', '2_in_turn', '8_in_turn', '2_by_room', '8_by_room')

# For these shapes the figure is the time of one operation.
SHAPES_TIMED = {'2_clients,_500_ns': 'trip', '16_clients,_500_ns': 'trip',
                'an_interrupt_submits_32_of_2_us': 'beside'}

# A pool, or a thread for each task: the loads of row 27, and the peers with their variants.
EACH = ('1ms/1024', '10ms/16384', '100ms/1000', 'no-ops')
# The variants that count allocations, and the texts of their lines.
ALLOCS = (('allocs', 'tasks of 1 ms, 1,024 workers'), ('allocs_10ms/16384', 'tasks of 10 ms, 16,384 workers'),
          ('allocs_100ms/1000', 'tasks of 100 ms, 1,000 workers'), ('allocs_no-ops', 'no-ops'))
EACH_PEERS = (('wpool', ''), ('kthread', ''), ('unbound', ''), ('wpool', '_bounded'),
              ('bounded', '_bounded'))

# The summary: a comparison's row and name in bars.py, and its text.
RATIOS = (
    (1, 'single submit: faster than the better workqueue',
     'tasks that do nothing, submitted one by one, against the better workqueue'),
    (1, 'batch of 64: faster than the better workqueue',
     'the same in batches of 64'),
    (13, 'wpool_submit_fn(): of the rate of kmalloc() and queue_work()',
     '`wpool_submit_fn()`, against `kmalloc()` and `queue_work()`'),
    (6, 'no-ops among sleepers, one producer: of the per-CPU workqueue\'s rate',
     'nine no-ops to each task that sleeps for 1 ms, against the per-CPU workqueue'),
    (27, '10 ms on 16,384 workers: time, of that with a kthread per task',
     'a million tasks that sleep for 10 ms, on 16,384 workers, against a kthread for each'),
    (27, '10 ms on 16,384 workers: time, of the unbound workqueue\'s',
     'the same against an unbound workqueue, which runs 2,048 at a time'),
)
# The README shows the largest ratio that wpool loses of each of this number of workloads.
NR_SLOWEST = 12
# A comparison with the kernel's own pools names one of these.
RIVALS = re.compile(r'workqueue|kthread_worker|queue_work|wake_up_process|peer\b|timers|semaphore|thread per')

# From this number on, comparisons that differ only in their load share a line.
MANY = 3
# The rows whose figures are in no table but that of the comparisons.
ONLY_COMPARED = (5, 6, 7, 8, 20, 25, 26, 31, 32, 33)


class Tables:
    """The native measurements, as tables of text."""

    def __init__(self, results):
        self.results = results
        self.judged = [one for one in bars.judge(results) if one['machine'] == 'native']
        self.measured = [one for one in each_of(results) if one['machine'] == 'native']
        self.two_states = all(any(state in one['states'] for one in self.measured) for state in ('near', 'far'))

    def find(self, row, v, peer, boot='native', **params):
        return next((one for one in self.results['measurements'].get(str(row), ())
                     if one['boot'].startswith(boot) and (one['variant'], one['peer']) == (v, peer) and
                     all(str(one['params'].get(key, value)) == value for key, value in params.items())), None)

    def cell(self, one, name, by=1, which='median'):
        """One figure; or two, near / far, if the run has measurements of both states."""
        states = [figure(one, name, which, state) for state in ('near', 'far')]
        if self.two_states and states != [None, None]:
            return ' / '.join('-' if value is None else number(value / by) for value in states)
        value = figure(one, name, which)
        return number(value / by) if value is not None else ''

    def by_peer(self, title, peers, wanted):
        """A line for each (name, row, wpool's variant, the peers' variant, figures, divisor)."""
        yield [title] + [PEERS[peer] for peer in peers]
        for text, row, ours, theirs, names, by in wanted:
            found = [self.find(row, ours if peer == 'wpool' else theirs, peer) for peer in peers]
            if found[0]:
                yield in_brackets([text], *[[self.cell(one, name, by) for one in found] for name in names])

    def costs(self):
        lines = self.by_peer('a task that does nothing, ns (CPU time)', ('wpool',) + OTHERS,
                             [one + (('total_ns_per_task', 'cpu_ns_per_task'), 1) for one in COSTS])
        measured = [self.find(row, v, 'wpool') for _, row, v, _ in COSTS]
        worst = ['worst'] + [self.cell(one, 'total_ns_per_task', which='worst') for one in measured if one]
        for line, cell in zip(lines, worst):
            yield line[:2] + [cell] + line[2:]

    def times(self):
        return self.by_peer('µs', ('wpool',) + OTHERS[:3],
                            [(text, row, v, v, names, by) for text, row, v, names, by in TIMES])

    def computing(self):
        yield ['tasks that compute: total, of the ideal (CPU time, of the work)', 'wpool'] + \
            [PEERS[peer] for peer in OTHERS[:3]]
        for name, row, v in COMPUTING:
            cells = []
            for peer in ('wpool',) + OTHERS[:3]:
                one = self.find(row, v, peer)
                if one:
                    cpu = figure(one, 'cpu_ns')
                    cells.append(f'{figure(one, "total_ns") / figure(one, "ideal_ns"):.2f}' +
                                 (f' ({cpu / figure(one, "work_ns"):.2f})' if cpu else ''))
            if cells:
                yield [name] + cells

    def queues(self):
        yield ['the wait in a full queue, ms', 'p50', 'p99', 'max',
               'first in, first out: p50', 'p99', 'max']
        for v in ('asleep', 'busy'):
            for peer in ('wpool',) + OTHERS[:2]:
                one = self.find(17, v, peer)
                if one:
                    yield [f'tasks {v}, {PEERS[peer]}'] + \
                        [self.cell(one, f'{what}_{which}', 1e3) for what in ('wait', 'fifo')
                         for which in ('p50', 'p99', 'max')]

    def events(self):
        yield ['events', 'wpool', 'bare timers, or a submit', 'the same, in 128 bytes',
               'delayed works, per-CPU workqueue']
        armed = self.find(24, 'armed', 'wpool')
        if armed:
            nr = armed['params']['n']
            yield [f'{nr:,} armed, ns', self.cell(armed, 'arm_ns', nr), '', '', '']
            yield [f'{nr:,} cancelled, ns', self.cell(armed, 'cancel_sync_ns', nr), '', '', '']
        others = [self.find(24, v, peer) for v, peer in
                  (('wheel', 'timer'), ('wheel_padded', 'timer'), ('wheel', 'percpu'))]
        for v, how in (('wheel', 'a queue without a limit'), ('wheel_in_line', 'no queue')):
            one = self.find(24, v, 'wpool')
            if one and all(others):
                yield [f'{one["params"]["n"]:,} of 10 ms, {how}, ns'] + \
                    [self.cell(other, 'total_ns_per_task') for other in [one] + others]
        fire = self.find(24, 'fire', 'wpool')
        for which in ('p50', 'p99') if fire else ():
            yield [f'from a fire to the start, µs: {which}', self.cell(fire, f'fire_{which}', 1e3),
                   self.cell(fire, f'submit_{which}', 1e3), '', '']

    def serving(self):
        peers = ('wpool', 'percpu', 'unbound', 'thread')
        yield ['HTTP over loopback'] + [PEERS[peer] for peer in peers]
        for v, name in HTTP_LOADS.items():
            found = [self.find(21, v, peer) for peer in peers]
            if not all(found):
                continue
            if v == 'served_500':
                yield [name] + [number(figure(one, 'served_ns') / 1e6) for one in found]
            else:
                yield [name] + [f'{number(1e9 / figure(one, "per_request_ns"))} '
                                f'({number(figure(one, "request_p99") / 1e6)})' for one in found]

    def several(self):
        yield ['ns a task'] + [name.replace('_', ' ') for name in HANDLES]
        for name, load in SEVERAL:
            found = [self.find(22, f'{load},_{handle}', 'wpool') for handle in HANDLES]
            if all(found):
                yield [name] + [self.cell(one, 'total_ns_per_task') for one in found]

    def each(self):
        yield ['a pool, or a thread for each task'] + \
            [PEERS[peer] + (', bounded' if v and peer == 'wpool' else '') for peer, v in EACH_PEERS]
        for load in EACH:
            us, workers = (int(ROWS[27].variants[load][0].params[name]) for name in ('us', 'capacity'))
            found = [self.find(27, load + v, peer) for peer, v in EACH_PEERS]
            if not all(found):
                continue
            n = found[0]['params']['n']
            name = f'{n:,} tasks of {us // 1000} ms, {workers:,} workers' if us else f'{n:,} no-ops'
            fewer = ['' if one['params']['n'] == n else f' for {one["params"]["n"]:,}' for one in found]
            yield in_brackets([name + ': s (MiB)'], [f'{figure(one, "total_ns") / 1e9:.2f}{few}'
                                                    for one, few in zip(found, fewer)],
                              [number(figure(one, 'peak_bytes') / 2 ** 20) for one in found])
            if any(figure(one, 'refused') for one in found):
                yield ['no thread could be made, times'] + [number(figure(one, 'refused')) for one in found]

    def allocations(self):
        peers = [(peer, v) for peer, v in EACH_PEERS if peer in ('wpool', 'kthread')]
        yield ['allocations a task, of the first 20,000'] + [PEERS[peer] + v.replace('_', ', ') for peer, v in peers]
        for load, text in ALLOCS:
            # the boot that counts allocations
            found = [self.find(27, load + v, peer, 'cpus2') for peer, v in peers]
            if all(found):
                yield [text] + [f'{figure(one, "allocs_per_task"):.2f}' for one in found]

    def scopes(self):
        """The table of row 28, with the unbound workqueue in each scope."""
        scopes = [v for v in ROWS[28].variants if v.startswith('scope_') and self.find(28, v, 'unbound')]
        found = [self.find(28, 'a_producer_a_CPU', peer) for peer in ('wpool',) + OTHERS[:2]]
        yield ['ns'] + [PEERS[peer] for peer in ('wpool',) + OTHERS[:2]] + \
            [v.replace('_', ' ', 1) for v in scopes]
        if not all(found):
            return
        found += [self.find(28, v, 'unbound') for v in scopes]
        for name, what in (('enqueue', 'the submit'), ('trip', 'the trip')):
            for which in ('p50', 'p99'):
                yield [f'{what}: {which}'] + [self.cell(one, f'{name}_{which}') for one in found]

    def shapes(self):
        """The table of rows 29 and 30: loads of users."""
        wanted = []
        for row, where in ((29, ''), (30, 'one CPU, ')):
            variants = ROWS[row].variants
            wanted += [(where + v.replace('_', ' '), row, v, v, ('total_ns_per_task',), 1)
                       for v in variants if v not in SHAPES_TIMED]
            wanted += [(f'{where}{v.replace("_", " ")}: p50 (p99)', row, v, v,
                        [f'{SHAPES_TIMED[v]}_{which}' for which in ('p50', 'p99')], 1)
                       for v in variants if v in SHAPES_TIMED]
        return self.by_peer('ns', ('wpool',) + OTHERS[:3] + ('semaphore', 'bounded', 'padata'), wanted)

    def cost(self):
        """The table of memory and wake-ups on a stock kernel with two CPUs."""
        found = {v: self.find(9, v, 'wpool', 'cpus2') for v in ('memory', 'rest', 'quiet')}
        if not all(found.values()):
            return
        yield [f'on Linux {self.results["run"].get("kernel")}, 2 CPUs', '']
        for text, v, name in COST:
            seconds = found[v]['params'].get('seconds')
            yield [text.format(seconds=seconds), number(figure(found[v], name))]

    def verdicts(self):
        yield ['measurement', 'comparison', 'measured', 'near', 'far', 'required', 'aimed at']
        last, alike = None, {}
        for one in self.judged:
            if is_listed(one) and not only_not_lost(one):
                alike.setdefault(kind(one), []).append(one)
        # One line for many loads with the same limits, unless one misses what is required. Worst rounds come
        # last.
        for (row, what, *limits), some in sorted(alike.items(), key=lambda item: not item[0][0]):
            together = len(some) >= MANY and limits[0] and all(one['bar_reached'] for one in some)
            for group in [some] if together else [[one] for one in some]:
                title = TITLES[group[0]['row']] if row or not group[1:] else 'several'
                states = [values_of(group, state) for state in ('near', 'far')]
                both = '' if all(states) else values_of(group, 'value')
                yield [title if title != last else '', f'{len(group)} loads: {what}' if group[1:] else group[0]['what'],
                       both] + states + limits
                last = title

    def rounds(self):
        """The number of rounds that the tables of figures have medians of, in words."""
        seen = {one['rounds'] for one in self.measured if one['row'] not in ONLY_COMPARED} - {1}
        if not seen:
            return 'one round each, which is no median'
        return f'medians of {"-".join(str(n) for n in sorted({min(seen), max(seen)}))} rounds'

    def introduction(self):
        run = self.results['run']
        machine = machine_text(run, 'native')
        yield f'{machine[0].upper()}{machine[1:]}, {run.get("cpus")} CPUs: {self.rounds()}. '
        if run.get('commit'):
            yield f'The last figures are of {run["date"]}; commits: {run["commit"]}. '
        if run.get('quick') == '1':
            yield 'Smaller loads than `make bench` takes by itself (`QUICK=1`), also where a ' \
                  'line names a larger one. '
        states = run['states'] if 'states' in run else states_text(self.results)
        if states:
            yield 'A cache line from one CPU to the other and back, beside each measurement, ' \
                  f'median and range: {states}. A cell with two figures is near / far, a trip of less than ' \
                  f'{NEAR_NS} ns, or more. '

    def parts(self):
        """The tables of benchmarks.rst, in the order of the page."""
        for part in (self.costs, self.times, self.computing, self.queues, self.events,
                     self.each, self.allocations, self.shapes, self.scopes, self.serving,
                     self.several, self.losses, self.verdicts):
            yield without_empty_columns(list(part()))

    def ratio(self, row, what):
        """A comparison in words; None if there is none."""
        for one in self.judged:
            if (one['row'], one['what']) == (row, what):
                return f'{span(in_states(one))} × the {"rate" if one["better"] == "more" else "time"}'
        return None

    def cpu_ratio(self, row, what):
        """wpool's CPU time in a comparison, of the least of the peers', in words; None if it is not known."""
        both = next(one for one in bars.COMPARISONS if (one.row.number, one.what) == (row, what))
        found = [self.find(row, **params) for _, params in [both.ours, *both.theirs]]
        values = []
        for state in ('near', 'far'):
            ours, *theirs = (figure(one, 'cpu_ns_per_task', state=state) for one in found)
            if ours and all(theirs):
                values.append(ours / min(theirs))
        return f'{span(sorted(values))} × the CPU time' if values else None

    def ratios(self):
        """The summary: the ratios as a list, each with that of the CPU time."""
        for row, what, text in RATIOS:
            found = self.ratio(row, what)
            if found:
                yield f'- **{found}**, {self.cpu_ratio(row, what) or "CPU time not known"}: {text}'

    def slower(self):
        """Every comparison with the kernel's own pools that wpool loses, the largest ratio first."""
        lost = []
        for one in self.judged:
            if loses(one):
                lost.append((times_of(one), [TITLES[one['row']], *sides(TITLES[one['row']], one['what'])]))
        yield ['workload', 'measured', 'compared with', 'times as much']
        for times, cells in sorted(lost, key=lambda line: (line[0][-1], line[1]), reverse=True):
            yield cells + [span(times)]

    def losses(self):
        """That list, with a line for each workload and peer."""
        _, *lost = self.slower()
        found = {}
        for title, ours, theirs, times in lost:
            found.setdefault((title, theirs), []).append(f'{ours} {times}')
        yield ['workload', 'compared with', 'what takes how many times as much']
        for key, lines in found.items():
            yield [*key, '; '.join(lines)]

    def slowest(self):
        """The first line of each workload in that list, without worst rounds."""
        head, *lost = self.slower()
        first = {line[0]: line for line in reversed(lost) if not line[1].startswith('worst round')}
        yield head
        yield from [line for line in lost if line in first.values()][:NR_SLOWEST]


def in_states(one):
    """The values of a comparison for near and for far CPUs, the smaller first, or its only value."""
    states = [one['near'], one['far']]
    return sorted(states) if all(states) else [one['value']]


def times_of(one):
    """wpool's time, or the peer's rate, divided by the other one, the smaller state first."""
    return sorted(1 / value if one['better'] == 'more' else value for value in in_states(one))


def loses(one):
    """Does wpool lose this comparison with the kernel's own pools?"""
    return one['unit'] == 'x' and one['value'] and RIVALS.search(one['what']) and round(times_of(one)[-1], 2) > 1


def is_listed(one):
    """Is the comparison in the table of comparisons?"""
    return one['bar'] is not None or one['goal'] is not None or one['row'] in ONLY_COMPARED


def kind(one):
    """What a comparison has in common with those of other loads: of its row, or of all, if it is of worst rounds."""
    row, what = one['row'], re.sub(r'^.*?: ', '', one['what'])
    if what.startswith('worst round'):
        row, what = 0, re.sub(r' \(.*\)', '', what)
    return row, what, limit(one, 'bar'), limit(one, 'goal')


def values_of(group, which):
    """The least and the largest value of comparisons, if all have one."""
    values = [one[which] for one in group]
    return '' if None in values else ' to '.join(dict.fromkeys(value_of(value, group[0]['unit'])
                                                               for value in (min(values), max(values))))


def in_brackets(head, cells, more=()):
    """A line of these cells, each with one of @more in brackets."""
    return head + [f'{cell} ({extra})' if extra else cell for cell, extra in zip_longest(cells, more)]


def only_not_lost(one):
    """Is the only limit that wpool does not lose to a peer whose figure another table has?"""
    return one['bar'] == 1 and one['goal'] is None and one['unit'] == 'x' and one['row'] not in ONLY_COMPARED


def span(values):
    return ' to '.join(dict.fromkeys(f'{value:.2f}' for value in values))


def sides(title, what):
    """The two sides of the comparison @what: wpool's, without words of the title, and the peer's."""
    ours, theirs = re.fullmatch(r'(.*)[:,] (?:of|faster than) (.*)', what).groups()
    first, *rest = re.split(r'(?<=[:,]) ', ours, maxsplit=1)
    if rest and ' ' in first and first[:-1] in title:
        ours = rest[0]
    theirs = re.sub(r'^(?:that with|the (?:rate|time|cost) of) ', '', theirs)
    return ours, re.sub(r"(?:'s|(?<=s)')(?: (?:rate|time|there))?$", '', theirs)


def limit(one, which):
    if one[which] is None:
        return ''
    mark = '≥' if one['better'] == 'more' else '≤'
    text = f'{mark} {value_of(one[which], one["unit"])}'
    return text if one[which + '_reached'] else text + ' **missed**'


# ---- the two languages ----

def without_empty_columns(lines):
    kept = [i for i in range(len(lines[0])) if not lines[1:] or any(line[i] for line in lines[1:])]
    return [[line[i] for i in kept] for line in lines]


def markdown_table(lines):
    """Columns whose cells all begin with a digit are right-aligned, except the first one."""
    numbers = ['---:' if i and all(re.match(r'[\d-]|$', line[i]) for line in lines[1:]) else '---'
               for i in range(len(lines[0]))]
    return ['| ' + ' | '.join(line) + ' |' for line in [lines[0], numbers] + lines[1:]]


def rst_text(text):
    return wrapped(re.sub(r'`([^`]+)`', r'``\1``', text))


def rst_table(lines, title=''):
    out = [f'.. csv-table:: {title}'.rstrip(), '   :header-rows: 1', '']
    for line in lines:
        cells = [' '.join(rst_text(cell)).replace('"', '""') for cell in line]
        out.append('   ' + ', '.join(f'"{cell}"' for cell in cells))
    return out


def wrapped(text):
    """A paragraph wrapped into lines, as people also read the file itself."""
    return textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False,
                         subsequent_indent='  ' if text.startswith('- ') else '')


TABLE = re.compile(r'\.\. csv-table::[^\n]*(?:\n\n?   [^\n]*)+')


def section(tables):
    """The text of benchmarks.rst with these figures: they are in its first paragraph and in its tables."""
    _, rest = block_of(BENCHMARKS, 'bench', BENCHMARKS.read_text())[1].split('\n\n', 1)
    parts = [rst_table(part) for part in tables.parts()]
    if len(TABLE.findall(rest)) != len(parts):
        sys.exit(f'{BENCHMARKS} does not have {len(parts)} tables')
    return rst_text(''.join(tables.introduction()).rstrip()) + \
        ['', TABLE.sub(lambda _: '\n'.join(parts.pop(0)), rest)]


# The peers of the plot, and their colours.
DRAWN = {'wpool': '#d1495b', 'kthread': '#c9c9c9', 'unbound': '#7fa6c9'}


def svg(tables):
    """PLOT: the times of the table "each", readable on a light and on a dark page. '' if a figure is missing."""
    out = []
    found = {load: {peer: figure(tables.find(27, load, peer), 'total_ns') for peer in DRAWN} for load in EACH[:3]}
    values = [ns for peers in found.values() for ns in peers.values()]
    if None in values:
        return ''
    low, high = math.floor(math.log10(min(values) / 1e9)), math.ceil(math.log10(max(values) / 1e9))

    def text(x, y, said, anchor='middle', size=13):
        return f'<text x="{x}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}">{said}</text>'

    def height(seconds):
        return 320 * (math.log10(seconds) - low) / (high - low)

    out.append(text(430, 30, 'A pool, or a thread for each task: time', size=18))
    out.append(text(430, 52, f'{machine_text(tables.results["run"], "native")}; seconds, logarithmic; less is better'))
    for power in range(low, high + 1):
        out.append(f'<path d="M60 {400 - height(10 ** power):.0f}H840" stroke="#888888" stroke-opacity="0.4"/>' +
                   text(54, 405 - height(10 ** power), f'{10.0 ** power:g}', 'end'))
    for i, (load, peers) in enumerate(found.items()):
        n = tables.find(27, load, 'wpool')['params']['n']
        us, workers = (int(ROWS[27].variants[load][0].params[name]) for name in ('us', 'capacity'))
        out.append(text(190 + 260 * i, 422, f'{n:,} of {us // 1000} ms, {workers:,} workers'))
        for j, (peer, ns) in enumerate(peers.items()):
            x, y = 90 + 260 * i + 68 * j, height(ns / 1e9)
            out.append(f'<rect x="{x}" y="{400 - y:.0f}" width="64" height="{y:.0f}" fill="{DRAWN[peer]}"/>' +
                       text(x + 32, 396 - y, f'{ns / 1e9:.3g}', size=11))
    for j, (peer, colour) in enumerate(DRAWN.items()):
        out.append(f'<rect x="{150 + 210 * j}" y="446" width="14" height="14" fill="{colour}"/>' +
                   text(170 + 210 * j, 458, PEERS[peer], 'start'))
    return '\n'.join(['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 480" '
                      'font-family="Helvetica,sans-serif" fill="#78818b">', *out, '</svg>', ''])


def summary(tables):
    """The ratios in README.md."""
    lines = [line for text in tables.ratios() for line in wrapped(text) or ['']]
    lost = list(tables.slower())[1:]
    if lost:
        lines += [''] + markdown_table(list(tables.slowest())) + \
            [''] + wrapped('Each line has the largest ratio of its workload, worst rounds apart. '
                           f'wpool loses {len(lost)} comparisons, of {len({line[0] for line in lost})} workloads; '
                           '[benchmarks.rst](Documentation/benchmarks.rst) lists all.')
    return lines


def blocks(tables):
    """The page, the name and the lines of each text that is written."""
    yield README, 'bench', summary(tables)
    yield README, 'cost', markdown_table(list(tables.cost()) or [['not measured'], ['']])
    yield BENCHMARKS, 'bench', section(tables)
    yield BENCHMARKS, 'profile', [samples.origin(), '', *rst_table(without_empty_columns(list(samples.lines())))]
    yield GROWTH, 'counts', [line for title, header, rows in counts.tables(HERE / 'counts.json')
                             for line in ('', *rst_table([header, *rows], f'{title[0].upper()}{title[1:]}'))]
    yield GROWTH, 'off', rst_table(off.lines(HERE / 'off.json'),
                                   'With interrupts off on 64 CPUs, the longest section of each function')
    yield DRIVERS, 'drivers', [
        *rst_text(f'{drivers.origins()}. A ratio is wpool\'s median divided by that of workqueues, of '
                  f'{drivers.nr_rounds()} rounds. **Bold** are ratios that wpool loses: a throughput below 1, a p99 above 1.'),
        '', *rst_table(list(drivers.lines()))]


def block_of(path, name, text):
    """The text of a page up to a block, the block, and what is behind the block."""
    comment = '.. {}' if path.suffix == '.rst' else '<!-- {} -->'
    begin, end = (comment.format(f'{name}: {edge}') for edge in ('begin', 'end'))
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f'{path} has no lines {begin} and {end}')
    before, rest = text.split(begin)
    block, behind = rest.split(end)
    return before + begin, block.strip('\n'), end + behind


def pages(tables):
    """The text of each page."""
    texts = {}
    for path, name, lines in blocks(tables):
        before, _, behind = block_of(path, name, texts.get(path) or path.read_text())
        texts[path] = '\n\n'.join((before, '\n'.join(lines).strip('\n'), behind))
    return texts


class Noted(dict):
    """A dict that notes which of its keys were read."""

    def __init__(self, *args):
        super().__init__(*args)
        self.seen = set()

    def __getitem__(self, key):
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        return self[key] if key in self else default


def only_shown(path):
    """The part of a results file that the pages show."""
    results = read_json(path, Noted)
    if states_text(results):
        results['run']['states'] = states_text(results)
    for one in each_of(results):
        for figures in [one['figures']] + [state['figures'] for state in one['states'].values()]:
            figures.seen = set()
    list(blocks(Tables(results)))

    def kept(part):
        return {name: part['figures'][name] for name in sorted(part['figures'].seen)}
    measurements = [
        {key: value for key, value in one.items() if key != 'raw'} |
        {'figures': kept(one), 'states': {name: {'rounds': state['rounds'], 'figures': kept(state)}
                                          for name, state in one['states'].items()}}
        for one in each_of(results) if any(part['figures'].seen for part in (one, *one['states'].values()))]
    return {'schema': 3, 'run': results['run'], 'measurements': by_row(measurements)}


def keep(path):
    """Keep what the pages show of a file."""
    match path.name:
        case 'results.json':
            write_json(MEASURED, only_shown(path), 2)
        case 'counts.json':
            counts.keep(path, HERE / path.name)
        case 'off.json':
            write_json(HERE / path.name, read_json(path)[:off.NR_SHOWN], 1)
        case 'samples.json':
            samples.keep(path)
        case _:
            sys.exit(f'{path}: nothing of it is kept')


# ---- are the pages up to date? ----

QUANTITY = re.compile(r'(?<![\w.^-])\d[\d,.]*(?:\s?(?:×|%)|\s(?:ns|µs|us|ms|s|min|minutes|hours|x|times|bytes|'
                      r'kB|KB|MB|GB|KiB|MiB|GiB|million|billion|instructions|lines|calls|rounds)\b)')

# Pages without tables of figures whose text is checked, too.
OTHER_PAGES = [TOP / name for name in ('CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'tools/bench/README.md')]
# Quantities in the text of a page that are not measured: constants of the code, the kernel or a test.
CONSTANTS = {
    'CHANGELOG.md': ('0.1 s', '64 bytes', '300 s', '10 ms'),
    'CONTRIBUTING.md': ('1 ms', ),
    'tools/bench/README.md': ('20 µs', ),
    'benchmarks.rst': ('16,384 bytes', '512 bytes', '500 µs', '0.5 µs', '10 µs', '100 µs', '90 %', '9 %', '1 %'),
    'dev-limits.rst': ('60 s', '64 MiB', '256 MiB'),
    'drivers.rst': ('256 MB', '170,000 lines'),
    'growth.rst': ('20 µs', '100 us', '2,000 instructions', '0.1 us'),
    'hostile.rst': ('256 MB', '5 s', '160 times', '50 times', '1,000 times', '1,024 kB'),
    'internals.rst': ('16 times', '20 us', '20 µs', '100 ns', '10 ms', '1 s'),
    'modules.rst': ('128 bytes', '64 bytes', '30 s'),
    'semantics.rst': ('128 bytes', '64 bytes', '20 s', '16 times'),
    'troubleshooting.rst': ('20 s', ),
    'tuning.rst': ('50 ms', '100 ms', '20 s'),
    'workqueue.rst': ('100 ms', ),
}


def strays(path):
    """Quantities in the text of a page that no table of it has, and CONSTANTS that are not in the text."""
    name = str(path.relative_to(TOP)).removeprefix('Documentation/')
    text, unused = path.read_text(), set(CONSTANTS.get(name, ()))
    written = r'^(?:\.\. |<!-- )\w+: begin.*?^(?:\.\. |<!-- )\w+: end'
    if path == BENCHMARKS:
        written = TABLE.pattern + r'|^\.\. \w+: begin\n\n.*?\n\n'
    shown = ' '.join(re.findall(written, text, re.M | re.S))
    for gone in (written, r'^```.*?^```', r'::\n\n(?:(?:[ \t][^\n]*)?\n)+', r'``?[^`]+``?'):
        text = re.sub(gone, '', text, flags=re.M | re.S)
    for found in QUANTITY.finditer(text):
        if found[0] in CONSTANTS.get(name, ()):
            unused.discard(found[0])
        elif not re.search(r'(?<![\d.,])' + re.escape(found[0].replace('µs', 'us')).replace('\\ ', r'\s+') + r'(?!\w)',
                         shown.replace('µs', 'us')):
            yield f'{name}: no table of the page has: {found[0]}'
    for text in sorted(unused):
        yield f'{name}: it does not have the constant: {text}'


def problems():
    tables = Tables(read_json(MEASURED))
    for path, text in pages(tables).items():
        if text != path.read_text():
            yield f'{path.name}: its tables are not those of measured.json, counts.json, off.json, ' \
                  'drivers.json and samples.json: tools/bench/readme.py write'
    if (PLOT.read_text() if PLOT.exists() else '') != svg(tables):
        yield f'{PLOT.name}: it is not drawn of measured.json: tools/bench/readme.py write'
    for path in (TOP / 'README.md', *sorted((TOP / 'Documentation').glob('*.rst')), *OTHER_PAGES):
        yield from strays(path)


def check():
    found = list(problems())
    print(*found, sep='\n', end='\n' if found else '')
    return bool(found)


def write(*files):
    for name in files:
        keep(pathlib.Path(name))
    tables = Tables(read_json(MEASURED))
    for path, text in pages(tables).items():
        path.write_text(text)
    PLOT.write_text(svg(tables))
    if not PLOT.stat().st_size:
        PLOT.unlink()


if __name__ == '__main__':
    command_of(__doc__, write=write, check=check)
