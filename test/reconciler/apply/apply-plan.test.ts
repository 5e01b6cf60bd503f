import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { EmbeddedRenderService, RenderService } from '../../../src/contract/render-service.ts';
import { ServiceError } from '../../../src/contract/service-error.ts';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import { type Sha256, sha256 } from '../../../src/kernel/digest.ts';
import { type ApplyInput, applyPlan } from '../../../src/reconciler/apply/apply-plan.ts';
import type { ApplyEvent } from '../../../src/reconciler/apply/events.ts';
import type { Video, VideoResource } from '../../../src/reconciler/definition/video.ts';
import { openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { emptyLock, type Lock } from '../../../src/reconciler/lock/lock.ts';
import { desiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { isEmptyPlan, type Plan } from '../../../src/reconciler/plan/plan.ts';
import { planVideos } from '../../../src/reconciler/plan/plan-videos.ts';
import { createdSession, failedSession, renderedSession } from '../../../src/service/sessions/render-session.ts';
import { runs } from '../../support/full-run.ts';
import { simulatedClock } from '../../support/simulated-clock.ts';
import { textVideo } from '../../support/text-video.ts';

const folder = mkdtempSync(join(tmpdir(), 'reelform-apply-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const END = { nowMs: 1, retentionMs: null };

/** Returns a video with an image besides its text. */
function videoOf(id: string, image: string): Video {
  const video = textVideo(id);
  const [scene] = video.scenes;
  const source = { kind: 'file', path: image } as const;
  const photo: VideoResource = { kind: 'image', source, transform: { crop_strategy: 'cover' } };
  return {
    ...video,
    scenes: [{ ...scene!, resources: new Map([...scene!.resources, ['(Footage)/USER/photo.png', photo]]) }],
  };
}

function plan(videos: readonly Video[], lock: Lock, missing: readonly string[] = []): Plan {
  const context = {
    service: 'embedded',
    styleVersions: { small: 'tsv_1' },
    renderEpoch: 1,
    measures: null,
    assetDigest: () => sha256('image'),
  };
  return planVideos({
    desired: videos.map((one) => desiredVideo(one, context)),
    lock,
    observations: { missingOutputs: new Set(missing) },
  });
}

/** A service in this process that counts its requests and whose sessions take a moment. */
function countingService(options: { fails?: (title: string) => RenderSession['errors'] | Error | null } = {}) {
  const counts = { posts: 0, uploads: 0, active: 0, mostActive: 0 };
  const notHere = async (): Promise<never> => {
    throw new Error('not asked here');
  };
  const service: EmbeddedRenderService = {
    name: 'embedded',
    outlivesProcess: false,
    keyLifetimeMs: () => null,
    getStyleVersion: notHere,
    waitForUploads: notHere,
    async render(request, { outputName, onProgress }) {
      const failure = options.fails?.(request.title);
      if (failure instanceof Error) throw failure;
      counts.posts += 1;
      counts.active += 1;
      counts.mostActive = Math.max(counts.mostActive, counts.active);
      const session = createdSession(request, { session: `rs_${counts.posts}`, mapping: `map_${counts.posts}` }, 0);
      onProgress(0);
      await setTimeout(1);
      onProgress(50);
      await setTimeout(1);
      counts.active -= 1;
      if (Array.isArray(failure)) return { ...failedSession(session, [], END), errors: failure };
      const output = {
        video_url: `renders/${outputName}.mp4`,
        thumbnails: [`renders/${outputName}.s.jpg`],
        bytes: 1,
        sha256: '0'.repeat(64) as Sha256,
      };
      const usage = { queue_seconds: 0, render_seconds: 1, frames: 10, bytes: 1 };
      return renderedSession(session, [output], { fonts: [], usage, ...END });
    },
    async uploadSource({ sha256: digest }) {
      counts.uploads += 1;
      return { remote_url: `urn:sha256:${digest}` };
    },
  };
  return { service, counts };
}

interface Run {
  readonly videos: readonly Video[];
  readonly lock?: Lock;
  readonly missing?: readonly string[];
  readonly service?: RenderService;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly detach?: AbortSignal;
  readonly deadlineMs?: number;
  readonly failFast?: boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly saveLock?: (lock: Lock) => Promise<void>;
  readonly file?: string;
  /** Whether the journal accepts lines about deliveries; default true. */
  readonly notes?: boolean;
  readonly ensureStyleVersion?: (id: string) => Promise<void>;
}

async function apply(run: Run) {
  const events: ApplyEvent[] = [];
  const saved: Lock[] = [];
  const lock = run.lock ?? emptyLock;
  let current = lock;
  const journal = await openJournalFile(join(folder, `${randomUUID()}.ndjson`), { file: 'journal.ndjson' });
  const append = journal.append.bind(journal);
  journal.append = async (record) => {
    if (run.notes === false && record.type === 'delivered') throw new ReelformError('write_failed', 'No space');
    return append(record);
  };
  const input: ApplyInput = {
    plan: plan(run.videos, lock, run.missing),
    digestOf: () => sha256('image'),
    service: run.service ?? countingService().service,
    concurrency: run.concurrency ?? 4,
    signal: run.signal ?? new AbortController().signal,
    detach: run.detach ?? new AbortController().signal,
    deadlineMs: run.deadlineMs ?? null,
    failFast: run.failFast ?? false,
    run: 'run-1',
    onEvent(event) {
      events.push(event);
      run.onEvent?.(event);
    },
    ports: {
      updateLock: async (change) => {
        const next = change(current);
        await run.saveLock?.(next);
        current = next;
        saved.push(next);
      },
      writeCaptions: async () => undefined,
      deliverCaptions: async (_, { to }) => ({ to }),
      timelineOf: () => null,
      ensureStyleVersion: run.ensureStyleVersion ?? (async () => undefined),
      probeUrl: async () => ({ kind: 'there', validator: null }),
      readSource: async () => Buffer.from(run.file ?? 'image'),
      journal,
      clock: simulatedClock(),
      newKey: randomUUID,
    },
  };
  const result = await applyPlan(input).finally(() => journal.close());
  const outcome = { ...result, lock: current };
  return { outcome, events, saved, journal: journal.state };
}

describe('applyPlan()', () => {
  it('ensures each template once, before the first post, and only if something is rendered from it', async () => {
    const asked: string[] = [];
    const { service, counts } = countingService();
    const ensureStyleVersion = async (id: string): Promise<void> => {
      asked.push(`${id} after ${counts.posts} posts`);
    };
    const { outcome } = await apply({
      videos: ['a', 'b', 'c'].map((id) => textVideo(id)),
      service,
      ensureStyleVersion,
    });
    expect(outcome.rendered).toBe(3);
    await apply({ videos: ['a', 'b', 'c'].map((id) => textVideo(id)), lock: outcome.lock, ensureStyleVersion });
    expect(asked).toEqual(['tsv_1 after 0 posts']);
  });

  it('fails only the videos of a template that the service cannot use', async () => {
    const { service, counts } = countingService();
    const { outcome } = await apply({
      videos: [textVideo('a'), textVideo('b')],
      service,
      ensureStyleVersion: async () => {
        throw new ReelformError('service_lacks_uploads', 'No');
      },
    });
    expect(outcome.failed.map(({ id, failures }) => [id, failures[0]?.code])).toEqual([
      ['a', 'service_lacks_uploads'],
      ['b', 'service_lacks_uploads'],
    ]);
    expect(counts.posts).toBe(0);
  });

  it('renders new videos and records them under names that contain the fingerprint', async () => {
    const { outcome } = await apply({ videos: [textVideo('berlin')] });
    const entry = outcome.lock.videos.get('berlin')!;
    expect(outcome).toMatchObject({ rendered: 1, recorded: 0, failed: [], skipped: [] });
    expect(entry.video_url).toBe(`renders/berlin-${entry.fingerprint.slice(3, 11)}.mp4`);
    expect(entry).toMatchObject({
      session: 'rs_1',
      title: 'berlin',
      inputs: { t_01: 'berlin' },
      rendered_at: '1970-01-01T00:00:00.001Z',
    });
  });

  it('leaves an empty plan behind, for any lock', async () => {
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
    const state = ids.chain((chosen) =>
      fc.tuple(...chosen.map((id) => fc.tuple(fc.constant(id), fc.constantFrom('x', 'y', 'z')))),
    );
    await fc.assert(
      fc.asyncProperty(state, state, async (before, after) => {
        const first = await apply({ videos: before.map(([id, text]) => textVideo(id, text)) });
        const videos = after.map(([id, text]) => textVideo(id, text));
        const second = await apply({ videos, lock: first.outcome.lock });
        expect(isEmptyPlan(plan(videos, second.outcome.lock))).toBe(true);
      }),
      { numRuns: runs(50) },
    );
  });

  it('posts nothing for rendered videos', async () => {
    const { service, counts } = countingService();
    const first = await apply({ videos: [textVideo('a'), textVideo('b')], service });
    await apply({ videos: [textVideo('a'), textVideo('b')], lock: first.outcome.lock, service });
    expect(counts.posts).toBe(2);
  });

  it('moves without rendering', async () => {
    const first = await apply({ videos: [textVideo('old', 'same')] });
    const { service, counts } = countingService();
    const { outcome, events } = await apply({ videos: [textVideo('new', 'same')], lock: first.outcome.lock, service });
    expect(counts.posts).toBe(0);
    expect([...outcome.lock.videos.keys()]).toEqual(['new']);
    expect(events).toContainEqual({
      kind: 'video-recorded',
      id: 'new',
      action: 'move',
      previousId: 'old',
      videoUrl: null,
    });
  });

  it('restores a lost output under its old name and keeps its entry', async () => {
    const first = await apply({ videos: [textVideo('a')] });
    const names: string[] = [];
    const { service } = countingService();
    const { outcome } = await apply({
      videos: [textVideo('a')],
      lock: first.outcome.lock,
      missing: ['a'],
      service: {
        ...service,
        render: (request, options) => {
          names.push(options.outputName);
          return service.render(request, options);
        },
      },
    });
    expect(outcome.rendered).toBe(1);
    expect(`renders/${names[0]}.mp4`).toBe(first.outcome.lock.videos.get('a')?.video_url);
    expect(outcome.lock).toEqual(first.outcome.lock);
  });

  it('never exceeds its concurrency', async () => {
    const { service, counts } = countingService();
    await apply({ videos: Array.from({ length: 20 }, (_, index) => textVideo(`v${index}`)), service, concurrency: 3 });
    expect(counts).toMatchObject({ posts: 20, mostActive: 3 });
  });

  it('limits a failure to its video', async () => {
    const error = {
      code: 'render_crashed',
      title: 'Renderer crashed',
      severity: 'error',
      retryable: true,
      occurred_at: '',
    } as const;
    const { service } = countingService({ fails: (title) => (title === 'bad' ? [error] : null) });
    const { outcome } = await apply({ videos: [textVideo('a'), textVideo('bad'), textVideo('z')], service });
    expect(outcome).toMatchObject({
      rendered: 2,
      failed: [{ id: 'bad', failures: [{ code: 'render_crashed', retryable: true }] }],
    });
    expect([...outcome.lock.videos.keys()].sort()).toEqual(['a', 'z']);
  });

  it('reports a failed session without a reason', async () => {
    const { service } = countingService({ fails: () => [] });
    const { outcome } = await apply({ videos: [textVideo('a')], service });
    expect(outcome.failed).toMatchObject([{ id: 'a', failures: [{ code: 'session_failed' }] }]);
  });

  it('reports every error that the service found in a mapping', async () => {
    const problems = [
      { code: 'invalid_color', pointer: '#/mapping/resources/c_01', detail: 'no colour' },
      { code: 'unknown_editable', pointer: '#/mapping/resources/t_09', detail: 'no such editable' },
      { code: 'too_many', pointer: '#', detail: 'about the whole request' },
    ];
    const { service } = countingService({ fails: () => new ServiceError(422, 'mapping_invalid', 'Invalid', problems) });
    const { outcome } = await apply({ videos: [textVideo('a')], service });
    expect(outcome.failed[0]?.failures.map((failure) => failure.code)).toEqual([
      'invalid_color',
      'unknown_editable',
      'too_many',
    ]);
    expect(outcome.failed[0]?.failures[0]?.message).toBe('no colour (#/mapping/resources/c_01)');
    expect(outcome.failed[0]?.failures[2]?.message).toBe('about the whole request');
  });

  it('posts nothing for a video whose file changed since the plan', async () => {
    const { service, counts } = countingService();
    const { outcome } = await apply({ videos: [videoOf('a', 'images/a.png')], service, file: 'other bytes' });
    expect(outcome.failed).toMatchObject([{ id: 'a', failures: [{ code: 'changed_since_plan' }] }]);
    expect(counts).toMatchObject({ posts: 0, uploads: 0 });
  });

  it('journals each video before it reports it, and records all of them in the lockfile at the end', async () => {
    const { outcome, journal, events } = await apply({ videos: [textVideo('a'), textVideo('b'), textVideo('c')] });
    const rendered = [...journal.attempts.values()].filter(({ state }) => state === 'rendered');
    expect(rendered.map(({ intent }) => intent.id).sort()).toEqual(['a', 'b', 'c']);
    expect(events.filter(({ kind }) => kind === 'video-rendered')).toHaveLength(3);
    expect([...outcome.lock.videos.keys()].sort()).toEqual(['a', 'b', 'c']);
  });

  it('records the deliveries of a video and its duplicate, and keeps them in the lockfile if the journal fails', async () => {
    const to = (place: string) => ({ to: `s3://videos/${place}`, credential: null });
    const first = { ...textVideo('a', 'Same'), title: 'Same', deliver: [to('a'), to('refused')] };
    const twin = { ...first, id: 'b' as Video['id'], path: 'videos/b.yaml', deliver: [to('b')] };
    const told = { remote_id: null, url: null };
    const refused = { ...told, status: 'failed' as const, error: { code: 'delivery_failed', title: 'No' } };
    const service: RenderService = {
      ...countingService().service,
      deliverVideo: async (_, uploads) =>
        uploads.map((one) => ({
          ...one,
          ...(one.to.endsWith('refused') ? refused : { ...told, status: 'complete', error: null }),
        })),
    };
    const { outcome, journal } = await apply({ videos: [first, twin], service });
    expect(outcome).toMatchObject({ rendered: 1, undelivered: [{ id: 'a' }], delivered: 1 });
    expect([...journal.arrivals].map(([place, { session }]) => [place, session])).toEqual([
      ['s3://videos/a', 'rs_1'],
      ['s3://videos/b', 'rs_1'],
    ]);
    const saved: Lock[] = [];
    const failing = apply({ videos: [first], service, saveLock: async (lock) => void saved.push(lock), notes: false });
    await expect(failing).rejects.toThrow('No space');
    expect(saved.at(-1)?.videos.get('a')?.deliveries).toEqual([{ to: 's3://videos/a' }]);
  });

  it('saves every result at checkpoints, with far fewer writes than results', async () => {
    const videos = Array.from({ length: 200 }, (_, index) => textVideo(`v${index}`));
    const { outcome, saved } = await apply({ videos, concurrency: 50 });
    expect(outcome.lock.videos.size).toBe(200);
    expect(saved.length).toBeLessThan(20);
  });

  it('renders identical videos once and shares the rendering', async () => {
    const { service, counts } = countingService();
    const { outcome } = await apply({
      videos: [textVideo('a', 'same'), textVideo('b', 'same'), textVideo('c', 'same')],
      service,
    });
    expect(counts.posts).toBe(1);
    expect(outcome).toMatchObject({ rendered: 1, recorded: 2 });
    const urls = [...outcome.lock.videos.values()].map(({ video_url }) => video_url);
    expect(new Set(urls).size).toBe(1);
  });

  it('skips duplicates of a failed rendering', async () => {
    const { service } = countingService({ fails: () => [] });
    const { outcome } = await apply({ videos: [textVideo('a', 'same'), textVideo('b', 'same')], service });
    expect(outcome).toMatchObject({ rendered: 0, failed: [{ id: 'a' }], skipped: ['b'] });
  });

  it('starts nothing after the first failure with failFast', async () => {
    const { service, counts } = countingService({ fails: (title) => (title === 'a' ? [] : null) });
    const videos = ['a', 'b', 'c'].map((id) => textVideo(id));
    const { outcome } = await apply({ videos, service, failFast: true, concurrency: 1 });
    expect(counts.posts).toBe(1);
    expect(outcome).toMatchObject({ failed: [{ id: 'a' }], skipped: ['b', 'c'], endedBy: 'failure' });
  });

  it('reports a refused token once and sends no further requests', async () => {
    let asked = 0;
    const { service } = countingService({
      fails: () => {
        asked += 1;
        return new ReelformError('service_unauthorized', 'No');
      },
    });
    const videos = Array.from({ length: 10 }, (_, index) => textVideo(`v${index}`));
    const { outcome } = await apply({ videos, service, concurrency: 1 });
    expect(asked).toBe(1);
    expect(outcome).toMatchObject({ endedBy: 'failure' });
    expect(outcome.failed).toHaveLength(1);
    expect(outcome.skipped).toHaveLength(9);
  });

  it('starts nothing after it is asked to stop, and records the running videos', async () => {
    const stop = new AbortController();
    const { service, counts } = countingService();
    const { outcome } = await apply({
      videos: ['a', 'b', 'c', 'd'].map((id) => textVideo(id)),
      service,
      concurrency: 1,
      signal: stop.signal,
      onEvent: (event) => event.kind === 'video-started' && stop.abort(),
    });
    expect(counts.posts).toBe(1);
    expect(outcome).toMatchObject({ rendered: 1, skipped: ['b', 'c', 'd'] });
    expect([...outcome.lock.videos.keys()]).toEqual(['a']);
  });

  it('saves finished videos in the lockfile as soon as it is asked to stop', async () => {
    const stop = new AbortController();
    let atStop = -1;
    const saved: Lock[] = [];
    const videos = Array.from({ length: 9 }, (_, index) => textVideo(`v${index}`));
    await apply({
      videos,
      concurrency: 1,
      signal: stop.signal,
      saveLock: async (lock) => void saved.push(lock),
      onEvent(event) {
        if (event.kind === 'video-rendered' && event.id === 'v4') stop.abort();
        if (event.kind === 'video-skipped' && atStop < 0) atStop = saved.at(-1)?.videos.size ?? 0;
      },
    });
    expect(atStop).toBe(5);
  });

  it('stops if the lockfile cannot be saved', async () => {
    const { service, counts } = countingService();
    const saveLock = () => Promise.reject(new ReelformError('write_failed', 'The disk is full'));
    const videos = Array.from({ length: 20 }, (_, index) => textVideo(`v${index}`));
    await expect(apply({ videos, service, saveLock, concurrency: 2 })).rejects.toMatchObject({ code: 'write_failed' });
    expect(counts.posts).toBeLessThan(20);
  });

  it('uploads a file shared by two editables once', async () => {
    const { service, counts } = countingService();
    const one = videoOf('a', 'images/a.png');
    const [scene] = one.scenes;
    const photo = scene!.resources.get('(Footage)/USER/photo.png')!;
    const resources = new Map([...scene!.resources, ['(Footage)/USER/other.png', photo]]);
    const shared = { ...one, scenes: [{ ...scene!, resources }] };
    await apply({ videos: [shared], service });
    expect(counts.uploads).toBe(1);
  });

  it('emits the events of a run in order', async () => {
    const { events } = await apply({ videos: [textVideo('a')] });
    expect(events.map((event) => event.kind)).toEqual([
      'run-started',
      'video-started',
      'video-progressed',
      'video-progressed',
      'video-rendered',
      'run-finished',
    ]);
  });
});
