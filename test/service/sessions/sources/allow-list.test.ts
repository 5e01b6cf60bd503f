import { describe, expect, it } from 'vitest';
import {
  ALLOW_EVERYTHING,
  ALLOW_NOTHING,
  allows,
  allowsPort,
  parseAllowList,
} from '../../../../src/service/sessions/sources/allow-list.ts';

/** Matches a `host port address` target, where the address defaults to the host. */
function isAllowed(entry: string, target: string): boolean {
  const list = parseAllowList([entry]);
  if (!list.ok) throw new Error(list.diagnostics[0]?.message);
  const [host = '', port, address = host] = target.split(' ');
  return allows(list.value, { host, port: Number(port), address });
}

describe('parseAllowList()', () => {
  it.each([
    ['assets.example', 'assets.example 80 10.0.0.1', true],
    ['assets.example', 'ASSETS.example. 443 10.0.0.1', true],
    ['Assets.Example', 'assets.example 443 ::1', true],
    ['assets.example', 'assets.example 8080 10.0.0.1', false],
    ['assets.example', 'a.assets.example 80 10.0.0.1', false],
    ['assets.example', 'myassets.example 80 10.0.0.1', false],
    ['assets.example:8080', 'assets.example 8080 10.0.0.1', true],
    ['assets.example:8080', 'assets.example 80 10.0.0.1', false],
    ['assets.example:*', 'assets.example 6000 10.0.0.1', true],
    ['bücher.example', 'xn--bcher-kva.example 80 10.0.0.1', true],
    ['localhost:9000', 'localhost 9000 127.0.0.1', true],
    ['*.example.com', 'a.b.example.com 80 10.0.0.1', true],
    ['*.example.com', 'example.com 80 10.0.0.1', false],
    ['*.example.com', 'badexample.com 80 10.0.0.1', false],
    ['*.example.com:8443', 'a.example.com 8443 10.0.0.1', true],
    ['10.0.0.0/8', '10.1.2.3 80', true],
    ['10.0.0.0/8', 'inside.example 80 10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.1 80', false],
    ['10.0.0.0/8', '10.1.2.3 8080', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3 80', false],
    ['10.0.0.0/8:8080', '10.1.2.3 8080', true],
    ['127.0.0.1', '127.0.0.1 80', true],
    ['127.0.0.1:*', '127.0.0.1 1', true],
    ['127.0.0.1', '127.0.0.2 80', false],
    ['fd00::/8', 'fd12::1 443', true],
    ['fd00::/8', 'fe80::1 443', false],
    ['[fd00::]/8', 'fd12::1 443', true],
    ['[fd00::]/8:8080', 'fd12::1 8080', true],
    ['::1', '::1 80', true],
    ['[::1]:9000', '::1 9000', true],
    ['[::1]:9000', 'name.example 9000 ::1', true],
    ['*', 'anything 1 0.0.0.0', true],
  ])('%s: %s', (entry, target, expected) => expect(isAllowed(entry, target)).toBe(expected));

  it('reports all mistakes at once', () => {
    const wrong = [
      '',
      ' ',
      'http://example.com',
      'example.com/path',
      'user@example.com',
      'example.com:0',
      'example.com:70000',
      'example.com:http',
      '*:8080',
      'a.*.com',
      '*.',
      '10.0.0.0/33',
      '10.0.0/8',
      '010.0.0.0/8',
      '0x7f.1',
      '[::1',
      '[fd00::]/129',
      'fd00::/200',
      '[example.com]',
    ];
    const list = parseAllowList(['good.example', ...wrong, '*']);
    expect(list.ok).toBe(false);
    const told = list.ok ? [] : list.diagnostics;
    expect(told.map(({ code }) => code)).toEqual(wrong.map(() => 'config_invalid'));
    for (const [index, { message }] of told.entries()) expect(message).toContain(JSON.stringify(wrong[index]));
  });
});

describe('allowsPort()', () => {
  it('returns whether any entry covers the port', () => {
    const list = parseAllowList(['a.example:8080']);
    expect(list.ok && [8080, 80].map((port) => allowsPort(list.value, port))).toEqual([true, false]);
    expect(allowsPort(ALLOW_EVERYTHING, 1)).toBe(true);
    expect(allowsPort(ALLOW_NOTHING, 80)).toBe(false);
  });
});
