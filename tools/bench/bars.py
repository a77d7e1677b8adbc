# SPDX-License-Identifier: GPL-2.0
"""bars.py - what was to be reached, and whether it was: ratios within one boot.

judge() returns a list of verdicts, each with the machine, the row, what is compared,
the value, the bar and the goal (either may be missing), and whether they are reached;
natively also the values of the rounds in which the CPUs were near to each other, and
of those in which they were far. What was not measured has no verdict.

The bars are those of the native machine; they are applied to QEMU as well. What is reached
under QEMU only, where a locked instruction and a line between two CPUs cost next to nothing,
says so: "only_here". A bar for "near and far" CPUs is reached if it is reached in both
states, as far as they were seen.
"""

from plan import EACH, MULTI, ORDERS, ORDERS_LONG, SHAPES, SHAPES_ALONE, SHAPES_TIMED

# Which boot has a row's figures.
BOOTS = {'native': {10: 'native1', 21: 'nativehttp', 30: 'native1'}, 'qemu': {18: 'wide', 21: 'http'}}
MAIN_BOOT = {'native': 'native', 'qemu': 'main'}


class Results:
    """The figures of one machine, in one of its states or in all, by what they are of."""

    def __init__(self, measurements, machine, state=None):
        self.measurements = measurements
        self.machine = machine
        self.state = state

    def boot(self, row):
        return BOOTS[self.machine].get(row, MAIN_BOOT[self.machine])

    def find(self, row, **wanted):
        """The measurement of @row with these parameters; None if there is none."""
        for one in self.measurements:
            if one['row'] == row and one['boot'] == self.boot(row) and \
                    all(one['params'].get(key) == value for key, value in wanted.items()):
                return one
        return None

    def figures(self, one):
        if self.state:
            return one['states'].get(self.state, {}).get('figures', {})
        return one['figures']

    def get(self, row, name, **wanted):
        one = self.find(row, **wanted)
        found = self.figures(one).get(name) if one else None
        return found['median'] if found else None

    def task(self, row, peer, v='single'):
        return self.get(row, 'total_ns_per_task', v=v, peer=peer)

    def best_of(self, peers, row, v='single'):
        found = [self.task(row, peer, v) for peer in peers]
        return min(found) if all(found) else None

    def better_workqueue(self, row, v='single'):
        return self.best_of(('percpu', 'unbound'), row, v)

    def best_peer(self, row, v='single'):
        return self.best_of(('percpu', 'unbound', 'kworker'), row, v)


def ratio(above, below):
    return above / below if above is not None and below else None


def reached(value, limit, more):
    if limit is None or value is None:
        return None
    return value >= limit if more else value <= limit


def verdict(row, what, value, unit, more, bar=None, goal=None, states=False):
    """more: the larger the better. states: near and far are judged, too."""
    return {'row': row, 'what': what, 'value': value, 'unit': unit,
            'better': 'more' if more else 'less', 'bar': bar, 'goal': goal,
            'bar_reached': reached(value, bar, more), 'goal_reached': reached(value, goal, more),
            'states': states}


def times(row, what, value, bar=None, goal=None, states=False):
    return verdict(row, what, value, 'x', True, bar, goal, states)


def at_most(row, what, value, bar=None, goal=None, unit='x'):
    return verdict(row, what, value, unit, False, bar, goal)


def tasks(r):
    single, batch = r.task(1, 'wpool'), r.task(1, 'wpool', 'batch')
    yield times(1, 'single submit, near and far: faster than the better workqueue',
                ratio(r.better_workqueue(1), single), 1.5, 2.5, states=True)
    yield times(1, 'single submit, faster than kthread_worker',
                ratio(r.task(1, 'kworker'), single))
    yield times(1, 'batch of 64, near and far: faster than the better workqueue',
                ratio(r.better_workqueue(1), batch), 1.5, 2.5, states=True)
    yield times(1, 'batch of 64, faster than kthread_worker',
                ratio(r.task(1, 'kworker'), batch))

    for row, v, theirs, what, *bars in (
            (1, 'single', 'single', 'single submit', 1, 0.6), (1, 'batch', 'single', 'batch of 64'),
            (1, 'invoke', 'single', 'wpool_invoke()'), (2, 'single', 'single', 'a producer per CPU'),
            (2, 'few', 'few', 'a producer per CPU, 20,000 tasks'), (4, 'tree', 'tree', 'tree'),
            (4, 'shuffled', 'shuffled', 'tree in any order in memory'),
            (13, 'detached', 'kmalloc', 'detached: allocated, submitted, freed'),
            (13, 'submit_fn', 'kmalloc', 'wpool_submit_fn()'), (13, 'invoke', 'kmalloc', 'wpool_invoke()')):
        yield at_most(row, f'{what}: CPU time of all CPUs, of the per-CPU workqueue\'s',
                      ratio(r.get(row, 'cpu_ns_per_task', v=v, peer='wpool'),
                            r.get(row, 'cpu_ns_per_task', v=theirs, peer='percpu')), *bars)
    yield times(2, 'a producer per CPU, faster than the better workqueue',
                ratio(r.better_workqueue(2), r.task(2, 'wpool')), 1.2, 2)
    yield times(2, 'a producer per CPU, 20,000 tasks, faster than the better workqueue',
                ratio(r.better_workqueue(2, 'few'), r.task(2, 'wpool', 'few')))
    for row, where in ((4, 'two CPUs'), (10, 'one CPU')):
        for v, what, bars in (('tree', 'tree', (1.2, 2)),
                              ('shuffled', 'tree in any order in memory', ())):
            ours = r.task(row, 'wpool', v)
            yield times(row, f'{what}, {where}: faster than the best peer',
                        ratio(r.best_peer(row, v), ours), *bars)
            yield times(row, f'{what}, {where}: faster than the better workqueue',
                        ratio(r.better_workqueue(row, v), ours))


def latency(r):
    """Row 3. Who is told where to run is compared with whom is told the same."""
    for which in ('p50', 'p99'):
        def start(v, peer, which=which):
            return r.get(3, 'start_' + which, v=v, peer=peer)
        local, cross = start('local', 'wpool'), start('cross', 'wpool')
        yield at_most(3, f'{which} on this CPU, of a bare wake_up_process',
                      ratio(local, start('local', 'floor')), 1.25, 1.1)
        yield at_most(3, f'{which} on this CPU, of the per-CPU workqueue\'s',
                      ratio(local, start('local', 'percpu')), 1)
        yield at_most(3, f'{which} on another CPU, of a bare wake_up_process',
                      ratio(cross, start('cross', 'floor')), None, 1.2)
        yield at_most(3, f'{which} on another CPU, of kthread_worker\'s there',
                      ratio(cross, start('cross', 'kworker')), 1)
        yield at_most(3, f'{which} on another CPU, of queue_work_on()\'s there',
                      ratio(cross, start('cross', 'percpu')), 1)
        yield at_most(3, f'{which} wherever it runs, of the unbound workqueue\'s',
                      ratio(start('free', 'wpool'), start('free', 'unbound')), 1)


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
                  wide['params']['n'] if wide and not r.state else None, '', True,
                  wide['params']['n'] if wide else None)


def mixed(r):
    for v, who in (('a_producer_a_CPU', 'a producer per CPU'),
                   ('one_producer', 'one producer')):
        def noops(peer, v=v, **more):
            return r.get(6, 'noop_ns', v=v, peer=peer, **more)
        on = noops('wpool', handoff=1)
        # 0.6 of the time is 1 / 0.6 of the rate
        yield times(6, f'no-ops among sleepers, {who}: of the per-CPU workqueue\'s rate',
                    ratio(noops('percpu'), on), 1, 1 / 0.6)
        yield times(6, f'no-ops among sleepers, {who}: of the rate without hand-off',
                    ratio(noops('wpool', handoff=0), on), 1)


def rest(r, cpus):
    yield at_most(7, 'bounded, of the unbounded cost',
                  ratio(r.task(7, 'wpool', 'bounded'), r.task(7, 'wpool', 'unbounded')), 3, 2)
    yield at_most(7, 'bounded, of the cost of a semaphore around a per-CPU workqueue',
                  ratio(r.task(7, 'wpool', 'bounded'), r.task(7, 'semaphore', 'bounded')))
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
    if one and eight and r.machine == 'qemu' and not r.state:
        yield at_most(9, 'a pool, each CPU more (from 1 to 8 CPUs)', (eight - one) / 7,
                      unit='bytes')
    for v, what, bars in (('single', 'single submit', ((1.6, 2.5), (1.2, 1.8))),
                          ('batch', 'batch of 64', ((3, 6), (2.2, 4.5)))):
        ours = r.task(10, 'wpool', v)
        for peer, name, (bar, goal) in (('percpu', 'the per-CPU workqueue', bars[0]),
                                        ('kworker', 'kthread_worker', bars[1])):
            yield times(10, f'{what}, faster than {name}',
                        ratio(r.task(10, peer), ours), bar, goal)


def bursts(r):
    """Row 11: until the last is done, from sleep."""
    for tasks, bar, goal in ((1, None, None), (4, None, None), (16, 1, 0.7), (64, None, None),
                             (1000, 1, 0.7)):
        def p50(peer, tasks=tasks):
            return r.get(11, 'burst_p50', v=f'{tasks}_tasks', peer=peer)
        others = [p50(peer) for peer in ('percpu', 'unbound', 'kworker')]
        yield at_most(11, f'a burst of {tasks:,}, of the best peer\'s time',
                      ratio(p50('wpool'), min(others)) if all(others) else None, bar, goal)


def clients(r):
    """Row 12: submit, and wait."""
    for v, who, bars in (('1_client', '1 client', {'p50': (1, 0.9), 'p99': (1, 0.9)}),
                         ('own', '1 client, with the peer\'s own wait', {}),
                         ('2_clients', '2 clients', {'p50': (1, 0.9), 'p99': (1, 0.9)}),
                         ('8_clients', '8 clients', {'p99': (1, 0.9)})):
        for which in ('p50', 'p99'):
            def trip(peer, v=v, which=which):
                return r.get(12, f'trip_{which}', v=v, peer=peer)
            yield at_most(12, f'submit and wait, {who}: {which}, of the per-CPU workqueue\'s',
                          ratio(trip('wpool'), trip('percpu')), *bars.get(which, ()))


def allocated(r):
    """Row 13: tasks that nobody keeps."""
    theirs = r.task(13, 'percpu', 'kmalloc')
    for v, who in (('detached', 'detached: allocated, submitted, freed'),
                   ('submit_fn', 'wpool_submit_fn()'), ('invoke', 'wpool_invoke()')):
        yield times(13, f'{who}: of the rate of kmalloc() and queue_work()',
                    ratio(theirs, r.task(13, 'wpool', v)), 1.2, 2)


def computing(r):
    """Rows 14 and 15: tasks that take their time."""
    for row, v, what in ((14, '0.5us', 'tasks of 0.5 us'), (14, '2us', 'tasks of 2 us'),
                         (14, '10us', 'tasks of 10 us'), (14, '100us', 'tasks of 100 us'),
                         (14, '1ms', 'tasks of 1 ms'), (15, 'mix', 'a mix of lengths')):
        yield at_most(row, f'{what}: total, of the ideal',
                      ratio(r.get(row, 'total_ns', v=v, peer='wpool'),
                            r.get(row, 'ideal_ns', v=v, peer='wpool')))
        yield at_most(row, f'{what}: CPU time, of the work',
                      ratio(r.get(row, 'cpu_ns', v=v, peer='wpool'),
                            r.get(row, 'work_ns', v=v, peer='wpool')))


def interrupts(r):
    """Row 16."""
    for which in ('p50', 'p99'):
        yield at_most(16, f'from a timer\'s interrupt: {which}, of the per-CPU workqueue\'s',
                      ratio(r.get(16, f'start_{which}', v='timer', peer='wpool'),
                            r.get(16, f'start_{which}', v='timer', peer='percpu')))


def queues(r):
    """Row 17: the wait in a full queue."""
    for v in ('asleep', 'busy'):
        yield at_most(17, f'a full queue, tasks {v}: p99 of the wait, of first-in-first-out\'s',
                      ratio(r.get(17, 'wait_p99', v=v, peer='wpool'),
                            r.get(17, 'fifo_p99', v=v, peer='wpool')), 1.3, 1.1)


    yield at_most(17, '512 tasks asleep, 64 workers: p99 of the wait, of the unbound workqueue\'s',
                  ratio(r.get(17, 'wait_p99', v='many', peer='wpool'),
                        r.get(17, 'wait_p99', v='many', peer='unbound')), 1.1, 1)


def orders(r):
    """Row 25: whatever the load, tasks start in the order of their submits."""
    for v, params in ORDERS.items():
        what = v.replace('_', ' ')
        for which, name, bar, goal in (('p99', 'p99', 1.15, 1.05),
                                       ('longest', 'max', 1.3, 1.1)):
            yield at_most(25, f'{what}: {which} of the wait, of what it would be in order',
                          ratio(r.get(25, f'wait_{name}', v=v, peer='wpool'),
                                r.get(25, f'fifo_{name}', v=v, peer='wpool')), bar, goal)
        if v in ORDERS_LONG:
            yield at_most(25, f'{what}: most overtakes of one task',
                          r.get(25, 'overtaken_max', v=v, peer='wpool'),
                          params['capacity'] + 16, params['capacity'], '')


def helpers(r):
    """Rows 19 and 20: how soon others come."""
    pair = r.get(19, 'pair_p50', v='pair', peer='wpool')
    yield at_most(19, 'two tasks of 9 ms, one CPU: both done',
                  pair / 1e6 if pair is not None else None, 11, 9.3, 'ms')
    yield at_most(20, '500 workers at once: of the time of a kthread per task',
                  ratio(r.get(20, 'total_ns', v='crowd', peer='wpool'),
                        r.get(20, 'total_ns', v='crowd', peer='kthread')), 1.2, 1)


def besides(r):
    """Row 26: a submitter that computes as long as its tasks."""
    for v, what in (('20us', 'one of 20 us'), ('100us', 'one of 100 us'),
                    ('500us', 'one of 500 us'), ('2ms', 'one of 2 ms'),
                    ('2_tasks', 'two of 500 us'), ('4_tasks', 'four'), ('8_tasks', 'eight'),
                    ('2_softirq', 'two from a softirq'), ('4_softirq', 'four from a softirq'),
                    ('8_softirq', 'eight from a softirq'), ('2_batch', 'two in a batch'),
                    ('4_batch', 'four in a batch'), ('8_batch', 'eight in a batch'),
                    ('other_cpu', 'one on another CPU')):
        peer = v.replace('batch', 'tasks')
        yield at_most(26, f'beside a submitter that computes as long, {what}: of the unbound workqueue\'s time',
                      ratio(r.get(26, 'beside_p50', v=v, peer='wpool'),
                            r.get(26, 'beside_p50', v=peer, peer='unbound')), 1.05, 0.95)


def several(r):
    """Row 22: one pool, beside several that are together as large."""
    for load, who in (('no-ops', 'one producer'), ('no-ops', 'a producer a CPU'),
                      ('mix', 'one producer'), ('mix', 'a producer a CPU')):
        found = [r.task(22, 'wpool', f'{load},_{who.replace(" ", "_")},_{v}') for v, _, _ in MULTI]
        yield at_most(22, f'{load}, {who}: one pool, of the time of the fastest number of pools',
                      ratio(found[0], min(found[1:])) if all(found) else None, 1.1)


def each(r):
    """Row 27: a pool, or a thread for each task."""
    for v, (_, us, workers) in EACH.items():
        what = f'{us // 1000} ms on {workers:,} workers' if us else v
        yield at_most(27, f'{what}: time, of that with a kthread per task',
                      ratio(r.task(27, 'wpool', v), r.task(27, 'kthread', v)))
        yield at_most(27, f'{what}: memory at most, of that with a kthread per task',
                      ratio(r.get(27, 'peak_bytes', v=v, peer='wpool'),
                            r.get(27, 'peak_bytes', v=v, peer='kthread')))
        yield at_most(27, f'{what}: time, of the unbound workqueue\'s',
                      ratio(r.task(27, 'wpool', v), r.task(27, 'unbound', v)))
        yield at_most(27, f'{what}, bounded: time, of that with a semaphore around the unbound workqueue',
                      ratio(r.task(27, 'wpool', v + '_bounded'), r.task(27, 'bounded', v + '_bounded')))


def shapes(r):
    """Rows 28 to 30: what users do, beside the best of the others that can do it."""
    for which in ('p50', 'p99'):
        for name, what in (('trip', 'submit and wait'), ('enqueue', 'the submit alone')):
            yield at_most(28, f'the kernel\'s own benchmark of workqueues, {what}: {which}, of the '
                              'better workqueue\'s',
                          ratio(*ours_and_best(r, 28, f'{name}_{which}', 'a_producer_a_CPU',
                                               ('wpool', 'percpu', 'unbound'))))
    for row, names in ((29, SHAPES), (30, SHAPES_ALONE)):
        for v in names:
            yield at_most(row, f'{v.replace("_", " ")}: of the best peer\'s time',
                          ratio(*ours_and_best(r, row, 'total_ns_per_task', v, SHAPES[v][1])), 1)
    for v, (_, peers, name, _) in SHAPES_TIMED.items():
        for which in ('p50', 'p99'):
            yield at_most(29, f'{v.replace("_", " ")}: {which}, of the best peer\'s',
                          ratio(*ours_and_best(r, 29, f'{name}_{which}', v, peers)), 1)


def ours_and_best(r, row, name, v, peers):
    found = [r.get(row, name, v=v, peer=peer) for peer in peers]
    return (found[0], min(found[1:])) if None not in found else (None, None)


def destroying(r):
    """Row 23: pools that each have a worker."""
    for v, who, bar in (('one_thread', 'one after the other', 2000),
                        ('ten_threads', 'by ten threads at once', 500)):
        total = r.get(23, 'total_ns', v=v, peer='wpool')
        yield at_most(23, f'1,000 pools destroyed {who}',
                      total / 1e6 if total is not None else None, bar, unit='ms')


def serving(r):
    """Row 21: HTTP. p99 has a bar where tasks wait in line, since who starves shows there."""
    def best(name, v):
        both = [r.get(21, name, v=v, peer=peer) for peer in ('percpu', 'unbound')]
        return min(both) if all(both) else None
    for v, what in (('keep_1', '1 connection'), ('keep_16', '16 connections'),
                    ('keep_256', '256 connections'), ('keep_2000', '2,000 connections'),
                    ('short_64', 'a connection per request'),
                    ('slow_512', '512 connections, handler of 10 ms')):
        ours = r.get(21, 'per_request_ns', v=v, peer='wpool')
        yield times(21, f'HTTP, {what}: of the better workqueue\'s rate',
                    ratio(best('per_request_ns', v), ours))
        yield times(21, f'HTTP, {what}: of a thread per connection\'s rate',
                    ratio(r.get(21, 'per_request_ns', v=v, peer='thread'), ours))
        yield at_most(21, f'HTTP, {what}: p99, of the better workqueue\'s',
                      ratio(r.get(21, 'request_p99', v=v, peer='wpool'), best('request_p99', v)),
                      1.2 if v == 'slow_512' else None)
    yield at_most(21, 'HTTP, until 500 connections were served once: of the better workqueue\'s time',
                  ratio(r.get(21, 'served_ns', v='served_500', peer='wpool'),
                        best('served_ns', 'served_500')), None, 1.2)


def events(r):
    """Row 24: tasks that wait without a worker."""
    armed = r.find(24, v='armed', peer='wpool')
    if armed:
        size, used, spawned, switches = (
            r.get(24, name, v='armed', peer='wpool')
            for name in ('event_bytes', 'used_bytes', 'spawned', 'quiet_switches'))
        nr = armed['params']['n']
        yield at_most(24, 'armed events: size of one', size, 128, unit='bytes')
        yield at_most(24, 'armed events: memory in use, of their size',
                      ratio(used, nr * size if size else None), 1.02)
        yield at_most(24, 'armed events: workers made', spawned, 0, unit='')
        yield at_most(24, 'armed events: wake-ups of wpool\'s threads', switches, 0, unit='')
    bare = r.task(24, 'timer', 'wheel')
    yield at_most(24, 'events of 10 ms, 8 workers: until all have run, of bare timers\' time',
                  ratio(r.task(24, 'wpool', 'wheel'), bare), 1.3)
    yield at_most(24, 'the same, of the time of bare timers in objects of that size',
                  ratio(r.task(24, 'wpool', 'wheel'), r.task(24, 'timer', 'wheel_padded')))
    yield at_most(24, 'the same, of the time of a per-CPU workqueue\'s delayed works',
                  ratio(r.task(24, 'wpool', 'wheel'), r.task(24, 'percpu', 'wheel')))
    yield at_most(24, 'the same without a queue, so that they stand in line: of bare timers\' time',
                  ratio(r.task(24, 'wpool', 'wheel_in_line'), bare))
    for which, bar in (('p50', 1.1), ('p99', None)):
        yield at_most(24, f'from a fire to the start: {which}, of that from a submit',
                      ratio(r.get(24, f'fire_{which}', v='fire', peer='wpool'),
                            r.get(24, f'submit_{which}', v='fire', peer='wpool')), bar)


def default_pool(r):
    """Row 18: more CPUs than there are, the bound of a pool that nobody has set any of."""
    for v, who in (('one_producer', 'one producer'), ('a_producer_a_CPU', 'a producer per CPU')):
        yield times(18, f'the default pool on 8 CPUs, {who}: of the better workqueue\'s rate',
                    ratio(r.better_workqueue(18, v), r.task(18, 'wpool', v)))


TIMED = ('total_ns_per_task', 'noop_ns', 'total_ns')


def steadiness(r):
    """Of each row: how far wpool's worst round is off, and off what."""
    spread, slow = {}, {}
    boots = set(BOOTS[r.machine].values()) | {MAIN_BOOT[r.machine]}

    def keep(of, row, value, where):
        if value and (row not in of or value > of[row][0]):
            of[row] = (value, where)

    for one in r.measurements:
        name = next((name for name in TIMED if name in one['figures']), None)
        row = one['row']
        if one['peer'] != 'wpool' or one['boot'] not in boots or row == 3 or not name:
            continue
        # It is there to show what hand-off is good for.
        if one['params'].get('handoff') == 0:
            continue
        worst = one['figures'][name]['worst']
        where = one['variant'].replace('_', ' ')
        # What the machine does meanwhile is not what a row is unsteady of.
        parts = [state['figures'][name] for state in one['states'].values()] or \
            [one['figures'][name]]
        off = max(part['worst'] / part['median'] for part in parts)
        keep(spread, row, off, where)
        v = {'batch': 'single', 'invoke': 'single' if row == 1 else 'kmalloc',
             'detached': 'kmalloc', 'submit_fn': 'kmalloc'}.get(one['variant'], one['variant'])
        shared = {key: one['params'][key] for key in ('n', 'pools', 'spread')
                  if key in one['params'] and row == 8}
        # Of a workqueue that is destroyed no thread has to end.
        if row != 23 and one['params'].get('what') != 'create':
            keep(slow, row, ratio(worst, r.get(row, name, v=v, peer='percpu', **shared)), where)
    for row, (value, where) in spread.items():
        yield at_most(row, f'worst round ({where}), of the median', value, 1.5)
    for row, (value, where) in slow.items():
        yield at_most(row, f'worst round ({where}), of the per-CPU workqueue\'s median', value, 1)


def rows(r, cpus):
    for part in (tasks(r), latency(r), sleeping(r), mixed(r), rest(r, cpus), bursts(r),
                 clients(r), allocated(r), computing(r), interrupts(r), queues(r),
                 helpers(r), orders(r), serving(r), default_pool(r), destroying(r),
                 besides(r), several(r), each(r), shapes(r)):
        yield from part


def all_rows(r, cpus):
    yield from rows(r, cpus)
    yield from events(r)


def judge_states(one):
    """A bar for near and far CPUs is reached if each state reaches it."""
    if not one.pop('states'):
        return
    values = [value for value in (one['value'], one['near'], one['far']) if value is not None]
    for which in ('bar', 'goal'):
        if one[which] is not None:
            one[which + '_reached'] = all(reached(value, one[which], one['better'] == 'more')
                                          for value in values)


def judge_machine(measurements, machine, cpus):
    r = Results(measurements, machine)
    out = [dict(one, machine=machine) for one in all_rows(r, cpus) if one['value'] is not None]
    for state in ('near', 'far'):
        values = {(one['row'], one['what']): one['value']
                  for one in all_rows(Results(measurements, machine, state), cpus)}
        for one in out:
            one[state] = values.get((one['row'], one['what']))
    for one in out:
        judge_states(one)
    # one['far'] and so on: of a worst round there is no such thing
    steady = [dict(one, machine=machine, near=None, far=None) for one in steadiness(r)
              if one['value'] is not None]
    for one in steady:
        del one['states']
    out += steady
    return sorted(out, key=lambda one: one['row'])


def judge(measurements, cpus):
    native, qemu = (judge_machine(measurements, machine, cpus)
                    for machine in ('native', 'qemu'))
    missed = {(one['row'], one['what']): not one['bar_reached'] for one in native
              if one['bar'] is not None}
    for one in qemu:
        one['only_here'] = bool(one['bar_reached'] and missed.get((one['row'], one['what'])))
    return native + qemu
