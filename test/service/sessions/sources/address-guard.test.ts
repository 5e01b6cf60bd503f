import { type LookupAddress, lookup } from 'node:dns';
import { get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer, type LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionFailure } from '../../../../src/service/sessions/ports.ts';
import {
  createDnsLookup,
  createGuardedAgents,
  type GuardPolicy,
  isPublicAddress,
} from '../../../../src/service/sessions/sources/address-guard.ts';
import {
  ALLOW_EVERYTHING,
  ALLOW_NOTHING,
  type AllowList,
  parseAllowList,
} from '../../../../src/service/sessions/sources/allow-list.ts';
import { createFetch } from '../../../../src/service/sessions/sources/fetch-source.ts';
import { startServer } from '../../../support/http-server.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import {
  answerLookup,
  hostileLookup,
  hostileUrls,
  type Redirector,
  startRedirector,
  startTrap,
  type Trap,
} from './hostile-urls.ts';

let trap: Trap;
let redirector: Redirector;

beforeAll(async () => {
  [trap, redirector] = await Promise.all([startTrap(), startRedirector()]);
});
afterAll(async () => {
  await Promise.all([trap.close(), redirector.close()]);
});

const { signal } = new AbortController();

/** Guard policy that allows the trap's port, so that only the address can be the reason to reject. */
function policy(allow: AllowList = ALLOW_NOTHING, lookup: LookupFunction = hostileLookup): GuardPolicy {
  return { allow, lookup, publicPorts: [80, 443, trap.port] };
}

function allow(...entries: string[]): AllowList {
  const list = parseAllowList(entries);
  if (!list.ok) throw new Error(list.diagnostics[0]?.message);
  return list.value;
}

async function codeOf(url: string, guard: GuardPolicy): Promise<string> {
  try {
    return (await createFetch(guard)(url, signal)).status;
  } catch (error) {
    if (error instanceof SessionFailure) return error.error.code;
    throw error;
  }
}

describe('createGuardedAgents()', () => {
  it('connects to none of the hostile URLs', async () => {
    const corpus = hostileUrls(trap.port);
    expect(corpus.length).toBeGreaterThan(60);
    // At once: it takes seconds to learn that a name is unknown.
    const codes = await Promise.all(corpus.map(async ({ what, url }) => [what, await codeOf(url, policy())] as const));
    // An unknown name is reported as unreachable, not as forbidden.
    const wrong = codes.filter(([what, code]) => code !== 'asset_forbidden_host' && !what.includes('none.example'));
    expect(wrong).toEqual([]);
    expect(trap.connections()).toBe(0);
  });

  it('connects to none of them through redirects from an allowed host', async () => {
    const allowed = policy(allow(`127.0.0.1:${redirector.port}`));
    // URLs relative to the redirector stay on it.
    const origin = `http://127.0.0.1:${redirector.port}`;
    const leaving = hostileUrls(trap.port).filter(
      ({ url }) => !URL.canParse(url, origin) || new URL(url, origin).origin !== origin,
    );
    const codes = await Promise.all(
      leaving.map(
        async ({ what, url }, index) => [what, await codeOf(redirector.urlTo(url, index % 3), allowed)] as const,
      ),
    );
    expect(codes.length).toBeGreaterThan(150);
    const wrong = codes.filter(([, code]) => code !== 'asset_forbidden_host');
    expect(wrong.filter(([what]) => !/none\.example|tab|newline|white space/.test(what))).toEqual([]);
    expect(trap.connections()).toBe(0);
  });

  it('is the reason for that: without the guard they reach the trap', async () => {
    const own = await startTrap();
    try {
      const unguarded = createFetch({ allow: ALLOW_EVERYTHING });
      for (const { what, url, isLive } of hostileUrls(own.port)) {
        if (!isLive) continue;
        const before = own.connections();
        await unguarded(url, signal).catch(() => null);
        expect([what, own.connections() - before]).toEqual([what, 1]);
      }
    } finally {
      await own.close();
    }
  });

  it.each([
    ['an address', { host: '127.0.0.1' }],
    ['an address of IPv6', { host: '::1' }],
    ['an address with a zone', { host: '::1%lo' }],
    ['a mapped address', { host: '::ffff:127.0.0.1' }],
    ['a spelling that only the resolver reads', { host: '0x7f.1' }],
    ['a number', { host: '2130706433' }],
    ['a name', { host: 'localhost' }],
    ['a hostname beside', { hostname: '127.0.0.1' }],
    ['no host', {}],
    ['a lookup of its own', { host: 'private.example', lookup: loopbackLookup }],
    ['a socket', { host: '192.0.43.7', socketPath: '/nowhere/socket' }],
  ] satisfies [string, RequestOptions][])('rejects requests by options instead of a URL: %s', async (_, options) => {
    const agents = createGuardedAgents({ ...policy(), lookup: readNumbers });
    const before = trap.connections();
    for (const [get, agent] of [
      [httpGet, await agents.agentFor(new URL('http://public.example'))],
      [httpsGet, await agents.agentFor(new URL('https://public.example'))],
    ] as const) {
      const error = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
        get({ port: trap.port, path: '/', ...options, agent }, (response: IncomingMessage) => {
          response.resume();
          reject(new Error('connected'));
        }).on('error', resolve);
      });
      expect(error.code).toBe('EFORBIDDENADDRESS');
    }
    expect(trap.connections()).toBe(before);
  });

  it('checks the resolved address of every connection', async () => {
    // [::1] is allowed and stands for a public host. The name resolves to it first and then to 127.0.0.1.
    const visits: string[] = [];
    const onTheWay = await startServer((_, response) => response.end());
    const port = Number(new URL(onTheWay.url).port);
    const honest = createServer((socket) => {
      visits.push('honest');
      socket.end(`HTTP/1.1 302 Found\r\nLocation: http://rebinding.example:${port}/\r\nContent-Length: 0\r\n\r\n`);
    });
    await new Promise<void>((resolve) => honest.listen({ host: '::1', port, ipv6Only: true }, resolve));
    let lookups = 0;
    const rebinding: LookupFunction = (_, options, callback) => {
      lookups += 1;
      answerLookup([lookups === 1 ? '::1' : '127.0.0.1'], options, callback);
    };
    try {
      const guard = { allow: allow(`[::1]:${port}`), lookup: rebinding };
      expect(await codeOf(`http://rebinding.example:${port}/`, guard)).toBe('asset_forbidden_host');
      expect([visits, lookups, onTheWay.requests]).toEqual([['honest'], 2, []]);
    } finally {
      honest.close();
      await onTheWay.close();
    }
  });

  it('resolves a name once per connection', async () => {
    let lookups = 0;
    const counting: LookupFunction = (_, options, callback) => {
      lookups += 1;
      answerLookup(['127.0.0.1'], options, callback);
    };
    const own = await startTrap();
    const guard = { allow: allow(`127.0.0.1:${own.port}`), lookup: counting };
    expect(await codeOf(`http://once.example:${own.port}/`, guard)).toBe('fetched');
    expect([lookups, own.connections()]).toEqual([1, 1]);
    await own.close();
  });

  it('never reveals the resolved address or the query', async () => {
    const failure = await createFetch(policy())(`http://private.example:${trap.port}/a?signature=s3cret`, signal).then(
      () => null,
      (error: SessionFailure) => error,
    );
    expect(failure?.error.retryable).toBe(false);
    expect(failure?.error.detail).toContain('private.example');
    const everything = `${failure?.stack} ${failure?.cause} ${JSON.stringify(failure?.error)} ${JSON.stringify(failure?.cause)}`;
    expect(everything).not.toContain('10.0.0.5');
    expect(failure?.error.detail).not.toContain('s3cret');
  });

  it('reports an unknown name as unreachable', async () => {
    expect(await codeOf('http://nobody.example/', policy())).toBe('asset_unreachable');
  });
});

/** Uses the system's resolver for numbers, which it accepts in any spelling, and never for names. */
function readNumbers(...[host, options, callback]: Parameters<LookupFunction>): void {
  if (/^[\da-fx.]+$/.test(host)) lookup(host, options, callback as never);
  else hostileLookup(host, options, callback);
}

function loopbackLookup(...[, options, callback]: Parameters<LookupFunction>): void {
  answerLookup(['127.0.0.1'], options, callback);
}

describe('isPublicAddress()', () => {
  it.each(['8.8.8.8', '1.1.1.1', '192.0.43.7', '100.63.255.255', '172.32.0.1', '2620:0:2d0:200::7', '2a00:1450::1'])(
    'accepts %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['168.63.129.16', '::7f00:1', '2002:808:808::', '4000::', '', 'example.com', '0x8.8.8.8', '2620::1%eth0'])(
    'rejects %j',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
});

let dns: DnsServer;
/** Addresses of `rebinding.example`, one per query; the last one repeats. */
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
  it('resolves a name to all addresses or to the first', async () => {
    const all = [
      { address: '192.0.43.7', family: 4 },
      { address: '192.0.43.8', family: 4 },
    ];
    expect(await look('two.example', { all: true })).toEqual(all);
    expect(await look('two.example')).toBe('192.0.43.7');
    expect(await look('two.example', { family: 4 })).toBe('192.0.43.7');
  });

  it('reports names without an address', async () => {
    await expect(look('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(look('two.example', { family: 6 })).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('resolves one name while others get no answer', async () => {
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

describe('createFetch() with a rebinding DNS server', () => {
  it('connects only to the address that it checked', async () => {
    const trap = await startTrap();
    // Stands for a public host, since no other address may be connected to here.
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
