import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionFailure } from '../../../../src/service/sessions/ports.ts';
import { ALLOW_EVERYTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import { createFetch } from '../../../../src/service/sessions/sources/fetch-source.ts';
import { PoliteHosts, WaitRequested } from '../../../../src/service/sessions/sources/polite-hosts.ts';
import { startServer } from '../../../support/http-server.ts';

const { signal } = new AbortController();
const HOST = 'a.example';

/** A failure that a later fetch may not meet; one that asks to wait, if a time is given. */
function failure(retryAfterMs: number | null): SessionFailure {
  const error = { code: 'asset_unreachable', title: 'Unreachable', detail: 'failed', retryable: true } as const;
  const passing = new SessionFailure(error);
  return retryAfterMs === null ? passing : new WaitRequested(passing, HOST, retryAfterMs);
}

/** Waits until it is opened. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('createFetch()', () => {
  it('asks a host that limits its rate one request at a time, until all files are fetched', async () => {
    let isLimited = false;
    let served = 0;
    const server = await startServer((_, answer) => {
      if (isLimited || served % 2 === 1) {
        if (!isLimited)
          setTimeout(() => {
            isLimited = false;
            served += 1;
          }, 900);
        isLimited = true;
        answer.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      served += 1;
      answer.end('picture');
    });
    onTestFinished(() => server.close());
    const fetch = createFetch({ allow: ALLOW_EVERYTHING });
    const urls = Array.from({ length: 4 }, (_, index) => `${server.url}/${index}`);
    const answers = await Promise.all(urls.map((url) => fetch(url, signal)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(4).fill('fetched'));
  });

  it('repeats a cut body, and gives up with the number of tries', async () => {
    let cuts = 0;
    const server = await startServer(({ url }, answer) => {
      if (url === '/gone') answer.writeHead(502).end();
      else if (cuts++ === 0) answer.writeHead(200, { 'content-length': '100' }).write('x', () => answer.destroy());
      else answer.end('picture');
    });
    onTestFinished(() => server.close());
    const fetch = createFetch({ allow: ALLOW_EVERYTHING });
    expect(await fetch(`${server.url}/cut`, signal)).toMatchObject({ status: 'fetched' });
    await expect(fetch(`${server.url}/gone`, signal)).rejects.toMatchObject({
      error: { detail: expect.stringMatching(/returned 502, after 4 tries$/) },
    });
  });

  it('makes the target of a redirect wait when that host asks for it, and not the first host', async () => {
    let isLimited = true;
    const cdn = await startServer((_, answer) => {
      if (isLimited) answer.writeHead(429, { 'retry-after': '1' }).end();
      else answer.end('picture');
    });
    const first = await startServer(({ url = '' }, answer) => {
      if (url === '/own') answer.end('own');
      else answer.writeHead(302, { location: `${cdn.url}${url}` }).end();
    });
    onTestFinished(() => Promise.all([cdn.close(), first.close()]).then(() => undefined));
    const pausing = gate();
    const paused = gate();
    const hosts = new PoliteHosts({
      pause: async () => {
        pausing.open();
        await paused.opened;
      },
    });
    const fetch = createFetch({ allow: ALLOW_EVERYTHING, hosts });
    const limited = fetch(`${first.url}/1`, signal);
    await pausing.opened;
    // Through the first host and directly: both wait for their turn at the second.
    const others = [fetch(`${first.url}/2`, signal), fetch(`${cdn.url}/3`, signal)];
    expect(await fetch(`${first.url}/own`, signal)).toMatchObject({ status: 'fetched' });
    expect(cdn.requests).toEqual(['/1']);
    isLimited = false;
    paused.open();
    expect((await Promise.all([limited, ...others])).map(({ status }) => status)).toEqual(new Array(3).fill('fetched'));
    expect(cdn.requests.slice(1).sort()).toEqual(['/1', '/2', '/3']);
  });
});

describe('PoliteHosts', () => {
  it('forgets a host when none waits for it, and drops an aborted fetch at once', async () => {
    const paused = gate();
    const hosts = new PoliteHosts({ pause: () => paused.opened });
    let tries = 0;
    const limited = hosts.run('', signal, async (held) => {
      hosts.admit(HOST, held);
      tries += 1;
      if (tries === 1) throw failure(1000);
      return tries;
    });
    await new Promise(setImmediate);
    const leaving = new AbortController();
    let wasAsked = false;
    const second = hosts.run('', leaving.signal, async (held) => {
      hosts.admit(HOST, held);
      wasAsked = true;
    });
    await new Promise(setImmediate);
    const reason = new Error('enough');
    leaving.abort(reason);
    await expect(second).rejects.toBe(reason);
    paused.open();
    expect(await limited).toBe(2);
    expect(wasAsked).toBe(false);
    // Two fetches run at once again: each ends only when both have begun.
    let begun = 0;
    const both = gate();
    const meet = () =>
      hosts.run('', signal, async (held) => {
        hosts.admit(HOST, held);
        begun += 1;
        if (begun === 2) both.open();
        await both.opened;
      });
    await Promise.all([meet(), meet()]);
  });

  it.each<[string, (number | null)[]]>([
    ['resets', [null, null, null, null, null, null]],
    ['requests to wait', [0, 0, 0, 0, 0, 0]],
    ['resets before the first request to wait', [null, null, 0, 0, 0, 0]],
    ['resets after the first request to wait', [0, null, null, null, null, null]],
  ])('ends a fetch after four tries: %s', async (_, asked) => {
    const hosts = new PoliteHosts({ pause: async () => {} });
    let tries = 0;
    const fetching = hosts.run('', signal, async () => {
      throw failure(asked[tries++]!);
    });
    await expect(fetching).rejects.toThrow('failed, after 4 tries');
    expect(tries).toBe(4);
  });

  it('ends a fetch whose next try would begin more than five minutes after its first', async () => {
    let now = 0;
    const begunAt: number[] = [];
    const hosts = new PoliteHosts({
      monotonicNow: () => now,
      pause: async (milliseconds) => {
        now += milliseconds;
      },
    });
    const fetching = hosts.run('', signal, async () => {
      begunAt.push(now);
      now += 100_000;
      throw failure(50_000);
    });
    await expect(fetching).rejects.toThrow('failed, after 3 tries');
    expect(begunAt).toEqual([0, 150_000, 300_000]);
  });

  it('waits for 60 seconds and not for longer', async () => {
    const waits: number[] = [];
    const hosts = new PoliteHosts({ pause: async (milliseconds) => void waits.push(milliseconds) });
    let tries = 0;
    const fetch = (retryAfterMs: number) =>
      hosts.run('', signal, async () => {
        tries += 1;
        if (tries === 1) throw failure(retryAfterMs);
        return 'fetched';
      });
    expect([await fetch(60_000), waits]).toEqual(['fetched', [60_000]]);
    tries = 0;
    await expect(fetch(60_001)).rejects.toThrow(/^failed$/);
    expect(tries).toBe(1);
  });

  it('ends the turns of a host after 20 answers in a row, and counts anew when it asks to wait', async () => {
    const paused = gate();
    const hosts = new PoliteHosts({ pause: () => paused.opened });
    const takesTurns = (): boolean => {
      try {
        hosts.admit(HOST, []);
        return false;
      } catch {
        return true;
      }
    };
    const answer = (count: number): void => {
      for (let index = 0; index < count; index += 1) hosts.noteAnswer(HOST);
    };
    let tries = 0;
    const limited = hosts.run('', signal, async () => {
      tries += 1;
      if (tries === 1) throw failure(0);
    });
    await new Promise(setImmediate);
    answer(19);
    const refused = hosts.run('', signal, async () => {
      tries += 1;
      if (tries === 2) throw failure(0);
    });
    await new Promise(setImmediate);
    answer(19);
    expect(takesTurns()).toBe(true);
    answer(1);
    expect(takesTurns()).toBe(false);
    paused.open();
    await Promise.all([limited, refused]);
  });

  it('gives the owners of many and of few files their turns alternately', async () => {
    const paused = gate();
    const hosts = new PoliteHosts({ pause: () => paused.opened });
    const order: string[] = [];
    let isLimited = true;
    const fetch = (owner: string) =>
      hosts.run(owner, signal, async (held) => {
        hosts.admit(HOST, held);
        if (isLimited) {
          isLimited = false;
          throw failure(1000);
        }
        await new Promise(setImmediate);
        order.push(owner);
      });
    const first = fetch('many');
    await new Promise(setImmediate);
    const many = [first, ...Array.from({ length: 999 }, () => fetch('many'))];
    await new Promise(setImmediate);
    const few = [fetch('few'), fetch('few')];
    await new Promise(setImmediate);
    paused.open();
    await Promise.all([...many, ...few]);
    expect(order.lastIndexOf('few')).toBeLessThan(6);
    expect(order).toHaveLength(1002);
  });

  it('takes the turns at two hosts in one order, so that no two fetches wait for each other', async () => {
    const paused = gate();
    const hosts = new PoliteHosts({ pause: () => paused.opened });
    const limit = (host: string) => {
      let tries = 0;
      return hosts.run('', signal, async () => {
        tries += 1;
        if (tries === 1) throw new WaitRequested(failure(null), host, 1000);
      });
    };
    const limited = [limit('a.example'), limit('b.example')];
    await new Promise(setImmediate);
    const both = gate();
    let begun = 0;
    const redirected = (from: string, to: string) =>
      hosts.run('', signal, async (held) => {
        hosts.admit(from, held);
        begun += 1;
        if (begun === 2) both.open();
        await both.opened;
        hosts.admit(to, held);
        return held;
      });
    const crossing = [redirected('a.example', 'b.example'), redirected('b.example', 'a.example')];
    await new Promise(setImmediate);
    paused.open();
    await Promise.all(limited);
    expect((await Promise.all(crossing)).map((held) => held.length)).toEqual([2, expect.any(Number)]);
  });
});
