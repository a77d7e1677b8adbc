# SPDX-License-Identifier: GPL-2.0
"""bars.py - what was to be reached, and whether it was: ratios within one boot.

judge() returns a list of verdicts, each with the row, what is compared, the value,
the bar and the goal (either may be missing), and whether they are reached. What was
not measured has no verdict.
"""


class Results:
    """The figures of one run, by what they are of."""

    def __init__(self, measurements):
        self.measurements = measurements

    def find(self, row, **wanted):
        """The measurement of @row with these parameters; None if there is none."""
        boot = {10: 'uml'}.get(row, 'main')
        for one in self.measurements:
            if one['row'] == row and one['boot'] == boot and \
                    all(one['params'].get(key) == value for key, value in wanted.items()):
                return one
        return None

    def get(self, row, name, **wanted):
        one = self.find(row, **wanted)
        found = one['figures'].get(name) if one else None
        return found['median'] if found else None

    def task(self, row, peer, v='single'):
        return self.get(row, 'total_ns_per_task', v=v, peer=peer)

    def better_workqueue(self, row, v='single'):
        both = [self.task(row, peer, v) for peer in ('percpu', 'unbound')]
        return min(both) if all(both) else None


def ratio(above, below):
    return above / below if above is not None and below else None


def verdict(row, what, value, unit, more, bar=None, goal=None):
    """more: the larger the better."""
    def reached(limit):
        if limit is None or value is None:
            return None
        return value >= limit if more else value <= limit
    return {'row': row, 'what': what, 'value': value, 'unit': unit,
            'better': 'more' if more else 'less', 'bar': bar, 'goal': goal,
            'bar_reached': reached(bar), 'goal_reached': reached(goal)}


def times(row, what, value, bar=None, goal=None):
    return verdict(row, what, value, 'x', True, bar, goal)


def at_most(row, what, value, bar=None, goal=None, unit='x'):
    return verdict(row, what, value, unit, False, bar, goal)


def tasks(r):
    single, batch = r.task(1, 'wpool'), r.task(1, 'wpool', 'batch')
    yield times(1, 'single submit, faster than the better workqueue',
                ratio(r.better_workqueue(1), single), 1.5, 3)
    yield times(1, 'single submit, faster than kthread_worker',
                ratio(r.task(1, 'kworker'), single), None, 1.5)
    yield times(1, 'batch of 64, faster than the better workqueue',
                ratio(r.better_workqueue(1), batch), 8, 15)
    yield times(1, 'batch of 64, faster than kthread_worker',
                ratio(r.task(1, 'kworker'), batch), 4, 8)
    yield times(2, 'a producer per CPU, faster than the better workqueue',
                ratio(r.better_workqueue(2), r.task(2, 'wpool')), 2, 5)
    yield times(4, 'tree, faster than the better workqueue',
                ratio(r.better_workqueue(4, 'tree'), r.task(4, 'wpool', 'tree')), 4, 8)


def latency(r):
    for which in ('p50', 'p99'):
        start = 'start_' + which
        local = r.get(3, start, v='local', peer='wpool')
        cross = r.get(3, start, v='cross', peer='wpool')
        yield at_most(3, f'{which} on this CPU, of the per-CPU workqueue\'s',
                      ratio(local, r.get(3, start, v='local', peer='percpu')), 1)
        yield at_most(3, f'{which} on this CPU, of a bare wake_up_process',
                      ratio(local, r.get(3, start, v='local', peer='floor')), None, 1.2)
        yield at_most(3, f'{which} across CPUs, of the unbound workqueue\'s',
                      ratio(cross, r.get(3, start, v='free', peer='unbound')), 1)
        yield at_most(3, f'{which} across CPUs, of a bare wake_up_process',
                      ratio(cross, r.get(3, start, v='cross', peer='floor')), None, 1.2)


def sleeping(r):
    def total(v, peer):
        return r.get(5, 'total_ns', v=v, peer=peer)
    yield at_most(5, '100 ms on 1,000 workers, of the floor',
                  ratio(total('100ms/1000', 'wpool'),
                        r.get(5, 'floor_ns', v='100ms/1000', peer='wpool')), 1.03, 1.01)
    yield times(5, '1 ms on 512 workers, faster than the unbound workqueue',
                ratio(total('1ms/512', 'unbound'), total('1ms/512', 'wpool')), 1)
    wide = r.find(5, v='10ms/16384', peer='wpool')
    # The module gives no figures for a run in which a task is missing.
    yield verdict(5, '10 ms on 16,384 workers: tasks that were done',
                  wide['params']['n'] if wide else None, '', True,
                  wide['params']['n'] if wide else None)


def mixed(r):
    for v, who in (('a_producer_a_CPU', 'a producer per CPU'),
                   ('one_producer', 'one producer')):
        def noops(peer, v=v, **more):
            return r.get(6, 'noop_ns', v=v, peer=peer, **more)
        on = noops('wpool', handoff=1)
        yield times(6, f'no-ops among sleepers, {who}: of the per-CPU workqueue\'s rate',
                    ratio(noops('percpu'), on), 1, 2)
        yield times(6, f'no-ops among sleepers, {who}: of the rate without hand-off',
                    ratio(noops('wpool', handoff=0), on), 1)


def rest(r, cpus):
    yield at_most(7, 'bounded, of the unbounded cost',
                  ratio(r.task(7, 'wpool', 'bounded'), r.task(7, 'wpool', 'unbounded')), 3, 2)
    yield at_most(8, 'cost of a task among 10,000,000, of that among 10,000',
                  ratio(r.get(8, 'total_ns_per_task', v='tasks', peer='wpool', n=10 ** 7),
                        r.get(8, 'total_ns_per_task', v='tasks', peer='wpool', n=10 ** 4)),
                  1.15)
    yield at_most(9, 'wake-ups of a quiet pool', r.get(9, 'quiet_switches', v='quiet'), 0,
                  unit='')
    yield at_most(9, 'size of a task', r.get(9, 'task_bytes', v='memory', peer='wpool'), 64, unit='bytes')
    yield at_most(9, 'a pool, per CPU', ratio(r.get(9, 'pool_bytes', v='memory', peer='wpool'), cpus),
                  6 * 1024, unit='bytes')
    one, eight = (next((m['figures']['pool_bytes']['median'] for m in r.measurements
                        if m['boot'] == boot and m['variant'] == 'memory' and
                         m['peer'] == 'wpool'), None)
                  for boot in ('cpus1', 'cpus8'))
    if one and eight:
        yield at_most(9, 'a pool, each CPU more (from 1 to 8 CPUs)', (eight - one) / 7,
                      unit='bytes')
    better = r.better_workqueue(10)
    yield times(10, 'single submit, faster than the better workqueue',
                ratio(better, r.task(10, 'wpool')), 1, 2)
    yield times(10, 'batch of 64, faster than the better workqueue',
                ratio(better, r.task(10, 'wpool', 'batch')), 2.5, 5)


TIMED = ('total_ns_per_task', 'noop_ns', 'total_ns')


def steadiness(r):
    """Of each row: how far wpool's worst round is off, and off what."""
    spread, slow = {}, {}

    def keep(of, row, value, where):
        if value and (row not in of or value > of[row][0]):
            of[row] = (value, where)

    for one in r.measurements:
        name = next((name for name in TIMED if name in one['figures']), None)
        row = one['row']
        if one['peer'] != 'wpool' or one['boot'] not in ('main', 'uml') or row == 3 or not name:
            continue
        # It is there to show what hand-off is good for.
        if one['params'].get('handoff') == 0:
            continue
        worst, median = one['figures'][name]['worst'], one['figures'][name]['median']
        where = one['variant'].replace('_', ' ')
        keep(spread, row, worst / median, where)
        v = {'batch': 'single', 'invoke': 'single'}.get(one['variant'], one['variant'])
        shared = {key: one['params'][key] for key in ('n', 'pools', 'spread')
                  if key in one['params'] and row == 8}
        keep(slow, row, ratio(worst, r.get(row, name, v=v, peer='percpu', **shared)), where)
    for row, (value, where) in spread.items():
        yield at_most(row, f'worst round ({where}), of the median', value, 1.5)
    for row, (value, where) in slow.items():
        yield at_most(row, f'worst round ({where}), of the per-CPU workqueue\'s median', value, 1)


def judge(measurements, cpus):
    r = Results(measurements)
    out = []
    for part in (tasks(r), latency(r), sleeping(r), mixed(r), rest(r, cpus), steadiness(r)):
        out += [one for one in part if one['value'] is not None]
    return sorted(out, key=lambda one: one['row'])
