import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/contract/service-error.ts';
import type { UrlProbe } from '../../../src/contract/urls.ts';
import { type RefreshInput, refreshVideos } from '../../../src/reconciler/apply/refresh-videos.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';
import { versionOf } from '../../support/lock-branches.ts';

const THERE: UrlProbe = { kind: 'there', validator: null };
const GONE: UrlProbe = { kind: 'gone', status: 404 };

/** State of a service and a file server over time: their answers for the session and the video of an id. */
interface World {
  readonly ids: readonly string[];
  readonly session: (id: string, nowMs: number) => 'there' | 'failed' | 404 | 503;
  readonly video: (id: string, nowMs: number) => UrlProbe;
}

async function refresh({ ids, session, video }: World) {
  let nowMs = 0;
  const requests: string[] = [];
  const input: RefreshInput = {
    entries: new Map(
      ids.map((id) => [id, { ...versionOf(id, 1), session: id, video_url: `https://cdn.example/${id}`, bytes: 5 }]),
    ),
    sources: new Map(),
    getSession: async (id) => {
      const answer = session(id, nowMs);
      if (typeof answer === 'number')
        throw new ServiceError(answer, `http_${answer}`, `the service answered ${answer}`);
      const status = answer === 'there' ? 'preview_rendered' : 'preview_failed';
      return { session: { ...bareSession(id, 0), status }, retryAfterMs: null };
    },
    probeUrl: async (url) => {
      requests.push(url);
      return video(url.slice('https://cdn.example/'.length), nowMs);
    },
    wait: async (milliseconds) => {
      nowMs += milliseconds;
    },
    concurrency: 2,
    signal: new AbortController().signal,
  };
  return { ...(await refreshVideos(input)), nowMs, requests };
}

const IDS = ['a', 'b', 'c', 'd'];

describe('refreshVideos()', () => {
  it('finds nothing if everything is available, with one request per video', async () => {
    const found = await refresh({ ids: IDS, session: () => 'there', video: () => THERE });
    expect(found).toMatchObject({ checked: 4, findings: [], notes: [], unclear: [], sessions: 'some', nowMs: 0 });
    expect(found.requests).toHaveLength(4);
  });

  it.each([
    [404, 'session_gone'],
    ['failed', 'session_failed'],
  ] as const)('notes a session that is %s without losing a video that can still be fetched', async (answer, what) => {
    const session = (id: string) => (id === 'b' ? answer : 'there');
    const found = await refresh({ ids: IDS, session, video: () => THERE });
    expect(found).toMatchObject({ findings: [], unclear: [], sessions: 'some', nowMs: 0 });
    expect(found.notes).toEqual([{ id: 'b', what, url: 'https://cdn.example/b' }]);
  });

  it('finds an unavailable video, whatever the state of its session, and requests the others once', async () => {
    const video = (id: string): UrlProbe => (id === 'c' ? GONE : THERE);
    const session = (id: string) => (id === 'c' ? 404 : 'there');
    const found = await refresh({ ids: IDS, session, video });
    expect(found.findings).toMatchObject([{ id: 'c', reason: 'url_lost', what: 'video_gone' }]);
    expect(found.notes).toEqual([]);
    expect(found.requests).toHaveLength(4 + 2);
    expect(await refresh({ ids: ['c'], session, video })).toMatchObject({ findings: [{ id: 'c' }], sessions: 'some' });
  });

  it('ignores 404s that last less than ten seconds, for one video or all', async () => {
    for (const ids of [['a'], IDS]) {
      const found = await refresh({
        ids,
        session: (_, nowMs) => (nowMs < 9_000 ? 404 : 'there'),
        video: (_, nowMs) => (nowMs < 9_000 ? GONE : THERE),
      });
      expect(found).toMatchObject({ findings: [], notes: [], unclear: [] });
    }
  });

  it('reports a video as unclear if neither its session nor its file gives an answer', async () => {
    const found = await refresh({ ids: ['a'], session: () => 404, video: () => ({ kind: 'unclear', why: '403' }) });
    expect(found).toMatchObject({ findings: [], notes: [], unclear: [{ id: 'a', why: '403' }], nowMs: 0 });
  });

  it('accepts 410 immediately', async () => {
    const found = await refresh({ ids: ['a'], session: () => 'there', video: () => ({ kind: 'gone', status: 410 }) });
    expect(found).toMatchObject({ findings: [{ id: 'a', what: 'video_gone' }], nowMs: 0 });
  });

  it('loses no video if nothing at all is found, which means another account or service', async () => {
    const found = await refresh({ ids: IDS, session: () => 404, video: () => GONE });
    expect(found).toMatchObject({ checked: 4, findings: [], notes: [], sessions: 'nothing' });
    expect(found.unclear.map(({ id }) => id)).toEqual(IDS);
  });

  it('reports a service that has none of the sessions although the videos are available', async () => {
    const found = await refresh({ ids: IDS, session: () => 404, video: () => THERE });
    expect(found).toMatchObject({ findings: [], unclear: [], sessions: 'none' });
    expect(found.notes).toHaveLength(4);
    const video = (id: string): UrlProbe => (id === 'a' ? GONE : THERE);
    const some = await refresh({ ids: IDS, session: () => 404, video });
    expect(some).toMatchObject({ findings: [{ id: 'a' }], sessions: 'none' });
  });

  it('finds a size that differs from the recorded one, if the server reports it', async () => {
    const bytes: Record<string, number> = { a: 5, b: 7 };
    const video = (id: string): UrlProbe => ({ ...THERE, ...(id in bytes && { bytes: bytes[id]! }) }) as UrlProbe;
    const found = await refresh({ ids: ['a', 'b', 'c'], session: () => 'there', video });
    expect(found).toMatchObject({ findings: [], unclear: [], resized: [{ id: 'b', url: 'https://cdn.example/b' }] });
  });

  it('reports temporary failures of a service as unclear', async () => {
    const found = await refresh({ ids: ['a'], session: () => 503, video: () => THERE });
    expect(found).toMatchObject({ findings: [], notes: [], unclear: [{ id: 'a', why: 'the service answered 503' }] });
  });
});
