import { describe, expect, it } from 'vitest';
import { hasTrueColor, isAttended, isScreen, type OutputStream, wantsColor } from '../../src/cli/io.ts';

const output = (isTTY: boolean): OutputStream => ({ write() {}, isTTY, columns: 80, rows: 24 });

type Env = Readonly<Record<string, string>>;

describe('capabilities of an output', () => {
  // Environment, is a terminal, --no-color → colours, redrawable screen, attended.
  it.each<[Env, { tty: boolean; noColor?: true }, { color: boolean; screen: boolean; attended: boolean }]>([
    [{}, { tty: true }, { color: true, screen: true, attended: true }],
    [{}, { tty: false }, { color: false, screen: false, attended: false }],
    [{}, { tty: true, noColor: true }, { color: false, screen: true, attended: true }],
    [{ NO_COLOR: '1' }, { tty: true }, { color: false, screen: true, attended: true }],
    [{ NO_COLOR: '' }, { tty: true }, { color: true, screen: true, attended: true }],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, { tty: true }, { color: false, screen: true, attended: true }],
    [{ FORCE_COLOR: '1' }, { tty: false }, { color: true, screen: false, attended: false }],
    [{ FORCE_COLOR: '3', CI: 'true' }, { tty: false }, { color: true, screen: false, attended: false }],
    [{ FORCE_COLOR: '1' }, { tty: true, noColor: true }, { color: false, screen: true, attended: true }],
    [{ FORCE_COLOR: '0' }, { tty: true }, { color: false, screen: true, attended: true }],
    [{ FORCE_COLOR: 'false' }, { tty: true }, { color: false, screen: true, attended: true }],
    [{ FORCE_COLOR: '' }, { tty: true }, { color: true, screen: true, attended: true }],
    [{ CI: 'true' }, { tty: true }, { color: false, screen: false, attended: false }],
    [{ CI: '1' }, { tty: true }, { color: false, screen: false, attended: false }],
    [{ CI: 'false' }, { tty: true }, { color: true, screen: true, attended: true }],
    [{ CI: '' }, { tty: true }, { color: true, screen: true, attended: true }],
    [{ TERM: 'dumb' }, { tty: true }, { color: false, screen: false, attended: true }],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, { tty: true }, { color: true, screen: false, attended: true }],
    [{ TERM: 'xterm-256color' }, { tty: true }, { color: true, screen: true, attended: true }],
  ])('%j on %j: %j', (env, { tty, noColor }, expected) => {
    expect({
      color: wantsColor(output(tty), env, noColor !== true),
      screen: isScreen(output(tty), env),
      attended: isAttended({ stderr: output(tty), env }),
    }).toEqual(expected);
  });

  it.each([
    ['truecolor', true],
    ['24bit', true],
    ['', false],
    [undefined, false],
  ])('COLORTERM=%s: 24 bits %s', (value, expected) => {
    expect(hasTrueColor({ COLORTERM: value })).toBe(expected);
  });
});
