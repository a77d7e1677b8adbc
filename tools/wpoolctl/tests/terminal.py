#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""terminal.py - drive a program on a terminal, and say what is on its screen.

usage: terminal.py ROWSxCOLUMNS STEP... -- COMMAND...

A step is one of:
  see:TEXT      wait until TEXT is on the screen
  miss:TEXT     wait until TEXT is not on the screen
  bold:TEXT, red:TEXT, yellow:TEXT
                wait until TEXT is on the screen, and all of it looks like that
  key:TEXT      press these keys; \\t, \\r and \\x1b as in Python
  end:CODE      wait until the program has ended with this exit code

Exits with 1, and shows the screen, if a step does not come true in a minute, or if a
line was longer than the terminal is wide.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

PATIENCE_S = 60
CONTROL = re.compile(rb'\x1b\[([?0-9;]*)([A-Za-z@])|\x1b[()][A-Z0-9]|\x1b[=>78M]|[\x00-\x1f]')
COLOURS = {31: 'red', 33: 'yellow'}


class Screen:
    """As much of a VT100 as curses needs for TERM=xterm."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.row = self.column = 0
        self.top, self.bottom = 0, rows
        self.style, self.too_long, self.rest = frozenset(), False, b''
        self.erase(0, rows)

    def erase(self, begin, end):
        blank = [(' ', frozenset())] * self.columns
        if begin == 0 and end == self.rows:
            self.lines = [list(blank) for _ in range(self.rows)]
        for row in range(begin, end):
            self.lines[row] = list(blank)

    def feed(self, data):
        data, self.rest = self.rest + data, b''
        while data:
            found = CONTROL.match(data)
            if found:
                self.control(found)
                data = data[found.end():]
            elif data[:1] == b'\x1b':
                self.rest = data
                return
            else:
                self.put(chr(data[0]))
                data = data[1:]

    def put(self, char):
        if self.column >= self.columns:
            self.too_long = True
            return
        self.lines[self.row][self.column] = (char, self.style)
        self.column += 1
        self.last = char

    def control(self, found):
        if found[2] is None:
            byte = found[0]
            if byte == b'\r':
                self.column = 0
            elif byte == b'\n':
                if self.row + 1 == self.bottom:
                    self.scroll(self.top, self.bottom - 1)
                else:
                    self.row = min(self.row + 1, self.rows - 1)
            elif byte == b'\x1bM':
                if self.row == self.top:
                    self.scroll(self.bottom - 1, self.top)
                else:
                    self.row = max(self.row - 1, 0)
            elif byte == b'\b':
                self.column = max(self.column - 1, 0)
            elif byte == b'\t':
                self.column = min((self.column // 8 + 1) * 8, self.columns - 1)
            return
        numbers = [int(text or 0) for text in found[1].replace(b'?', b'').split(b';')]
        one, kind = max(numbers[0], 1), chr(found[2][0])
        if kind in 'Hf':
            self.row = min(one, self.rows) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif kind == 'd':
            self.row = min(one, self.rows) - 1
        elif kind == 'G':
            self.column = min(one, self.columns) - 1
        elif kind == 'A':
            self.row = max(self.row - one, 0)
        elif kind == 'B':
            self.row = min(self.row + one, self.rows - 1)
        elif kind == 'C':
            self.column = min(self.column + one, self.columns - 1)
        elif kind == 'D':
            self.column = max(self.column - one, 0)
        elif kind == 'J':
            if numbers[0] == 2:
                self.erase(0, self.rows)
            else:
                self.blank(self.column, self.columns)
                self.erase(self.row + 1, self.rows)
        elif kind == 'K':
            if numbers[0] == 1:
                self.blank(0, self.column + 1)
            else:
                self.blank(self.column, self.columns)
        elif kind == 'X':
            self.blank(self.column, min(self.column + one, self.columns))
        elif kind == 'P':
            line = self.lines[self.row]
            del line[self.column:self.column + one]
            line += [(' ', frozenset())] * (self.columns - len(line))
        elif kind == '@':
            line = self.lines[self.row]
            line[self.column:self.column] = [(' ', frozenset())] * one
            del line[self.columns:]
        elif kind == 'b':
            for _ in range(one):
                self.put(self.last)
        elif kind == 'L':
            for _ in range(one):
                self.scroll(self.bottom - 1, self.row)
        elif kind == 'M':
            for _ in range(one):
                self.scroll(self.row, self.bottom - 1)
        elif kind == 'S':
            for _ in range(one):
                self.scroll(self.top, self.bottom - 1)
        elif kind == 'T':
            for _ in range(one):
                self.scroll(self.bottom - 1, self.top)
        elif kind == 'r':
            self.top = one - 1
            self.bottom = numbers[1] if len(numbers) > 1 else self.rows
            self.row = self.column = 0
        elif kind == 'm':
            self.set_style(numbers)

    def scroll(self, gone, new):
        """Of the region: the line that goes, and the place of the one that comes."""
        del self.lines[gone]
        self.lines.insert(new, [(' ', frozenset())] * self.columns)

    def blank(self, begin, end):
        for column in range(begin, end):
            self.lines[self.row][column] = (' ', frozenset())

    def set_style(self, numbers):
        for number in numbers:
            if number == 0:
                self.style = frozenset()
            elif number == 1:
                self.style |= {'bold'}
            elif 30 <= number <= 39:
                colour = {COLOURS[number]} if number in COLOURS else set()
                self.style = (self.style - set(COLOURS.values())) | colour

    def text(self):
        return [''.join(char for char, _ in line).rstrip() for line in self.lines]

    def has(self, text, style=None):
        for row, line in enumerate(''.join(char for char, _ in line) for line in self.lines):
            at = line.find(text)
            while at >= 0:
                if not style or all(style in self.lines[row][i][1]
                                    for i in range(at, at + len(text))):
                    return True
                at = line.find(text, at + 1)
        return False


class Program:
    def __init__(self, screen, command):
        self.screen = screen
        self.pid, self.fd = pty.fork()
        if not self.pid:
            # before the program looks
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', screen.rows, screen.columns,
                                                           0, 0))
            os.environ.pop('COLUMNS', None)
            os.environ.pop('LINES', None)
            os.environ['TERM'] = 'xterm'
            os.execvp(command[0], command)
        self.status = None

    def read(self, timeout):
        """False when the program has ended."""
        if not select.select([self.fd], [], [], timeout)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b''
        self.screen.feed(data)
        return bool(data)

    def wait_until(self, is_so):
        deadline = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > deadline or not self.read(0.2):
                return is_so()
        return True

    def end(self, code):
        self.wait_until(lambda: False) if self.read(0) else None
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status == code

    def step(self, step):
        kind, _, text = step.partition(':')
        if kind == 'see':
            return self.wait_until(lambda: self.screen.has(text))
        if kind == 'miss':
            return self.wait_until(lambda: not self.screen.has(text))
        if kind in ('bold', 'red', 'yellow'):
            return self.wait_until(lambda: self.screen.has(text, kind))
        if kind == 'key':
            os.write(self.fd, text.encode().decode('unicode_escape').encode('latin-1'))
            return True
        if kind == 'end':
            return self.end(int(text))
        sys.exit(__doc__)


def main():
    if '--' not in sys.argv[2:]:
        sys.exit(__doc__)
    split = sys.argv.index('--')
    rows, columns = (int(number) for number in sys.argv[1].split('x'))
    screen = Screen(rows, columns)
    program = Program(screen, sys.argv[split + 1:])
    for step in sys.argv[2:split]:
        if not program.step(step) or screen.too_long:
            print(f'{"a line is too long" if screen.too_long else "not so"}: {step}'
                  f' (exit {program.status}); the screen:')
            print('\n'.join(f'|{line}' for line in screen.text()))
            sys.exit(1)
    print('\n'.join(screen.text()))


if __name__ == '__main__':
    main()
