import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionFailure } from '../../../src/session/ports.ts';
import { parseAllowList } from '../../../src/session/sources/allow-list.ts';
import { createDnsLookup } from '../../../src/session/sources/dns-lookup.ts';
import { createFetch } from '../../../src/session/sources/fetch-source.ts';
import { startServer } from '../../support/http-server.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { startTrap } from './hostile-urls.ts';

let dns: DnsServer;
/** What `rebinding.example` leads to, from the first question on. */
let rebinding: string[] = [];

beforeAll(async () => {
  dns = await startDnsServer((name) => {
    if (name.startsWith('silent')) return null;
    if (name === 'rebinding.example') return [rebinding.length > 1 ? rebinding.shift()! : rebinding[0]!];
    return name === 'two.example' ? ['192.0.43.7', '192.0.43.8'] : name === 'local.example' ? ['127.0.0.1'] : [];
  });
});
afterAll(() => dns.close());

function look(name: string, options: { all?: boolean; family?: 4 | 6 } = {}): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    createDnsLookup([dns.address])(name, options, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

describe('createDnsLookup()', () => {
  it('gives the addresses of a name, or the first', async () => {
    const all = [
      { address: '192.0.43.7', family: 4 },
      { address: '192.0.43.8', family: 4 },
    ];
    expect(await look('two.example', { all: true })).toEqual(all);
    expect(await look('two.example')).toBe('192.0.43.7');
    expect(await look('two.example', { family: 4 })).toBe('192.0.43.7');
  });

  it('tells that there is none', async () => {
    await expect(look('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(look('two.example', { family: 6 })).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('answers for one name while others are silent', async () => {
    const lookup = createDnsLookup([dns.address]);
    const answered: string[] = [];
    for (let index = 0; index < 50; index++) lookup(`silent${index}.example`, {}, () => answered.push('silent'));
    await new Promise<void>((resolve) => {
      lookup('two.example', {}, () => {
        answered.push('two');
        resolve();
      });
    });
    expect(answered).toEqual(['two']);
  });
});

describe('createFetch(), with names from a server that changes its mind', () => {
  it('connects to what it looked at, and to nothing that it did not', async () => {
    const trap = await startTrap();
    // In place of a public host, since no other address may be asked here.
    const honest = await startServer((_, response) => response.end('bytes'));
    const port = Number(new URL(honest.url).port);
    const list = parseAllowList([`127.0.0.1:${port}`]);
    if (!list.ok) throw new Error('no list');
    const fetch = createFetch({
      allow: list.value,
      publicPorts: [trap.port],
      lookup: createDnsLookup([dns.address]),
    });
    const { signal } = new AbortController();
    expect((await fetch(`http://local.example:${port}/`, signal)).status).toBe('fetched');
    rebinding = ['10.0.0.5', '127.0.0.1'];
    for (let attempt = 0; attempt < 3; attempt++) {
      const failure = await fetch(`http://rebinding.example:${trap.port}/`, signal).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SessionFailure);
      expect((failure as SessionFailure).error.code).toBe('asset_forbidden_host');
    }
    expect(trap.connections()).toBe(0);
    await Promise.all([trap.close(), honest.close()]);
  });
});
