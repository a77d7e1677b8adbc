#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""wpool.py - print the state of pools, in a running kernel or a dump of memory, with drgn.

usage: wpool.py [--core VMCORE] [--symbols FILE]... [--stacks] [POOL]...

It prints for these POOLs, or for all: limits; queues, oldest first, with the ages of their first
tasks; the submitters that wait for room; and each worker in a task. --stacks adds the stacks of
these workers. Only sysrq-x prints why tasks wait. Without --core it reads the running kernel, as
root. --symbols names a vmlinux or wpool.ko with debug information; by default drgn searches the
usual places.
"""
import argparse
import sys

import drgn
from drgn import container_of
from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.percpu import per_cpu_ptr

UNLIMITED = 0xffffffff
MOST_TASKS = 4
IS_EVENT = 1 << 2
# as wpool_trace_func_at(): flag of a task -> the struct that contains the task
OUTER = {1 << 5: 'struct wpool_strand_task', IS_EVENT: 'struct wpool_event', 1 << 4: 'struct wpool_group_task'}


def limit(value):
    return 'max' if value == UNLIMITED else str(value)


def text(chars):
    return chars.string_().decode(errors='backslashreplace')


def state_name(pool):
    names = {value: name for name, value in pool.state.type_.enumerators}
    return names[pool.state.value_()].removeprefix('WPOOL_').lower()


def func_name(prog, address):
    try:
        return prog.symbol(address).name
    except LookupError:
        return hex(address)


def task_func(task):
    """The function that the owner of the task has given: that of the event, strand or group task."""
    outer = [name for flag, name in OUTER.items() if task.flags.value_() & flag]
    return (container_of(task, outer[0], 'task') if outer else task).func.value_()


def fifo_tasks(fifo, head='tasks'):
    return list(list_for_each_entry('struct wpool_task', fifo.member_(head).address_of_(), 'node'))


def ring_tasks(ring):
    """The tasks between head and tail, oldest first."""
    size = len(ring.slots)
    head, tail = ring.head.counter.value_() & 0xffffffff, ring.tail.value_()
    return [ring.slots[(head + i) % size] for i in range((tail - head) & 0xffffffff)]


def queues(prog, pool):
    """(name, tasks) of each queue that has tasks"""
    found = [('the global queue', fifo_tasks(pool.globq)), ('the urgent tasks', fifo_tasks(pool.urgent))]
    for cpu in for_each_possible_cpu(prog):
        runq = per_cpu_ptr(pool.rq, cpu)[0]
        if not runq:
            continue
        tasks = fifo_tasks(runq.backlog) + ring_tasks(runq.ring)
        if runq.next:
            tasks.append(runq.next)
        found.append((f'queue of CPU {cpu}', tasks))
    return [(name, tasks) for name, tasks in found if tasks]


def waiters(prog, pool):
    """The waiters for room, first to last: threads, and the tasks of events and strands."""
    for place in fifo_tasks(pool.admission, 'waiters'):
        if place.flags.value_() & IS_EVENT:
            yield f'an event or a strand, {func_name(prog, task_func(place))}'
        else:
            thread = container_of(place, 'struct wpool_waiter', 'place').thread
            yield f'{text(thread.comm)}, pid {thread.pid.value_()}'


def show_pool(prog, pool, with_stacks):
    now = prog['jiffies_64'].value_()
    waiting = [(name, tasks, [(now - task.jiffy.value_()) & 0xffffffff for task in tasks[:MOST_TASKS]])
               for name, tasks in queues(prog, pool)]
    workers = list(list_for_each_entry('struct wpool_worker', pool.workers.list.address_of_(), 'node'))
    busy = [w for w in workers if w.task]
    queued = sum(len(tasks) for _, tasks, _ in waiting)
    print(f'pool {text(pool.name)}: {state_name(pool)}, '
          f'capacity {limit(pool.capacity.value_())}, queue_depth {limit(pool.queue_depth.value_())}, '
          f'{pool.nr_workers.value_()} workers, {len(busy)} in tasks, '
          f'{queued} queued, {pool.admission.nr_waiting.value_()} waiting')
    for name, tasks, ages in sorted(waiting, key=lambda queue: -queue[2][0]):
        names = ', '.join(f'{func_name(prog, task_func(task))} for {age}'
                          for task, age in zip(tasks, ages))
        print(f'  {name}: {len(tasks)} tasks, jiffies: {names}')
    for waiter in waiters(prog, pool):
        print(f'  in line: {waiter}')
    for w in busy:
        thread = w.thread
        print(f'  {text(thread.comm)} {thread.pid.value_()}, at home on CPU {w.rq.cpu.value_()}, '
              f'in {func_name(prog, w.func.value_())}')
        if with_stacks:
            for frame in prog.stack_trace(thread):
                print(f'    {frame.name or hex(frame.pc)}')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n')[0],
                                     epilog=__doc__.split('\n\n')[2])
    parser.add_argument('--core')
    parser.add_argument('--symbols', action='append', default=[])
    parser.add_argument('--stacks', action='store_true')
    parser.add_argument('pools', nargs='*')
    args = parser.parse_args()

    prog = drgn.Program()
    if args.core:
        prog.set_core_dump(args.core)
    else:
        prog.set_kernel()
    if args.symbols:
        prog.load_debug_info(args.symbols)
    else:
        prog.load_debug_info(None, True)
    for pool in list_for_each_entry('struct wpool', prog.variable('pools', 'registry.c').address_of_(), 'node'):
        if not args.pools or pool.name.string_().decode() in args.pools:
            show_pool(prog, pool, args.stacks)
    return 0


if __name__ == '__main__':
    sys.exit(main())
