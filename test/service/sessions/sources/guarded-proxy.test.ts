import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createPostWebhook } from '../../../../src/service/server/webhooks/webhook-request.ts';
import { SessionFailure } from '../../../../src/service/sessions/ports.ts';
import {
  ALLOW_EVERYTHING,
  ALLOW_NOTHING,
  type AllowList,
  parseAllowList,
} from '../../../../src/service/sessions/sources/allow-list.ts';
import { createSingleFetch, createUrlProbe } from '../../../../src/service/sessions/sources/fetch-source.ts';
import { type HttpProxy, startHttpProxy } from '../../../support/http-proxy.ts';
import { startServer } from '../../../support/http-server.ts';
import { hostileLookup } from './hostile-urls.ts';

/** An address of the public internet. The proxy of these tests connects it to a server on this machine. */
const PUBLIC = '192.0.43.7';

beforeEach(() => {
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const { signal } = new AbortController();

function allow(...entries: string[]): AllowList {
  const list = parseAllowList(entries);
  if (!list.ok) throw new Error(list.diagnostics[0]?.message);
  return list.value;
}

/** Starts a proxy that reaches one server as `inside.example`, which it resolves itself, and under a public address. */
async function proxiedServer(location?: string): Promise<HttpProxy> {
  const server = await startServer((_, answer) =>
    location === undefined ? answer.end('inside') : answer.writeHead(302, { location }).end(),
  );
  const port = Number(new URL(server.url).port);
  const names = ['inside.example:80', '10.0.0.5:80', '169.254.169.254:80', `${PUBLIC}:80`, 'rebinding.example:80'];
  const proxy = await startHttpProxy({ hosts: Object.fromEntries(names.map((name) => [name, port])) });
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  vi.stubEnv('HTTP_PROXY', proxy.url);
  vi.stubEnv('HTTPS_PROXY', proxy.url);
  return proxy;
}

/** Resolves names as an attacker: `rebinding.example` is public here, and leads inside when the proxy resolves it. */
const lookup: typeof hostileLookup = (hostname, options, callback) => {
  if (hostname !== 'rebinding.example') return hostileLookup(hostname, options, callback);
  if (options.all === true) callback(null, [{ address: PUBLIC, family: 4 }]);
  else callback(null, PUBLIC, 4);
};

async function outcomeOf(url: string, list: AllowList): Promise<string> {
  try {
    const answer = await createSingleFetch({ allow: list, lookup })(url, signal);
    return answer.status === 'fetched' ? answer.bytes.toString() : answer.status;
  } catch (error) {
    if (error instanceof SessionFailure) return error.error.code;
    throw error;
  }
}

describe('createGuardedAgents() with a proxy', () => {
  it.each([
    ['an internal address', 'http://10.0.0.5/a.png'],
    ['an address of cloud metadata', 'http://169.254.169.254/latest'],
    ['a mapped address', 'http://[::ffff:10.0.0.5]/a.png'],
    ['a name with an internal address', 'http://private.example/a.png'],
    ['a name with a public and an internal address', 'http://mixed.example/a.png'],
    ['a name that only the proxy resolves', 'http://inside.example/a.png'],
    ['the same over https', 'https://inside.example/a.png'],
    ['another port', `http://${PUBLIC}:8080/a.png`],
  ])('asks the proxy nothing about %s', async (_, url) => {
    const proxy = await proxiedServer();
    expect(await outcomeOf(url, ALLOW_NOTHING)).toBe('asset_forbidden_host');
    expect(proxy.requests).toEqual([]);
  });

  it('sends the checked address, so that the proxy cannot resolve the name to another', async () => {
    const proxy = await proxiedServer();
    expect(await outcomeOf('http://rebinding.example/a.png', ALLOW_NOTHING)).toBe('inside');
    await outcomeOf('https://rebinding.example/a.png', ALLOW_NOTHING);
    expect(proxy.requests).toEqual([`CONNECT ${PUBLIC}:80`, `CONNECT ${PUBLIC}:443`]);
  });

  it('checks the target of a redirect', async () => {
    const proxy = await proxiedServer('http://10.0.0.5/');
    expect(await outcomeOf('http://rebinding.example/a.png', ALLOW_NOTHING)).toBe('asset_forbidden_host');
    expect(proxy.requests).toEqual([`CONNECT ${PUBLIC}:80`]);
  });

  it('sends the names of allowed hosts, which need not resolve here', async () => {
    const proxy = await proxiedServer();
    for (const list of [allow('inside.example'), allow('*.example'), ALLOW_EVERYTHING]) {
      expect(await outcomeOf('http://inside.example/a.png', list)).toBe('inside');
    }
    expect(await outcomeOf('http://10.0.0.5/a.png', allow('10.0.0.0/8'))).toBe('inside');
    expect(await outcomeOf('http://inside.example/a.png', allow('inside.example:8080'))).toBe('asset_forbidden_host');
    expect(proxy.requests).toEqual([
      ...new Array(3).fill('GET http://inside.example/a.png'),
      'GET http://10.0.0.5/a.png',
    ]);
  });

  it('holds for probes and webhooks, too', async () => {
    const proxy = await proxiedServer();
    const probe = await createUrlProbe({ allow: ALLOW_NOTHING, lookup })('http://inside.example/a.png', signal);
    expect(probe).toEqual({
      kind: 'unclear',
      why: 'its host cannot be resolved here, and a proxy could reach an internal one',
    });
    const webhook = { url: 'https://inside.example/hook', headers: {}, body: '{}' };
    const post = createPostWebhook({ allow: ALLOW_NOTHING, lookup, now: () => 0 });
    expect(await post(webhook, signal)).toEqual({ kind: 'failed', error: 'PROXY_UNCHECKED' });
    expect(proxy.requests).toEqual([]);
    const open = createPostWebhook({ allow: allow('inside.example'), lookup, now: () => 0 });
    expect(await open({ ...webhook, url: 'http://inside.example/hook' }, signal)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual(['POST http://inside.example/hook']);
  });
});
