#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""wpool.py - print the state of pools, in a running kernel or a dump of memory, with drgn.

usage: wpool.py [--core VMCORE] [--symbols FILE]... [--stacks] [POOL]...

It prints for these POOLs, or for all: limits; queues, oldest first, with the ages of their first
tasks; the submitters that wait for room; each worker in a task; and why tasks wait, in the words of
sysrq-x. --stacks adds the stacks of these workers. Without --core it reads the running kernel, as
root. --symbols names a vmlinux or a module with debug information; by default drgn searches the
usual places. A function of a module without any is shown as an address.
"""
import argparse
import sys

try:
    import drgn
    from drgn import container_of
    from drgn.helpers.linux.cpumask import for_each_possible_cpu
    from drgn.helpers.linux.list import list_for_each_entry
    from drgn.helpers.linux.percpu import per_cpu_ptr
    from drgn.helpers.linux.sched import task_cpu
except ImportError as error:
    sys.exit(f'wpool.py: {error}: install python3-drgn of Debian 12, and use /usr/bin/python3')

UNLIMITED = 0xffffffff
MOST_TASKS = 4
IS_EVENT = 1 << 2
# as wpool_trace_func_at(): flag of a task -> the struct that contains the task
OUTER = {1 << 5: 'struct wpool_strand_task', IS_EVENT: 'struct wpool_event',
         1 << 4: 'struct wpool_group_task'}
ATT_DROPS = 1 << 4


def limit(value):
    return 'max' if value == UNLIMITED else str(value)


def text(chars):
    """A name that a user may have chosen, without control characters."""
    name = chars.string_().decode(errors='backslashreplace')
    return ''.join(c if c.isprintable() else f'\\x{ord(c):02x}' for c in name)


def state_name(pool):
    names = {value: name for name, value in pool.state.type_.enumerators}
    return names[pool.state.value_()].removeprefix('WPOOL_').lower()


def func_name(prog, address):
    try:
        return prog.symbol(address).name
    except LookupError:
        return hex(address)


def task_func(task):
    """The function that the owner of the task has given to it, its event, strand or group."""
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
    found = [('the global queue', fifo_tasks(pool.globq)),
             ('the urgent tasks', fifo_tasks(pool.urgent))]
    for cpu in for_each_possible_cpu(prog):
        runq = per_cpu_ptr(pool.rq, cpu)[0]
        if not runq:
            continue
        tasks = fifo_tasks(runq.backlog) + ring_tasks(runq.ring)
        if runq.next:
            tasks.append(runq.next)
        found.append((f'queue of CPU {cpu}', tasks))
    return [(name, tasks) for name, tasks in found if tasks]


def age_ms(prog, task):
    # its mult is TICK_NSEC << shift
    clock = prog['clocksource_jiffies']
    tick_ns = clock.mult.value_() >> clock.shift.value_()
    age = (prog['jiffies_64'].value_() - task.jiffy.value_()) & 0xffffffff
    return age * tick_ns // 1000000


def waiters(prog, pool):
    """The waiters for room, first to last: threads, and the tasks of events and strands."""
    for entry in fifo_tasks(pool.admission, 'waiters'):
        if entry.flags.value_() & IS_EVENT:
            yield f'an event or a strand, {func_name(prog, task_func(entry))}'
        else:
            thread = container_of(entry, 'struct wpool_waiter', 'entry').thread
            yield f'{text(thread.comm)}, pid {thread.pid.value_()}'


# ---- why tasks wait: as module/core/why.c ----

def is_blocked(prog, thread):
    """As compat_is_blocked() of compat.h: newer kernels keep a sleeping thread on the run queue."""
    if prog.type('struct task_struct').has_member('is_blocked'):
        blocked = thread.is_blocked
    elif prog.type('struct sched_entity').has_member('sched_delayed'):
        blocked = thread.se.sched_delayed
    else:
        blocked = False
    return bool(blocked) or not thread.on_rq


def find_hog(prog, busy):
    for w in busy:
        if not w.running_on and not is_blocked(prog, w.thread) and not w.asleep:
            return w
    return None


def is_frozen(prog, pool):
    return (prog['wpool_freeze_is_on'] and pool.freezable and not pool.workers.nr_lifting and
            not pool.attention.value_() & ATT_DROPS)


def common_func(busy):
    """The function in which more than half of the workers are, or else any of their functions."""
    func, votes = 0, 0
    for w in busy:
        if not votes:
            func = w.func.value_()
        votes += 1 if w.func.value_() == func else -1
    return func


def why(prog, pool, busy, queued):
    """The answer of wpool_why(). @busy: the workers in tasks; @queued: the number of tasks"""
    workers, in_tasks = pool.nr_workers.value_(), len(busy)
    most = prog.variable('wpool_max_workers', 'counts.c').value_()
    room = most - prog.variable('nr_all_workers', 'counts.c').counter.value_()
    all_busy = in_tasks >= workers
    hog = find_hog(prog, busy)

    if not queued and not pool.admission.nr_waiting:
        return 'nothing waits'
    if is_frozen(prog, pool):
        return 'the pool is frozen'
    if all_busy and workers >= pool.capacity.value_():
        func = common_func(busy)
        nr = sum(w.func.value_() == func for w in busy)
        return f'capacity is used up: {nr} of {workers} workers in {func_name(prog, func)}'
    if pool.spawn.failing:
        return f'no worker can be made, error {pool.spawn.error.value_()}'
    if all_busy and room <= 0:
        return f'max_workers = {most} is reached: this pool has {workers} workers'
    if hog:
        return (f'hogs keep the CPUs: {func_name(prog, hog.func.value_())} on CPU '
                f'{task_cpu(hog.thread)} without sleep')
    if pool.nr_coming.counter or pool.nr_searching.counter:
        return 'a worker is on its way, or needs a CPU'
    return f'{in_tasks} of {workers} workers are in tasks, none has looked yet'


# ---- printing ----

def show_stack(prog, thread):
    try:
        for frame in prog.stack_trace(thread):
            print(f'    {frame.name or func_name(prog, frame.pc)}')
    except (ValueError, LookupError) as error:
        # such as that of a thread that runs, in the running kernel
        print(f'    no stack: {error}')


def show_pool(prog, pool, with_stacks):
    waiting = [(name, tasks, [age_ms(prog, task) for task in tasks[:MOST_TASKS]])
               for name, tasks in queues(prog, pool)]
    workers = list_for_each_entry('struct wpool_worker', pool.workers.list.address_of_(), 'node')
    busy = [w for w in workers if w.task]
    queued = sum(len(tasks) for _, tasks, _ in waiting)
    print(f'pool {text(pool.name)}: {state_name(pool)}, capacity {limit(pool.capacity.value_())}, '
          f'queue_depth {limit(pool.queue_depth.value_())}, '
          f'{pool.nr_workers.value_()} workers, {len(busy)} in tasks, '
          f'{queued} queued, {pool.admission.nr_waiting.value_()} waiting')
    for name, tasks, ages in sorted(waiting, key=lambda queue: -queue[2][0]):
        names = ', '.join(f'{func_name(prog, task_func(task))} for {age} ms'
                          for task, age in zip(tasks, ages))
        print(f'  {name}: {len(tasks)} tasks: {names}')
    for waiter in waiters(prog, pool):
        print(f'  in line: {waiter}')
    for w in busy:
        thread = w.thread
        print(f'  {text(thread.comm)} {thread.pid.value_()}, at home on CPU {w.rq.cpu.value_()}, '
              f'last on {task_cpu(thread)}: in {func_name(prog, w.func.value_())}, '
              f'task {w.task.value_():#x}')
        if with_stacks:
            show_stack(prog, thread)
    print(f'  why: {why(prog, pool, busy, queued)}')


def find_pools(prog):
    """All pools. Exits with a message if the kernel has none, or drgn cannot read them."""
    modules = list_for_each_entry('struct module', prog['modules'].address_of_(), 'list')
    if not any(text(module.name) == 'wpool' for module in modules):
        sys.exit('wpool.py: the module wpool is not loaded in this kernel')
    try:
        pools = prog.variable('pools', 'registry.c')
    except LookupError:
        sys.exit('wpool.py: no debug information of wpool.ko: give the file that was loaded '
                 'by --symbols')
    # the symbols of a file that is not the loaded module have no address in the kernel's half
    if pools.address_ < 1 << 63:
        sys.exit('wpool.py: the wpool.ko of --symbols is not the one that was loaded')
    return list(list_for_each_entry('struct wpool', pools.address_of_(), 'node'))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n')[0],
                                     epilog=__doc__.split('\n\n')[2])
    parser.add_argument('--core')
    parser.add_argument('--symbols', action='append', default=[])
    parser.add_argument('--stacks', action='store_true')
    parser.add_argument('pools', nargs='*')
    args = parser.parse_args()

    prog = drgn.Program()
    try:
        if args.core:
            prog.set_core_dump(args.core)
        else:
            prog.set_kernel()
        if args.symbols:
            prog.load_debug_info(args.symbols)
        else:
            prog.load_debug_info(None, True)
    except (OSError, ValueError, drgn.MissingDebugInfoError) as error:
        sys.exit(f'wpool.py: {error}')
    if not prog.flags & drgn.ProgramFlags.IS_LINUX_KERNEL:
        sys.exit(f'wpool.py: {args.core} is no dump of a kernel')
    pools = [(text(pool.name), pool) for pool in find_pools(prog)]
    for name in args.pools:
        if name not in dict(pools):
            sys.exit(f"wpool.py: no pool '{name}'")
    for name, pool in pools:
        if not args.pools or name in args.pools:
            try:
                show_pool(prog, pool, args.stacks)
            except drgn.FaultError as error:
                sys.exit(f'wpool.py: pool {name} cannot be read, or changes meanwhile: {error}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
