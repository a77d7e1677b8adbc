#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""results.py - make results.json from the output of the benchmark boots.

usage: results.py OUT [keep=OLD] key=value... -- BOOT:OUTPUT...

With keep=OLD, rows that were not measured keep the measurements of that file. BOOT is a kind of
plan.py. OUTPUT is a file with lines "bench: {...}". A boot may have several files, each with some of
the rounds. The key=value words describe the run; they are copied to "run". README.md of this
directory has the schema of OUT.
"""

import inspect
import json
import pathlib
import statistics
import sys


def command_of(doc, **commands):
    """Call the command that the first argument names, with the other arguments; its result is the exit status."""
    name, *args = sys.argv[1:] or ['']
    try:
        inspect.signature(commands[name]).bind(*args)
    except (KeyError, TypeError):
        sys.exit(doc)
    sys.exit(commands[name](*args))


def read_json(path, of_object=None):
    return json.loads(pathlib.Path(path).read_text(encoding='utf-8'), object_hook=of_object)


def write_json(path, value, depth):
    """Write JSON with a line for each entry down to the depth, so that diffs show which have changed.
    @depth: a number, or one for each key of the top level."""
    def text(value, depth):
        if not depth or not value or not isinstance(value, (dict, list)):
            return json.dumps(value)
        if isinstance(value, list):
            return '[\n' + ',\n'.join(text(one, depth - 1) for one in value) + '\n]'
        depths = depth if isinstance(depth, dict) else dict.fromkeys(value, depth - 1)
        return '{\n' + ',\n'.join(f'{json.dumps(key)}: {text(one, depths[key])}'
                                  for key, one in value.items()) + '\n}'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text(value, depth) + '\n')


# Answers of a boot that differ only in these parameters are rounds of one measurement.
NOT_A_PARAMETER = {'round', 'c2c'}
# Under -icount the clock counts instructions: one takes 2 ns (shift=1).
ICOUNT_NS = 2
# If a cache line's round trip between two CPUs takes less than this, they are near.
NEAR_NS = 200


def machine_of(boot):
    return 'native' if boot.startswith('native') else 'qemu'


def state_of(one):
    """The state of the CPUs, near or far; None if it changed during the measurement."""
    trips = [one.get(f'c2c_{when}_ns') for when in ('before', 'after')]
    if not all(trips):
        return None
    if max(trips) < NEAR_NS:
        return 'near'
    return 'far' if min(trips) >= NEAR_NS else None


def is_icount(boot):
    return boot in ('gate', 'cpus2')


def read_lines(path):
    """(dict, None) for each answer, (None, text) for each failure."""
    ended = False
    with open(path, encoding='utf-8', errors='replace') as lines:
        for text in lines:
            _, found, rest = text.strip().partition('bench: ')
            if not found:
                continue
            if rest.startswith('{'):
                yield json.loads(rest), None
            elif rest.startswith('failed'):
                yield None, rest
            elif rest == 'end':
                ended = True
    if not ended:
        yield None, f'{path}: no end: it was cut off'


def spread(values):
    """Median and worst. Less is better for every figure."""
    return {'median': statistics.median(values), 'worst': max(values)}


# A figure whose name ends like this is a sum over n tasks.
PER_TASK = ('total_ns', 'submit_ns', 'submit_cpu_ns', 'cpu_ns')


class Measurement:
    def __init__(self, boot, answer, asked):
        self.boot = boot
        self.answer = answer
        self.params = {key: answer[key] for key in asked if key not in NOT_A_PARAMETER}
        self.rounds = []

    def figures(self, rounds):
        names = [key for key in rounds[0] if key not in self.params]
        n = self.params.get('n')
        out = {}
        if is_icount(self.boot) and n and 'total_ns' in names:
            out['instructions_per_task'] = spread(
                [one['total_ns'] / ICOUNT_NS / n for one in rounds])
            for name in names:
                # the number of allocations is valid although the clock counts instructions
                if name == 'allocs':
                    out['allocs_per_task'] = spread([one[name] / n for one in rounds])
            return out
        for name in names:
            values = [one[name] for one in rounds if name in one]
            if not values:
                continue
            out[name] = spread(values)
            if name in PER_TASK and n:
                out[name[:-3] + '_ns_per_task'] = spread([value / n for value in values])
        return out

    def as_json(self):
        out = {
            'machine': machine_of(self.boot),
            'boot': self.boot,
            'row': self.params.get('row'),
            'case': self.params['case'],
            'variant': str(self.params.get('v', '')),
            'peer': self.params.get('peer', ''),
            'params': self.params,
            'rounds': len(self.rounds),
            'figures': self.figures(self.rounds),
            'states': {},
            'raw': self.rounds,
        }
        for state in ('near', 'far'):
            rounds = [one for one in self.rounds if state_of(one) == state]
            if rounds:
                out['states'][state] = {'rounds': len(rounds), 'figures': self.figures(rounds)}
        return out


# Figures that the module adds to an answer; the rest repeats the request.
FIGURES = ('_ns', '_p50', '_p90', '_p99', '_max', 'workers', 'spawned', 'stolen',
           'handoffs', '_bytes', '_switches', '_threads', 'refused', 'allocs')


def is_figure(key):
    return key.endswith(FIGURES)


def collect(boots):
    measurements, failed = {}, []
    for boot, path in boots:
        for answer, failure in read_lines(path):
            if failure:
                failed.append({'boot': boot, 'what': failure})
                continue
            if answer.get('round') == 0:
                continue
            asked = [key for key in answer if not is_figure(key)]
            key = (boot,) + tuple((name, answer[name]) for name in asked
                                  if name not in NOT_A_PARAMETER)
            one = measurements.setdefault(key, Measurement(boot, answer, asked))
            one.rounds.append({name: answer[name] for name in answer if is_figure(name)})
    return [one.as_json() for one in measurements.values()], failed


def by_row(measurements):
    """row -> the measurements, in the order of the rows"""
    rows = {}
    for one in sorted(measurements, key=lambda one: one['row']):
        rows.setdefault(str(one['row']), []).append(one)
    return rows


def each_of(results):
    return [one for of_row in results['measurements'].values() for one in of_row]


def main():
    if len(sys.argv) < 4 or '--' not in sys.argv:
        sys.exit(__doc__)
    out = sys.argv[1]
    split = sys.argv.index('--')
    run = dict(word.split('=', 1) for word in sys.argv[2:split])
    boots = [spec.split(':', 1) for spec in sys.argv[split + 1:]]
    keep = run.pop('keep', None)
    measurements, failed = collect(boots)
    if not measurements:
        sys.exit('nothing was measured')
    if keep:
        new = {(one['machine'], one['row']) for one in measurements}
        old = read_json(keep)
        run = old['run'] | run
        measurements += [one for one in each_of(old) if (one['machine'], one['row']) not in new]
    write_json(out, {'schema': 3, 'run': run, 'measurements': by_row(measurements), 'failed': failed}, 2)


if __name__ == '__main__':
    main()
