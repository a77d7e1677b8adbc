#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""plan.py - write down which measurements a benchmark boot makes, in which order.

usage: plan.py {native|native1|nativehttp|main|wide|http|smoke|icount|gate|cpus} [--rows 1,2]
               [--rounds N] [--quick] [--cpus N]

One line is one measurement, as the module wants it: a case and key=value words.
row=, v= (the variant, for tables) and round= mean nothing to the module, it
repeats them in its answer. alone=1 asks, natively, for a
kernel of its own: what others leave there would count. The peers of a row take turns within a round; the
rounds of a row follow each other, so that what is compared was measured close
together. A round 0 comes first and does not count.

native and native1 are kernels that nothing emulates, with two CPUs and with one;
main is a stock kernel under QEMU, wide one with more CPUs than the host may have;
nativehttp and http have a client in user space, and smoke a little of all that they
have; the others count instructions instead of time.
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
        self.icount = kind in ('icount', 'gate', 'cpus')
        self.native = kind.startswith('native')
        self.noops = 20000 if self.icount else 50000 if quick else 200000
        self.tree = 20000 if self.icount else 100000 if quick else \
            300000 if self.native else 1000000
        self.shots = 500 if quick else 2000
        self.busy = 5000 if quick else 25000
        self.trips = 2000 if not self.native else 5000 if quick else 20000


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
    # The tasks of the above take more memory than the caches hold.
    for peer in NOOP_PEERS if size.native else ():
        yield line('noop', 2, 'few', peer=peer, n=20000, producers=size.cpus)
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
    if size.icount:
        return
    for peer in NOOP_PEERS:
        yield line('tree', 4, 'shuffled', peer=peer, n=size.tree, shuffle=1)
    yield line('tree', 4, 'tree', peer='kthread', n=KTHREAD_TASKS)


def sleep(v, peer, n, us, workers, **params):
    return line('sleep', 5, v, peer=peer, n=n, us=us, capacity=workers, pin=0,
                warm=1, **params)


def row_5(size):
    few, many = (2 ** 14, 2 ** 17) if size.quick else (2 ** 17, 2 ** 20)
    yield sleep('1ms/1024', 'wpool', many, 1000, 1024)
    yield sleep('1ms/512', 'wpool', few, 1000, 512)
    yield sleep('1ms/512', 'unbound', few, 1000, 512)
    yield sleep('100ms/1000', 'wpool', 10000 if size.quick else 100000, 100000, 1000,
                expiry=0)
    yield sleep('10ms/16384', 'wpool', 100000 if size.quick else 1000000, 10000, 16384,
                expiry=0)


def row_6(size):
    n = 20000 if size.quick else 100000
    for v, producers in (('a producer a CPU', size.cpus), ('one producer', 1)):
        v = v.replace(' ', '_')
        common = {'n': n, 'us': 1000, 'capacity': 512, 'producers': producers}
        yield line('mix', 6, v, peer='wpool', handoff=1, **common)
        yield line('mix', 6, v, peer='wpool', handoff=0, **common)
        # Its bound is for each CPU that has tasks: as many may sleep at a time as elsewhere.
        yield line('mix', 6, v, peer='percpu', **common | {'capacity': 512 // producers})
        yield line('mix', 6, v, peer='unbound', **common)
    # One worker: every sleep holds up all that stands behind it.
    yield line('mix', 6, 'one_producer', peer='kworker', n=5000, us=1000, producers=1)


def row_7(size):
    common = {'n': 20000 if size.quick else 100000, 'capacity': 64, 'producers': 4, 'pin': 0}
    yield line('noop', 7, 'unbounded', peer='wpool', **common)
    yield line('noop', 7, 'bounded', peer='wpool', depth=0, **common)
    yield line('noop', 7, 'unbounded', peer='percpu', **common)
    yield line('noop', 7, 'bounded', peer='semaphore', **common)


def row_8(size):
    for n in (10 ** 4, 10 ** 5, 10 ** 6) if size.quick else (10 ** 4, 10 ** 5, 10 ** 6, 10 ** 7):
        yield line('recycle', 8, 'tasks', peer='wpool', n=n)
        yield line('recycle', 8, 'tasks', peer='percpu', n=n)
    n = 20000 if size.quick else 50000
    for pools in (1, 10, 100, 1000):
        yield line('pools', 8, 'pools', peer='wpool', n=n, pools=pools)
        yield line('pools', 8, 'spread', peer='wpool', n=n, pools=pools, spread=1)
        yield line('pools', 8, 'spread', peer='percpu', n=n, pools=pools, spread=1)


def row_8_cpus(size):
    """Counts instructions: CPUs take turns there, time means nothing."""
    n = 10000 * size.cpus
    for peer in ('wpool', 'percpu'):
        yield line('noop', 8, 'cpus', peer=peer, n=n, producers=size.cpus)
    yield line('noop', 8, 'cpus_batch', peer='wpool', n=n, producers=size.cpus, batch=64)


def row_9(size):
    yield line('memory', 9, 'memory', peer='wpool')
    # Not the same thing: a tenth of the files, no queues and no workers of its own.
    yield line('memory', 9, 'memory', peer='unbound', sysfs=1)
    yield line('quiet', 9, 'quiet', peer='wpool', seconds=3 if size.quick else 10)
    # Where it is a module that can be loaded: scripts/guest/bench.sh.
    if not size.native:
        yield line('rest', 9, 'rest', peer='wpool')


def row_10(size):
    # Natively, more would measure the memory that does not fit into the caches.
    n = 20000
    yield line('noop', 10, 'single', peer='wpool', n=n)
    yield line('noop', 10, 'batch', peer='wpool', n=n, batch=64)
    for peer in NOOP_PEERS[1:]:
        yield line('noop', 10, 'single', peer=peer, n=n)
    yield line('noop', 10, 'single', peer='kthread', n=KTHREAD_TASKS)
    for peer in NOOP_PEERS:
        yield line('tree', 10, 'tree', peer=peer, n=n)
    for peer in NOOP_PEERS:
        yield line('tree', 10, 'shuffled', peer=peer, n=n, shuffle=1)


BURSTS = (1, 4, 16, 64, 1000)


def row_11(size):
    for tasks in BURSTS:
        n = 20 if tasks == 1000 else 50
        if not size.quick:
            n *= 4
        for peer in NOOP_PEERS:
            yield line('burst', 11, f'{tasks}_tasks', peer=peer, size=tasks, n=n)


def row_12(size):
    for v, clients in (('1_client', 1), ('2_clients', 2), ('8_clients', 8)):
        for peer in NOOP_PEERS:
            yield line('client', 12, v, peer=peer, clients=clients, n=size.trips)
    # What the peer itself has for waiting, instead of a completion.
    for peer in NOOP_PEERS:
        yield line('client', 12, 'own', peer=peer, clients=1, own=1, n=size.trips)


def row_13(size):
    # More at a time would measure the memory that does not fit into the caches.
    n = 20000
    yield line('alloc', 13, 'detached', peer='wpool', n=n)
    yield line('submit_fn', 13, 'submit_fn', peer='wpool', n=n)
    yield line('invoke', 13, 'invoke', peer='wpool', n=n)
    for peer in NOOP_PEERS[1:]:
        yield line('alloc', 13, 'kmalloc', peer=peer, n=n)


# How long a task computes, and how many of them.
LENGTHS = (('0.5us', 500, 40000), ('2us', 2000, 20000), ('10us', 10000, 5000),
           ('100us', 100000, 500), ('1ms', 1000000, 100))


def row_14(size):
    for v, ns, n in LENGTHS:
        for peer in NOOP_PEERS:
            yield line('compute', 14, v, peer=peer, n=n, ns=ns)


def row_15(size):
    for peer in NOOP_PEERS:
        yield line('compute', 15, 'mix', peer=peer, n=20000, lengths=3)


def row_16(size):
    for peer in NOOP_PEERS:
        yield line('timer', 16, 'timer', peer=peer, n=size.shots, period=200)


def row_17(size):
    common = {'capacity': 4, 'depth': 1000, 'us': 500}
    for peer in NOOP_PEERS[:3]:
        yield line('full', 17, 'asleep', peer=peer, n=5000, **common)
    for peer in NOOP_PEERS[:3]:
        yield line('full', 17, 'busy', peer=peer, n=4000, compute=1, **common)
    for peer in ('wpool', 'unbound'):
        yield line('full', 17, 'many', peer=peer, n=5000, capacity=64, depth=448, us=10000)


def row_19(size):
    for peer in NOOP_PEERS:
        yield line('pair', 19, 'pair', peer=peer, n=10 if size.quick else 40)


def row_20(size):
    for peer in ('wpool', 'unbound', 'kthread'):
        yield line('crowd', 20, 'crowd', peer=peer, n=500, capacity=500)


HTTP_PEERS = ('wpool', 'thread', 'percpu', 'unbound')
# All of them have as many workers; what needs none, as a thread per connection, has no bound.
HTTP_WORKERS = 64


def http(case, v, peer, **params):
    return line(case, 21, v, peer=peer, workers=HTTP_WORKERS, **params)


def row_21(size):
    seconds = 1 if size.quick else 3
    for connections in (1, 16, 256, 2000):
        for peer in HTTP_PEERS:
            yield http('wrk', f'keep_{connections}', peer, connections=connections, path='/',
                       seconds=seconds)
    for peer in HTTP_PEERS:
        yield http('wrk', 'short_64', peer, connections=64, path='/', seconds=seconds, close=1)
    for peer in HTTP_PEERS:
        yield http('wrk', 'slow_512', peer, connections=512, path='/slow?ms=10',
                   seconds=seconds)
    for peer in HTTP_PEERS:
        yield http('served', 'served_500', peer, connections=500, path='/slow?ms=10')


def row_21_smoke(size):
    """Each load for wpool, and each peer under two of them."""
    for words in row_21(size):
        if 'peer=wpool' in words or {'v=keep_16', 'v=short_64'} & set(words):
            yield words


# Several pools behind one handle: how many, and who picks one.
MULTI = (('one_pool', 1, 0), ('2_in_turn', 2, 0), ('8_in_turn', 8, 0), ('2_by_room', 2, 1),
         ('8_by_room', 8, 1))


def row_22(size):
    for load, params in (('no-ops', {'n': size.noops}), ('mix', {'n': 20000, 'lengths': 3})):
        for who, producers in (('one_producer', 1), ('a_producer_a_CPU', size.cpus)):
            for v, pools, least in MULTI:
                yield line('multi', 22, f'{load},_{who},_{v}', peer='wpool', pools=pools,
                           least=least, producers=producers, capacity=64, depth=1024, **params)


def row_23(size):
    for v, threads in (('one_thread', 1), ('ten_threads', 10)):
        for peer in NOOP_PEERS:
            yield line('destroy', 23, v, peer=peer, pools=1000, threads=threads)


# A queue without a limit, as where a list of waiting jobs stands in front of the workers.
UNLIMITED = 2 ** 32 - 1


def row_24(size):
    n = 10 ** 5 if size.quick else 10 ** 6
    yield line('event_armed', 24, 'armed', peer='wpool', n=n)
    yield line('event_wheel', 24, 'wheel', peer='wpool', kind='event', n=n, us=10000,
               depth=UNLIMITED)
    # No queue: all but eight stand in the line of those who wait for room.
    yield line('event_wheel', 24, 'wheel_in_line', peer='wpool', kind='event', n=n, us=10000)
    yield line('event_wheel', 24, 'wheel', peer='timer', kind='bare', n=n, us=10000)
    # What of the difference is memory, and what is that a thread runs it.
    yield line('event_wheel', 24, 'wheel_padded', peer='timer', kind='padded', n=n, us=10000)
    yield line('event_wheel', 24, 'wheel', peer='percpu', kind='work', n=n, us=10000)
    yield line('event_fire', 24, 'fire', peer='wpool', n=size.shots)


# Capacity, queue, how long tasks take, who submits: nothing of it may cost the order.
SLEEP_20MS = {'capacity': 8, 'depth': 64, 'us': 20000, 'n': 800}
SLEEP_10MS = {'capacity': 8, 'depth': 64, 'us': 10000, 'n': 640, 'producers': 2}
ORDERS = {
    '8_asleep_20ms': SLEEP_20MS,
    '8_asleep_20ms,_4_submitters': SLEEP_20MS | {'producers': 4},
    '8_asleep_20ms,_one_each_ms': SLEEP_20MS | {'gap': 1000},
    '64_asleep_50ms,_8_submitters': {'capacity': 64, 'depth': 64, 'us': 50000, 'n': 2000,
                                     'producers': 8},
    '64_asleep_10ms,_256_queued': {'capacity': 64, 'depth': 256, 'us': 10000, 'n': 4000,
                                   'producers': 4},
    '16_asleep_5ms,_1000_queued': {'capacity': 16, 'depth': 1000, 'us': 5000, 'n': 3000,
                                   'producers': 16},
    '16_asleep_1ms': {'capacity': 16, 'depth': 64, 'us': 1000, 'n': 4000},
    '8_asleep_5ms': {'capacity': 8, 'depth': 64, 'us': 5000, 'n': 1000},
    '8_asleep_5ms,_no_queue': {'capacity': 8, 'depth': 0, 'us': 5000, 'n': 1000, 'producers': 4},
    '4_asleep_5ms,_no_limit': {'capacity': 4, 'depth': 2 ** 32 - 1, 'us': 5000, 'n': 800},
    '1_asleep_20ms,_100_queued': {'capacity': 1, 'depth': 100, 'us': 20000, 'n': 200},
    '6_asleep_15ms,_one_each_2ms': {'capacity': 6, 'depth': 64, 'us': 15000, 'n': 600,
                                    'gap': 2000},
    '8_of_1ms,_one_in_10_of_30ms': {'capacity': 8, 'depth': 64, 'us': 1000, 'n': 1500,
                                    'every': 10, 'other': 30000},
    '8_compute_2ms': {'capacity': 8, 'depth': 64, 'us': 2000, 'compute': 1, 'n': 800},
    '8_compute_5ms,_one_in_20_sleeps': {'capacity': 8, 'depth': 64, 'us': 5000, 'compute': 1,
                                        'n': 400, 'every': 20, 'other': 50000, 'producers': 4},
    '4_compute_100us,_256_queued': {'capacity': 4, 'depth': 256, 'us': 100, 'compute': 1,
                                    'n': 8000},
    '4_compute_50us,_4_submitters': {'capacity': 4, 'depth': 256, 'us': 50, 'compute': 1,
                                     'n': 8000, 'producers': 4},
    'no-ops,_1000_queued': {'capacity': 8, 'depth': 1000, 'n': 50000, 'producers': 2},
    '8_asleep_10ms,_the_oldest_dropped': SLEEP_10MS | {'drop': 1, 'gap': 800},
    '8_asleep_10ms,_batch': SLEEP_10MS | {'via': 'batch'},
    '8_asleep_10ms,_group': SLEEP_10MS | {'via': 'group'},
    '8_asleep_10ms,_event': SLEEP_10MS | {'via': 'event'},
    '8_asleep_10ms,_invoke': SLEEP_10MS | {'via': 'invoke'},
    '8_asleep_10ms,_strand': SLEEP_10MS | {'via': 'strand'},
}
# Of these it is known how many may overtake a task: they take a millisecond or more.
ORDERS_LONG = {v: params for v, params in ORDERS.items() if params.get('us', 0) >= 1000}


def row_25(size):
    for v, params in ORDERS.items():
        params = dict(params)
        if size.quick:
            params['n'] //= 2
        yield line('order', 25, v, peer='wpool', pin=0, **params)


# How long each computes.
BESIDE = (('20us', 20000), ('100us', 100000), ('500us', 500000), ('2ms', 2000000))


def row_26(size):
    """A submitter that computes as long as its tasks."""
    n = 20 if size.quick else 100
    for v, ns in BESIDE:
        for peer in NOOP_PEERS[:3]:
            yield line('beside', 26, v, peer=peer, n=n, ns=ns)
    for tasks in (2, 4, 8):
        for peer in NOOP_PEERS[:3]:
            yield line('beside', 26, f'{tasks}_tasks', peer=peer, n=n, ns=500000, tasks=tasks)
            yield line('beside', 26, f'{tasks}_softirq', peer=peer, n=n, ns=500000, tasks=tasks,
                       **{'from': 'softirq'})
        yield line('beside', 26, f'{tasks}_batch', peer='wpool', n=n, ns=500000, tasks=tasks,
                   batch=tasks)
    for peer in NOOP_PEERS[:3]:
        yield line('beside', 26, 'other_cpu', peer=peer, n=n, ns=500000, on=1)


# A pool beside a thread for each task: how many tasks, how long they sleep in us, on how many
# workers. No-ops are done before a second thread is needed: of threads a tenth is enough.
EACH = {
    '1ms/1024': (2 ** 20, 1000, 1024),
    '10ms/16384': (10 ** 6, 10000, 16384),
    '100ms/1000': (10 ** 5, 100000, 1000),
    'no-ops': (10 ** 7, 0, 1024),
}


def row_27(size):
    for v, (n, us, workers) in EACH.items():
        if size.quick:
            n //= 16
        for peer in ('wpool', 'kthread', 'unbound'):
            yield line('each', 27, v, peer=peer, us=us, capacity=workers, pin=0, alone=1,
                       n=n // 10 if (peer, us) == ('kthread', 0) else n)
        # A submitter that finds all workers busy waits.
        yield line('each', 27, v + '_bounded', peer='wpool', us=us, capacity=workers, pin=0,
                   alone=1, n=n, depth=0)
        yield line('each', 27, v + '_bounded', peer='bounded', us=us, capacity=workers, pin=0,
                   alone=1, n=n)


def row_27_cpus(size):
    """Counts what is allocated for a task, workers and threads among it."""
    if size.cpus != 2:
        return
    for peer in ('wpool', 'kthread', 'unbound'):
        yield line('each', 27, 'allocs', peer=peer, us=1000, capacity=1024, pin=0, n=20000, count=1)
    yield line('each', 27, 'allocs_bounded', peer='wpool', us=1000, capacity=1024, pin=0,
               n=20000, depth=0, count=1)
    yield line('each', 27, 'allocs_bounded', peer='bounded', us=1000, capacity=1024, pin=0,
               n=20000, count=1)


def row_28(size):
    """The shape of the kernel's own benchmark of workqueues: a client a CPU, one in flight each."""
    n = size.trips * max(size.cpus // 2, 1)
    for peer in NOOP_PEERS[:3]:
        yield line('client', 28, 'a_producer_a_CPU', peer=peer, clients=size.cpus, enqueue=1, n=n)
    # How far an unbound workqueue spreads, where that can be set between two measurements.
    for scope in () if size.native or size.icount else ('cpu', 'cache_shard', 'cache', 'system'):
        yield line('client', 28, f'scope_{scope}', peer='unbound', clients=size.cpus, enqueue=1,
                   n=n, scope=scope)


# Shapes that users have: name, what is measured, how many and with what; who takes part.
POOLS, QUEUES, BOUNDED = NOOP_PEERS, NOOP_PEERS[:3], ('wpool', 'semaphore', 'bounded')
ORDERED = ('wpool', 'unbound')
PIPELINES = ('wpool', 'padata')
SHAPES = {
    '256_tasks_go_round': ('cycle', POOLS, {'kind': 'ring', 'flight': 256, 'n': 100000}),
    'one_chain': ('cycle', POOLS, {'kind': 'chain', 'flight': 1, 'n': 100000}),
    'eight_chains': ('cycle', POOLS, {'kind': 'chain', 'flight': 8, 'n': 100000}),
    'a_parent_and_8_children': ('cycle', POOLS, {'kind': 'family', 'flight': 8, 'ns': 300,
                                                 'n': 45000}),
    '8_in_flight,_1_us_of_4_under_a_mutex': ('cycle', QUEUES, {
        'kind': 'chain', 'flight': 8, 'lock_ns': 1000, 'ns': 3000, 'n': 8000}),
    '64_in_flight,_asleep_for_50_us': ('cycle', QUEUES, {
        'kind': 'chain', 'flight': 64, 'us': 50, 'n': 12800, 'capacity': 64}),
    '4_producers,_8_outstanding_of_2_us': ('compute', BOUNDED, {
        'ns': 2000, 'producers': 4, 'capacity': 8, 'depth': 0, 'n': 20000, 'pin': 0}),
    'a_time-out_armed_and_cancelled': ('call', POOLS, {'what': 'arm', 'n': 100000}),
    'a_time-out_moved': ('call', POOLS, {'what': 'move', 'n': 100000}),
    'in_order,_1_strand': ('call', ORDERED, {'what': 'ordered', 'count': 1000, 'n': 100000}),
    'in_order,_64_strands': ('call', ORDERED, {'what': 'ordered', 'count': 1024, 'strands': 64,
                                               'n': 102400}),
    '2_us_in_parallel,_then_in_order': ('pipeline', PIPELINES, {'ns': 2000, 'n': 50000}),
    '20_us_in_parallel,_then_in_order': ('pipeline', PIPELINES, {'ns': 20000, 'n': 10000}),
    'flush_of_an_idle_pool': ('call', POOLS, {'what': 'flush', 'n': 100000}),
    'a_pool_for_one_task': ('call', POOLS, {'what': 'create', 'n': 50}),
    'cancelled_at_once': ('call', POOLS, {'what': 'cancel', 'n': 20000}),
    'a_group_of_64_of_1_us': ('call', POOLS, {'what': 'group', 'count': 64, 'ns': 1000,
                                              'n': 32000}),
    'a_loop_of_100_us': ('call', QUEUES, {'what': 'loop', 'ns': 100000, 'n': 500}),
    'a_loop_of_1_ms': ('call', QUEUES, {'what': 'loop', 'ns': 1000000, 'n': 100}),
}
# Of these it is the time of one that counts.
SHAPES_TIMED = {
    '2_clients,_500_ns': ('client', POOLS, 'trip', {'clients': 2, 'ns': 500, 'n': 10000}),
    '16_clients,_500_ns': ('client', POOLS, 'trip', {'clients': 16, 'ns': 500, 'n': 10000}),
    'an_interrupt_submits_32_of_2_us': ('beside', POOLS, 'beside', {
        'from': 'irq', 'tasks': 32, 'ns': 2000, 'n': 200}),
}
# What is another matter with one CPU.
SHAPES_ALONE = ('256_tasks_go_round', 'one_chain', 'in_order,_1_strand', 'in_order,_64_strands',
                'a_pool_for_one_task', 'cancelled_at_once', 'flush_of_an_idle_pool')


def shape(row, v):
    case, peers, params = SHAPES[v]
    for peer in peers:
        yield line(case, row, v, peer=peer, **params)


def row_29(_):
    for v in SHAPES:
        yield from shape(29, v)
    for v, (case, peers, _, params) in SHAPES_TIMED.items():
        for peer in peers:
            yield line(case, 29, v, peer=peer, **params)


def row_30(_):
    for v in SHAPES_ALONE:
        yield from shape(30, v)


def row_18(size):
    """The attributes of a pool that nobody has set any of."""
    default = {'capacity': 256, 'depth': 0}
    n = 10000 * (size.cpus if size.icount else 4)
    for v, producers in (('one_producer', 1), ('a_producer_a_CPU', size.cpus)):
        yield line('noop', 18, v, peer='wpool', n=n, producers=producers, **default)
        for peer in NOOP_PEERS[1:]:
            yield line('noop', 18, v, peer=peer, n=n, producers=producers)


def row_18_cpus(size):
    return row_18(size) if size.cpus == 8 else ()


def gate(row):
    """Only who is compared there."""
    def only(size):
        return [words for words in row(size)
                if words[0] != 'invoke' and {'peer=wpool', 'peer=percpu'} & set(words)]
    return only


# Which rows a boot makes, and with what.
# Memory comes first: afterwards, what others have freed is on its way back for long.
MAIN = {9: row_9, 1: row_1, 2: row_2, 3: row_3, 4: row_4, 5: row_5, 6: row_6, 7: row_7,
        8: row_8, 11: row_11, 12: row_12, 13: row_13, 14: row_14, 15: row_15, 16: row_16,
        17: row_17, 19: row_19, 20: row_20, 22: row_22, 23: row_23, 24: row_24,
        25: row_25, 26: row_26, 27: row_27, 28: row_28, 29: row_29}
OF_KIND = {
    'native': MAIN,
    'native1': {10: row_10, 30: row_30},
    'main': MAIN,
    'wide': {18: row_18},
    'nativehttp': {21: row_21},
    'http': {21: row_21},
    'smoke': {21: row_21_smoke},
    'icount': {1: row_1, 2: row_2, 3: row_3, 4: row_4},
    'gate': {1: gate(row_1), 2: gate(row_2), 4: gate(row_4)},
    'cpus': {8: row_8_cpus, 9: row_9, 18: row_18_cpus, 27: row_27_cpus, 28: row_28},
}
# What two CPUs are to each other changes where nothing is emulated.
WITH_C2C = {'native', 'nativehttp'}
# What takes long, or does not vary.
MOST_ROUNDS = {5: 3, 8: 3, 9: 1, 23: 3, 25: 3, 27: 3}
# Or makes workers itself, and has more lines than fit before each of a kernel.
NOT_WARMED_UP = {5, 8, 9, 20, 21, 23, 25, 27, 29, 30}


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

    rows = OF_KIND[args.kind]
    wanted = {int(row) for row in args.rows.split(',')} if args.rows else set(rows)
    size = Size(args.kind, args.quick, args.cpus)
    for row, make in rows.items():
        if row not in wanted:
            continue
        measurements = list(make(size))
        if row not in NOT_WARMED_UP:
            for words in measurements:
                print(*warm_up(words), 'round=0')
        for number in range(1, min(args.rounds, MOST_ROUNDS.get(row, args.rounds)) + 1):
            for words in measurements:
                # What two CPUs are to each other at that moment.
                print(*words, *(['c2c=1'] if args.kind in WITH_C2C else []),
                      f'round={number}')


if __name__ == '__main__':
    main()
