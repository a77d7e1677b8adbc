# SPDX-License-Identifier: GPL-2.0
"""bars.py - does wpool reach its bars? Compares figures of one boot.

judge() returns a list of verdicts on what results.py has written, each with the machine, the row,
what is compared, the value, the bar and the goal (either may be missing), and whether they are
reached; natively also the values of the rounds in which the CPUs were near to each other, and of
those in which they were far. What was not measured has no verdict.

The file rows, beside this one, has the comparisons. The bars are those of the native machine,
and are applied to QEMU as well. A verdict on a bar that only QEMU reaches, where a locked
instruction and a line between two CPUs cost next to nothing, has "only_here". A bar is reached if
it is reached in each of the states near and far that was seen.
"""

from plan import ROWS, params_of, peers_of

# The boots that measure times: the one of most rows, and those of others.
BOOTS = {'native': ('native', {10: 'native1', 21: 'nativehttp', 30: 'native1'}),
         'qemu': ('main', {21: 'http'})}
# A figure with this unit is divided by this number.
UNITS = {'us': 1e3, 'ms': 1e6, '%': 0.01}


def boot_of(machine, row):
    most, others = BOOTS[machine]
    return others.get(row, most)


class Results:
    """The figures of one machine: those of one state, near or far, or those of all rounds."""

    def __init__(self, rows, machine, state=None):
        self.rows, self.machine, self.state = rows, machine, state

    def find(self, row, **wanted):
        """The measurement of @row with these parameters; None if there is none."""
        return next((one for one in self.rows.get(str(row), ()) if one['boot'] == boot_of(self.machine, row) and
                     all(str(one['params'].get(key)) == value for key, value in wanted.items())), None)

    def get(self, row, name, **wanted):
        """The figure @name; the parameter n for "n"; the figure times n for "NAME*n"; a ratio for "A/B"."""
        name, _, below = name.partition('/')
        if below:
            return ratio(self.get(row, name, **wanted), self.get(row, below, **wanted))
        one = self.find(row, **wanted)
        if not one:
            return None
        if name == 'n':
            return one['params']['n'] if not self.state else None
        name, by_n, _ = name.partition('*')
        figures = one['states'].get(self.state, {}).get('figures', {}) if self.state else one['figures']
        found = figures.get('total_ns_per_task' if name == 'task' else name)
        return found['median'] * (one['params']['n'] if by_n else 1) if found else None


def ratio(above, below):
    return above / below if above is not None and below else None


def reached(value, limit, more):
    if limit is None or value is None:
        return None
    return value >= limit if more else value <= limit


def verdict(row, what, value, unit='x', more=False, bar=None, goal=None):
    """more: the larger the better."""
    return {'row': row, 'what': what, 'value': value, 'unit': unit,
            'better': 'more' if more else 'less', 'bar': bar, 'goal': goal,
            'bar_reached': reached(value, bar, more), 'goal_reached': reached(value, goal, more)}


class Comparison:
    """A line "< ..." or "> ..." of the file rows; @variant: one of those for which its "*" stands."""

    def __init__(self, row, sign, parts, variant=None):
        self.row, self.more = row, sign == '>'
        self.what, ours, theirs, limits = (parts + ['', ''])[:4]
        self.what = self.what.replace('{v}', (variant or '').replace('_', ' '))
        name, v, peer, *words = ours.split()
        v = variant or v
        self.ours = name, dict(params_of(words), v=v, peer=peer)
        self.theirs, self.per_cpu = [], theirs == 'cpus'
        if theirs and not self.per_cpu:
            its_name, its_v, peers, *words = theirs.split()
            peers = [one for one in row.variants[v][1] if one != peer] if peers == '*' else peers_of(peers)
            self.theirs = [(name if its_name == '=' else its_name,
                            dict(params_of(words), v=v if its_v == '=' else its_v, peer=one))
                           for one in peers]
        self.params = row.variants[v][0].params
        limits = limits.split()
        self.is_of_long = 'long' in limits
        self.unit = next((word[len('unit='):] for word in limits if word.startswith('unit=')), 'x')
        self.limits = [word for word in limits if '=' not in word and word != 'long']

    def limit(self, i, value):
        """The bar (@i 0) or the goal: a number, @value, a parameter, or a parameter plus a number."""
        text = self.limits[i] if i < len(self.limits) else '-'
        if text == 'n':
            return value
        name, _, more = text.partition('+')
        if name in self.params:
            return int(self.params[name]) + int(more or 0)
        return None if text == '-' else float(text) if '.' in text else int(text)

    def verdict(self, r, cpus):
        def get(of):
            return r.get(self.row.number, of[0], **of[1])
        value = get(self.ours)
        if self.theirs:
            found = [get(of) for of in self.theirs]
            best = min(found) if None not in found else None
            value = ratio(best, value) if self.more else ratio(value, best)
        elif value is not None and self.per_cpu:
            value = value / cpus
        if value is not None:
            value = value / UNITS.get(self.unit, 1)
        return verdict(self.row.number, self.what, value, self.unit, self.more,
                       self.limit(0, value), self.limit(1, value))


def variants_of(row, parts):
    """The variants of a comparison for "*" or "CASE,CASE:*"; [None] for another comparison."""
    v = parts[1].split()[1]
    if not v.endswith('*'):
        return [None]
    cases = v.rstrip('*').rstrip(':').split(',')
    return [name for name, (one, _) in row.variants.items() if cases == [''] or one.case in cases]


def read_comparisons():
    for row in ROWS.values():
        # lines with "*" yield the comparisons of their first variant, then those of the next
        each = {}
        for sign, parts in row.comparisons:
            for v in variants_of(row, parts):
                each.setdefault(v or parts[0], []).append(Comparison(row, sign, parts, v))
        for group in each.values():
            yield from (one for one in group if not one.is_of_long or
                        int(one.params.get('us', 0)) >= 1000)


COMPARISONS = list(read_comparisons())


def several(r):
    """Row 22: one pool, compared with the fastest set of pools that are together as large."""
    for load in dict.fromkeys(v.rpartition(',_')[0] for v in ROWS[22].variants):
        found = {v: r.get(22, 'task', v=v, peer='wpool') for v in ROWS[22].variants
                 if v.startswith(load + ',_')}
        one = found.pop(load + ',_one_pool')
        best = min(found.values()) if None not in found.values() else None
        yield verdict(22, load.replace('_', ' ') + ': one pool, of the time of the fastest number of pools',
                      ratio(one, best), bar=1.1)


def comparisons(r, cpus):
    for one in COMPARISONS:
        yield one.verdict(r, cpus)
    yield from several(r)


TIMED = ('total_ns_per_task', 'noop_ns', 'total_ns')


def steadiness(r):
    """For each row, wpool's worst round, divided by the median and by the per-CPU workqueue's time."""
    spread, slow = {}, {}

    def keep(of, row, value, where):
        if value and (row not in of or value > of[row][0]):
            of[row] = (value, where)

    for one in (one for of_row in r.rows.values() for one in of_row):
        name = next((name for name in TIMED if name in one['figures']), None)
        row = one['row']
        if one['peer'] != 'wpool' or row == 3 or not name or one['boot'] != boot_of(r.machine, row):
            continue
        # These measurements show the effect of hand-off, and of the host.
        if one['params'].get('handoff') == 0 or one['params'].get('host') == 'busy':
            continue
        worst = one['figures'][name]['worst']
        where = one['variant'].replace('_', ' ')
        # Compare rounds in the same state, so that the machine's changes do not count.
        parts = [state['figures'][name] for state in one['states'].values()] or \
            [one['figures'][name]]
        off = max(part['worst'] / part['median'] for part in parts)
        keep(spread, row, off, where)
        v = {'batch': 'single', 'invoke': 'single' if row == 1 else 'kmalloc',
             'detached': 'kmalloc', 'submit_fn': 'kmalloc'}.get(one['variant'], one['variant'])
        shared = {key: str(one['params'][key]) for key in ('n', 'pools', 'spread')
                  if key in one['params'] and row == 8}
        # Destroying a workqueue does not end a thread, so there is no fair comparison.
        if row != 23 and one['params'].get('what') != 'create':
            keep(slow, row, ratio(worst, r.get(row, name, v=v, peer='percpu', **shared)), where)
    for row, (value, where) in spread.items():
        yield verdict(row, f'worst round ({where}), of the median', value, bar=1.5)
    for row, (value, where) in slow.items():
        yield verdict(row, f'worst round ({where}), of the per-CPU workqueue\'s median', value, bar=1)


def judge_states(one):
    """A bar is reached if near and far CPUs reach it: a median over both is no figure of either."""
    states = [value for value in (one['near'], one['far']) if value is not None]
    values = states if len(states) == 2 else [one['value']] + states
    for which in ('bar', 'goal'):
        if one[which] is not None:
            one[which + '_reached'] = all(reached(value, one[which], one['better'] == 'more')
                                          for value in values)


def judge_machine(rows, machine, cpus):
    r = Results(rows, machine)
    out = [dict(one, machine=machine) for one in comparisons(r, cpus) if one['value'] is not None]
    for state in ('near', 'far'):
        values = {(one['row'], one['what']): one['value']
                  for one in comparisons(Results(rows, machine, state), cpus)}
        for one in out:
            one[state] = values.get((one['row'], one['what']))
    for one in out:
        judge_states(one)
    # worst rounds are compared over near and far rounds alike
    steady = [dict(one, machine=machine, near=None, far=None) for one in steadiness(r)
              if one['value'] is not None]
    out += steady
    return sorted(out, key=lambda one: one['row'])


def judge(results):
    native, qemu = (judge_machine(results['measurements'], machine, int(results['run'].get('cpus', 2)))
                    for machine in ('native', 'qemu'))
    missed = {(one['row'], one['what']): not one['bar_reached'] for one in native
              if one['bar'] is not None}
    for one in qemu:
        one['only_here'] = bool(one['bar_reached'] and missed.get((one['row'], one['what'])))
    return native + qemu
