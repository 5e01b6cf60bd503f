import { describe, expect, it } from 'vitest';
import { logLine } from '../../../src/report/terminal/log-line.ts';

const line = (entry: unknown, color = false): string => logLine(`${JSON.stringify(entry)}\n`, { color });

describe('logLine()', () => {
  it('puts time, level and sentence first, and the rest behind', () => {
    const entry = {
      level: 'warn',
      time: '2026-01-01T10:00:00.125Z',
      session: 'rs_1',
      count: 2,
      more: { a: 1 },
      msg: 'It was slow',
    };
    expect(line(entry)).toBe('10:00:00.125 warn  It was slow  session=rs_1 count=2 more={"a":1}\n');
  });

  it('is one line that no terminal obeys', () => {
    const entry = { level: 'info', time: '2026-01-01T10:00:00.000Z', title: 'a\u001b[2Jb\nc', msg: 'x\u202ey' };
    expect(line(entry)).toBe('10:00:00.000 info  x\\u202ey  title=a\\u001b[2Jb⏎c\n');
  });

  it('leaves alone what is no entry', () => {
    expect(logLine('plain\n', { color: false })).toBe('plain\n');
    expect(logLine('[1]\n', { color: false })).toBe('[1]\n');
  });
});
