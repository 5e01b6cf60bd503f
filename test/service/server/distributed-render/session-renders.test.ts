import { expect, it } from 'vitest';
import { RenderError } from '../../../../src/engine/render-error.ts';
import type { SegmentRenderer } from '../../../../src/service/sessions/segments/segment-renderer.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import {
  type CallPoint,
  type DistributedFarm,
  FILES,
  instantChunks,
  mortal,
  openDistributedFarm,
  runThrough,
} from './distributed-farm.ts';

/** Expects that an ended session has left no jobs, files or rows. */
async function expectNothingLeft({ database, storage, jobs }: DistributedFarm): Promise<void> {
  expect(await jobs()).toEqual([]);
  expect(await storage.list('parts/')).toEqual([]);
  expect(await database.query('select 1 from reelform.session_splits')).toEqual([]);
}

/** A renderer that holds its segments until the test releases them and reports each start. */
function heldParts(): SegmentRenderer & { begun(): Promise<void>; readonly stopped: number } {
  const instant = instantChunks();
  let tell: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => (tell = resolve));
  const held = {
    ...instant,
    stopped: 0,
    async begun() {
      await waiting;
      waiting = new Promise<void>((resolve) => (tell = resolve));
    },
    renderPieces: (_video: unknown, _pieces: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          held.stopped += 1;
          reject(signal.reason as Error);
        });
        tell();
      }),
  };
  return held;
}

describeOnDatabases('ChunkRunner', (databases) => {
  /** A farm with one session. */
  async function setUp(renderer: SegmentRenderer, idle = 1): Promise<{ farm: DistributedFarm; id: string }> {
    const { database } = await databases.open();
    const farm = await openDistributedFarm(database, { renderer, idle });
    return { farm, id: await farm.create() };
  }

  /** A distributed session whose first chunk is held until the test releases it. */
  async function setUpHeld(signal?: AbortSignal) {
    const renderer = heldParts();
    const { farm, id } = await setUp(renderer);
    await farm.run(id);
    const chunk = farm.run(`${id}/1/0`, signal === undefined ? {} : { signal });
    await renderer.begun();
    return { renderer, farm, id, chunk };
  }

  it('renders a long video in chunks, joins them, and ends the session like a render in one piece', async () => {
    const renderer = instantChunks();
    const { farm, id } = await setUp(renderer);
    await farm.run(id);
    expect(await farm.jobs()).toEqual([`${id}/1/0`, `${id}/1/1`]);
    expect(await farm.get(id)).toMatchObject({ status: 'preview_rendering', phase: 'rendering', render_progress: 0 });
    await farm.run(`${id}/1/1`);
    expect(await farm.get(id)).toMatchObject({ status: 'preview_rendering', render_progress: 50 });
    await farm.run(`${id}/1/0`);
    expect(await farm.jobs()).toEqual([`${id}/1/join`]);
    await farm.runAll();
    expect(renderer.said).toEqual(['chunk 2-4', 'chunk 0-2', 'join 0 20 40 60']);
    expect(await farm.get(id)).toMatchObject({
      status: 'preview_rendered',
      phase: 'done',
      render_progress: 100,
      errors: [],
      fonts: ['Test-Regular'],
      video_url: expect.stringMatching(/video\.mp4$/),
      thumbnails: [expect.stringMatching(/stillcut_01\.jpg$/)],
      usage: { frames: 80, bytes: 6, queue_seconds: expect.any(Number), render_seconds: expect.any(Number) },
    });
    const kinds = [
      'session-begun',
      'session-distributed',
      'chunk-rendered',
      'chunk-rendered',
      'input-rendered',
      'session-ended',
    ];
    await expect.poll(() => farm.events.map(({ kind }) => kind)).toEqual(kinds);
    await expectNothingLeft(farm);
  });

  it('renders in one piece when no slot is idle', async () => {
    const renderer = instantChunks();
    const { farm, id } = await setUp(renderer, 0);
    await farm.runAll();
    expect(renderer.said).toEqual(['whole']);
    expect((await farm.get(id)).status).toBe('preview_rendered');
    await expectNothingLeft(farm);
  });

  it.each<[CallPoint, number, string[]]>([
    ['before begin', 2, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['after begin', 2, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['after putChunk', 1, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['after finish', 1, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['before finish', 2, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['after finish', 2, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['after join', 1, ['chunk 0-2', 'chunk 2-4', 'join', 'join']],
    ['after save', 1, ['chunk 0-2', 'chunk 2-4', 'join']],
    ['before end', 1, ['chunk 0-2', 'chunk 2-4', 'join']],
  ])('continues after a process was killed: %s, time %i', async (point, time, said) => {
    const renderer = instantChunks();
    const { farm, id } = await setUp(renderer);
    let times = 0;
    await runThrough(
      farm,
      mortal((at) => at === point && ++times === time),
    );
    expect(times).toBeGreaterThanOrEqual(time);
    expect(renderer.said.map((word) => word.replace(/^join.*/, 'join'))).toEqual(said);
    expect(await farm.get(id)).toMatchObject({ status: 'preview_rendered', render_progress: 100, errors: [] });
    // The sweeper removes the input of an attempt that was not distributed in the end.
    const left = (await farm.storage.list('parts/')).map(({ name }) => name);
    expect(left).toEqual(point === 'before begin' ? [`${id}.1`] : []);
    await farm.storage.remove('parts/');
    await expectNothingLeft(farm);
  });

  it.each<[CallPoint, number]>([
    ['after begin', 2],
    ['after putChunk', 1],
    ['before finish', 2],
    ['after join', 1],
    ['after save', 1],
  ])('loses no file of a session with several after a process was killed: %s, time %i', async (point, time) => {
    const renderer = instantChunks();
    const { database } = await databases.open();
    const farm = await openDistributedFarm(database, { renderer });
    const id = await farm.create('Hi', 'Berlin', FILES);
    let times = 0;
    await runThrough(
      farm,
      mortal((at) => at === point && ++times === time),
    );
    expect(times).toBeGreaterThanOrEqual(time);
    const joins = point === 'after join' ? 2 : 1;
    expect(renderer.said).toEqual([
      ...['chunk 0-3', 'chunk 3-6'],
      ...Array.from({ length: joins }, () => 'join 0 20 40 60 gif png'),
    ]);
    const session = await farm.get(id);
    expect(session).toMatchObject({ status: 'preview_rendered', render_progress: 100, errors: [] });
    expect(session.outputs).toMatchObject(
      FILES.map(({ name, format = 'mp4' }, at) => ({
        name,
        bytes: at === 0 ? 6 : name.length,
        video_url: expect.stringMatching(at === 0 ? /video\.mp4$/ : RegExp(`video\\.${name}\\.${format}$`)),
      })),
    );
    await expectNothingLeft(farm);
  });

  it('stops promptly and leaves nothing when the session is canceled elsewhere', async () => {
    const { renderer, farm, id, chunk } = await setUpHeld();
    await farm.cancel(id);
    await chunk;
    expect(renderer.stopped).toBe(1);
    await farm.runAll();
    expect((await farm.get(id)).status).toBe('preview_canceled');
    await expectNothingLeft(farm);
  });

  it('fails the session with the first chunk that fails and stops the other chunks', async () => {
    const { renderer, farm, id, chunk } = await setUpHeld();
    const broken: SegmentRenderer = {
      ...instantChunks(),
      renderPieces: () => Promise.reject(new RenderError('asset_decode_failed', 'It is cut short')),
    };
    await farm.run(`${id}/1/1`, { renderer: broken });
    await chunk;
    expect(renderer.stopped).toBe(1);
    expect(await farm.get(id)).toMatchObject({
      status: 'preview_failed',
      errors: [{ code: 'asset_decode_failed', retryable: false }],
    });
    expect(farm.events.filter(({ kind }) => kind === 'session-ended')).toMatchObject([{ status: 'preview_failed' }]);
    await expectNothingLeft(farm);
  });

  it('requeues a chunk when its process is stopped', async () => {
    const stopping = new AbortController();
    const { farm, id, chunk } = await setUpHeld(stopping.signal);
    stopping.abort(new Error('stopping'));
    await expect(chunk).rejects.toThrow('stopping');
    await farm.runAll({ renderer: instantChunks() });
    expect((await farm.get(id)).status).toBe('preview_rendered');
    await expectNothingLeft(farm);
  });

  it('renders in one piece when chunks come from different builds or are lost', async () => {
    for (const spoil of ['build', 'file'] as const) {
      const renderer = instantChunks();
      const { farm, id } = await setUp(renderer);
      await farm.run(id);
      await farm.run(`${id}/1/0`);
      await farm.run(`${id}/1/1`, spoil === 'build' ? { build: 'b' } : {});
      if (spoil === 'file') await farm.storage.put(`parts/${id}.1/0`, Buffer.from('other'));
      await farm.runAll();
      expect(renderer.said.at(-1)).toBe('whole');
      expect((await farm.get(id)).status).toBe('preview_rendered');
      await expectNothingLeft(farm);
    }
  });

  it('drops the chunks of a superseded attempt', async () => {
    const renderer = instantChunks();
    const { farm, id } = await setUp(renderer);
    await farm.run(id);
    // The end of the session's own job was never recorded.
    await farm.run(id);
    expect(await farm.jobs()).toEqual([0, 1].flatMap((chunk) => [`${id}/1/${chunk}`]).concat(`${id}/2/0`, `${id}/2/1`));
    await farm.runAll();
    expect(renderer.said).toEqual(['chunk 0-2', 'chunk 2-4', 'join 0 20 40 60']);
    expect((await farm.get(id)).status).toBe('preview_rendered');
    await expectNothingLeft(farm);
  });

  it('makes a session with the same input wait and renders it when the first one is canceled', async () => {
    const renderer = instantChunks();
    const { farm, id: first } = await setUp(renderer);
    const [second, third] = [await farm.create('Hi', 'Oslo'), await farm.create('Hi', 'Rom')];
    await farm.run(first);
    await farm.run(second);
    await farm.run(`${first}/1/0`);
    await farm.run(`${second}/1/wait-1`);
    expect((await farm.get(second)).render_progress).toBe(50);
    await farm.cancel(first);
    await farm.run(`${second}/1/wait-2`);
    expect(await farm.jobs()).toContain(`${second}/2/0`);
    await farm.runAll();
    expect(renderer.said).toEqual(['chunk 0-2', 'chunk 0-2', 'chunk 2-4', 'join 0 20 40 60']);
    for (const id of [second, third]) expect((await farm.get(id)).status).toBe('preview_rendered');
    await expectNothingLeft(farm);
  });
});
