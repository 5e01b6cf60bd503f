import { describe, expect, it } from 'vitest';
import { renderSound } from '../../../../src/engine/input-media.ts';
import { unpackRenderInput } from '../../../../src/engine/packed-input.ts';
import { renderOutputs, renderFile as renderToFile } from '../../../../src/engine/render-file.ts';
import { joinSegments, renderSegmentStills, renderSegments } from '../../../../src/engine/render-segments.ts';
import { intoMemory } from '../../../../src/engine/rendered-file.ts';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import type {
  RenderTaskKind,
  TaskInput,
  TaskOptions,
  TaskRunner,
} from '../../../../src/service/sessions/processes/tasks.ts';
import { cacheKeys } from '../../../../src/service/sessions/segment-keys.ts';
import { piecesOf } from '../../../../src/service/sessions/segments/pieces.ts';
import { SegmentCache, type SegmentStore } from '../../../../src/service/sessions/segments/segment-cache.ts';
import {
  createSegmentRenderer,
  type SegmentRenderer,
} from '../../../../src/service/sessions/segments/segment-renderer.ts';
import type { RenderInput } from '../../../../src/template/render-input.ts';
import { inputOf, rectangleLayer } from '../../../engine/inputs.ts';
import { renderFile } from '../../../support/in-memory.ts';
import { toneWav } from '../../../support/tone.ts';

/** RenderInput of three segments with 20, 13 and 12 frames. Only the second one shows a square of this colour. */
function renderInput(green = 0, changes: Partial<RenderInput> = {}): RenderInput {
  const layers = [
    rectangleLayer(1, [0, 0, 12, 12], [1, green, 0], { ip: 22, op: 32 }),
    rectangleLayer(2, [0, 0, 64, 36], [0, 0, 1]),
  ];
  return inputOf(layers, { fps: 10, frameCount: 45, ...changes });
}

/** Runs tasks in this process, records them and counts the frames that they draw. */
function localTasks(): TaskRunner<RenderTaskKind> & { readonly log: string[]; drawn: number } {
  const log: string[] = [];
  const counted = ({ signal, onProgress }: TaskOptions) => ({
    signal,
    onProgress(done: number, count: number) {
      runner.drawn += 1;
      onProgress?.(done, count);
    },
  });
  const tasks = {
    video: (input: RenderInput, options: TaskOptions) => renderToFile(input, counted(options)),
    files: ({ renderInput: whole, outputs }: TaskInput<'files'>, options: TaskOptions) => {
      log.push(outputs.map(({ format }) => format).join(' '));
      return renderOutputs(unpackRenderInput(whole), outputs, counted(options));
    },
    segments: async ({ renderInput: whole, outputs, ranges }: TaskInput<'segments'>, options: TaskOptions) => {
      const of = outputs.length === 1 ? '' : ` of ${outputs.length} outputs`;
      log.push(...ranges.map(({ first }) => `segment ${first}${of}`));
      const isAtOnce = (options.processors ?? 1) > 1;
      return renderSegments(unpackRenderInput(whole), outputs, ranges, { ...counted(options), isAtOnce });
    },
    frames: async ({ renderInput: whole, frames }: TaskInput<'frames'>) => {
      log.push(...frames.map((frame) => `still ${frame}`));
      return renderSegmentStills(unpackRenderInput(whole), frames);
    },
    sound: async ({ renderInput: whole, codec }: TaskInput<'sound'>) => {
      log.push(codec === null ? 'examine' : 'sound');
      return renderSound(unpackRenderInput(whole), codec);
    },
    keys: async (question: TaskInput<'keys'>) => cacheKeys(question),
    join: ({ renderInput: whole, segments, sound }: TaskInput<'join'>) => joinSegments(whole, segments, sound),
  };
  const runner: ReturnType<typeof localTasks> = {
    log,
    drawn: 0,
    run: (kind, input, options = {}) => tasks[kind](input as never, options) as never,
  };
  return runner;
}

function memoryStore(): SegmentStore & { readonly files: Map<Sha256, Uint8Array> } {
  const files = new Map<Sha256, Uint8Array>();
  return {
    files,
    get: async (key) => files.get(key) ?? null,
    has: async (key) => files.has(key),
    put: async (key, bytes) => void files.set(key, bytes),
  };
}

function open(store: SegmentStore | null = memoryStore()) {
  const failures: unknown[] = [];
  const runner = localTasks();
  const cache =
    store === null
      ? null
      : new SegmentCache({ store, build: 'b', storesFiles: true, onFailure: (error) => failures.push(error) });
  const toFiles: SegmentRenderer = createSegmentRenderer({ runner, parallel: 2, cache });
  const renderer = {
    async render(...request: Parameters<SegmentRenderer['render']>) {
      return Promise.all((await toFiles.render(...request)).map(intoMemory));
    },
  };
  return { renderer, cache, failures, log: runner.log, drawn: () => runner.drawn };
}

describe('createSegmentRenderer()', () => {
  it('returns the same file as renderFile(), with and without a cache', async () => {
    const whole = await renderFile(renderInput(0, { stills: [{ name: 'a', frame: 30 }] }));
    const store = memoryStore();
    for (const { renderer } of [open(null), open(store), open(store)]) {
      expect(await renderer.render(renderInput(0, { stills: [{ name: 'a', frame: 30 }] }))).toEqual([whole]);
    }
  });

  it('gives every process the same number of rows of segments, each of at most eight', async () => {
    const local = localTasks();
    const rows: number[][] = [];
    const run: TaskRunner<RenderTaskKind>['run'] = (kind, input, options) => {
      if (kind === 'segments') rows.push((input as TaskInput<'segments'>).ranges.map(({ first }) => first));
      return local.run(kind, input, options);
    };
    const renderer = createSegmentRenderer({ runner: { run }, parallel: 2, cache: null });
    const render = async (frameCount: number): Promise<void> => {
      for (const { video } of await renderer.render(renderInput(0, { frameCount }))) video.close();
    };
    await render(105);
    // 60, 60 and 13 frames; 60, 60 and 12.
    expect(rows.splice(0)).toEqual([
      [0, 20, 80],
      [40, 60, 93],
    ]);
    await render(340);
    expect(rows.map(({ length }) => length)).toEqual([5, 4, 4, 4]);
    expect(rows.flat()).toEqual(Array.from({ length: 17 }, (_, at) => at * 20));
  });

  it('renders two or three segments from one drawing, unless their frames are large or have clips', async () => {
    const local = localTasks();
    const tasks: unknown[] = [];
    const run: TaskRunner<RenderTaskKind>['run'] = (kind, input, options = {}) => {
      const { ranges } = input as TaskInput<'segments'>;
      if (kind !== 'segments') return { track: null, findings: [] } as never;
      tasks.push([ranges.map(({ first }) => first), options.processors]);
      // Rendered small: only the grouping is of interest.
      const small = { ...(input as TaskInput<'segments'>), renderInput: renderInput() };
      return local.run(kind, small as typeof input, options);
    };
    const grouped = async (parallel: number, changes: Partial<RenderInput>): Promise<unknown[]> => {
      const renderer = createSegmentRenderer({ runner: { run }, parallel, cache: null });
      const video = { renderInput: renderInput(0, changes), others: [] };
      await renderer.renderPieces(video, piecesOf(video));
      return tasks.splice(0);
    };
    expect(await grouped(2, {})).toEqual([[[0, 20, 33], 2]]);
    expect(await grouped(2, { width: 1920, height: 1080 })).toEqual([[[0, 20, 33], 2]]);
    expect(await grouped(4, {})).toEqual([
      [[0], 2],
      [[20, 33], 2],
    ]);
    const apart = [
      [[0], 1],
      [[20, 33], 1],
    ];
    expect(await grouped(2, { width: 3840, height: 2160 })).toEqual(apart);
    const clip = { name: 'clip', assetId: 'clip', bytes: new Uint8Array() };
    expect(await grouped(2, { clips: [clip as never] })).toEqual(apart);
    expect(await grouped(1, {})).toEqual([[[0, 20, 33], 1]]);
  });

  it('renders only the segments that an edit affects, with the bytes of a full render', async () => {
    const store = memoryStore();
    await open(store).renderer.render(renderInput());
    const { renderer, log, cache } = open(store);
    const progress: number[] = [];
    const counts: unknown[] = [];
    const edited = await renderer.render(renderInput(1), {
      onProgress: (done, _, segments) => {
        progress.push(done);
        counts.push(segments);
      },
    });
    expect(counts).toContainEqual({ done: 2, total: 3, reused: 2 });
    expect(counts.at(-1)).toEqual({ done: 3, total: 3, reused: 2 });
    expect(log).toEqual(['segment 20']);
    expect(cache!.figures).toEqual({ reused: 2, rendered: 1 });
    expect(progress.at(-1)).toBe(45);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(edited).toEqual([await renderFile(renderInput(1))]);
  });

  it('caches the sound under a separate key', async () => {
    const store = memoryStore();
    const tone = { bytes: toneWav(5), startSeconds: 0, endSeconds: 4.5, name: 'tone', optional: false, transform: {} };
    const sounding = (green: number, volume = 1) =>
      renderInput(green, { sounds: [{ ...tone, transform: { volume } }] });
    await open(store).renderer.render(sounding(0));
    const edited = open(store);
    const video = await edited.renderer.render(sounding(1));
    expect(edited.log.sort()).toEqual(['examine', 'segment 20']);
    expect(video).toEqual([await renderFile(sounding(1))]);
    const quieter = open(store);
    await quieter.renderer.render(sounding(1, 0.5));
    expect(quieter.log).toEqual(['sound']);
  });

  it('shares segments between renders with and without stills', async () => {
    const store = memoryStore();
    const stills = [5, 30, 31].map((frame) => ({ name: `at ${frame}`, frame }));
    const whole = await renderFile(renderInput(0, { stills }));
    await open(store).renderer.render(renderInput());
    const withStills = open(store);
    expect(await withStills.renderer.render(renderInput(0, { stills }))).toEqual([whole]);
    expect(withStills.log).toEqual(['still 5', 'still 30', 'still 31']);
    const again = open(store);
    expect(await again.renderer.render(renderInput(0, { stills }))).toEqual([whole]);
    await again.renderer.render(renderInput());
    expect(again.log).toEqual([]);
    const edited = open(store);
    expect(await edited.renderer.render(renderInput(1, { stills }))).toEqual([
      await renderFile(renderInput(1, { stills })),
    ]);
    expect(edited.log).toEqual(['segment 20']);
  });

  it('draws the stills that a concurrent render of the segment does not keep', async () => {
    const { renderer, log } = open();
    const stills = [{ name: 'a', frame: 30 }];
    const [, video] = await Promise.all([renderer.render(renderInput()), renderer.render(renderInput(0, { stills }))]);
    expect(video).toEqual([await renderFile(renderInput(0, { stills }))]);
    expect(log.filter((task) => task.startsWith('still'))).toEqual(['still 30']);
  });

  it('renders a shared segment once for videos rendered at the same time', async () => {
    const { renderer, log } = open();
    const videos = await Promise.all([
      renderer.render(renderInput(0)),
      renderer.render(renderInput(1)),
      renderer.render(renderInput(0)),
    ]);
    expect(log.sort()).toEqual(['segment 0', 'segment 20', 'segment 20', 'segment 33']);
    expect(videos[2]).toEqual(videos[0]);
    expect(videos[1]).toEqual([await renderFile(renderInput(1))]);
  });

  it('renders segments that an aborted render had claimed', async () => {
    const { renderer, log } = open();
    const leaving = new AbortController();
    const first = renderer.render(renderInput(), {
      signal: leaving.signal,
      onProgress: () => leaving.abort(new Error('left')),
    });
    const second = renderer.render(renderInput());
    await expect(first).rejects.toThrow('left');
    expect(await second).toEqual([await renderFile(renderInput())]);
    expect(log.length).toBeGreaterThan(3);
  });

  it('renders a damaged segment again', async () => {
    const store = memoryStore();
    await open(store).renderer.render(renderInput());
    for (const [key, bytes] of store.files) store.files.set(key, bytes.subarray(0, bytes.length - 1));
    const { renderer, log } = open(store);
    expect(await renderer.render(renderInput())).toEqual([await renderFile(renderInput())]);
    expect(log).toHaveLength(3);
  });

  it('continues without a failing store and reports the failure once', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const { renderer, failures } = open({
      get: async () => null,
      has: async () => false,
      put: () => Promise.reject(full),
    });
    expect(await renderer.render(renderInput())).toEqual([await renderFile(renderInput())]);
    await renderer.render(renderInput(1));
    expect(failures).toEqual([full]);
  });

  describe('with several files', () => {
    const files = (
      ...outputs: readonly Partial<RenderInput['output']>[]
    ): (RenderInput & { readonly name: string })[] =>
      outputs.map((output, at) => ({
        ...renderInput(0, {
          stills: [{ name: 'a', frame: 30 }],
          output: { format: 'mp4', quality: 'high', fingerprint: `${at}`, ...output },
        }),
        name: `${at}`,
      }));
    const videos = async (inputs: readonly RenderInput[]) =>
      Promise.all(inputs.map(async (one) => (await renderFile(one)).video));

    it('draws files of the same size, rate and background once, with the bytes of each alone', async () => {
      const [main, ...others] = files({}, { quality: 'low' }, { format: 'mov' }, { format: 'gif' }, { format: 'webp' });
      const { renderer, log, drawn } = open(null);
      const progress: [number, number][] = [];
      const rendered = await renderer.render(main!, {
        others,
        onProgress: (done, count) => void progress.push([done, count]),
      });
      expect(rendered.map(({ video }) => video)).toEqual(await videos([main!, ...others]));
      expect(rendered.map(({ format }) => format)).toEqual(['mp4', 'mp4', 'mov', 'gif', 'webp']);
      expect(rendered[0]!.stills).toHaveLength(1);
      expect(log.sort()).toEqual(['gif webp', ...[0, 20, 33].map((first) => `segment ${first} of 3 outputs`)]);
      // Once over black for the MP4s and the MOV, once with transparency.
      expect(drawn()).toBe(2 * 45);
      expect(progress.at(-1)).toEqual([5 * 45, 5 * 45]);
      expect(progress).toEqual([...progress].sort(([a], [b]) => a - b));
    });

    it('draws files of another size or rate separately', async () => {
      const [main, other, poster] = files({}, { format: 'gif' }, { format: 'png' });
      const small = { ...other!, width: 32, height: 18, fps: 5, frameCount: 22, stills: [] };
      const { renderer, drawn } = open(null);
      const rendered = await renderer.render(main!, { others: [small, poster!] });
      expect(rendered.slice(1).map(({ video }) => video)).toEqual(await videos([small, poster!]));
      expect(drawn()).toBe(45 + 22 + 1);
    });

    it('reuses cached files without segments', async () => {
      const [main, gif, poster, changed] = files({}, { format: 'gif' }, { format: 'png' }, { format: 'gif' });
      const store = memoryStore();
      const first = await open(store).renderer.render(main!, { others: [gif!, poster!] });
      const again = open(store);
      const rendered = await again.renderer.render(main!, { others: [gif!, poster!] });
      const bytesOf = (files: typeof rendered) => files.map(({ video }) => sha256(video));
      expect(bytesOf(rendered)).toEqual(bytesOf(first));
      expect([again.log, again.drawn()]).toEqual([[], 0]);
      expect(again.cache!.fileFigures).toEqual({ reused: 2, rendered: 0 });
      expect(again.cache!.figures).toEqual({ reused: 3, rendered: 0 });
      const other = open(store);
      await other.renderer.render(main!, { others: [changed!, poster!] });
      expect(other.drawn()).toBe(45);
      expect(other.cache!.fileFigures).toEqual({ reused: 1, rendered: 1 });
    });

    it('reuses segments that are cached for all outputs', async () => {
      const [main, web] = files({}, { quality: 'low' });
      const store = memoryStore();
      await open(store).renderer.render(main!);
      const added = open(store);
      const rendered = await added.renderer.render(main!, { others: [web!] });
      expect(rendered.map(({ video }) => video)).toEqual(await videos([main!, web!]));
      expect(added.log.sort()).toEqual(['segment 0', 'segment 20', 'segment 33']);
      const again = open(store);
      await again.renderer.render(main!, { others: [web!] });
      expect(again.drawn()).toBe(0);
    });
  });

  it('stops a render that exceeds its time limit', async () => {
    const runner = {
      run: (_kind: string, _input: unknown, { signal }: { signal?: AbortSignal } = {}) =>
        new Promise<never>((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason))),
    };
    const renderer = createSegmentRenderer({ runner, parallel: 1, cache: null, totalMs: 20 });
    await expect(renderer.render(renderInput())).rejects.toMatchObject({ code: 'render_timeout' });
  });
});
