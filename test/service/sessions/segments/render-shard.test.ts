import { describe, expect, it } from 'vitest';
import { segmentRanges } from '../../../../src/engine/segments/segment.ts';
import type { Sha256 } from '../../../../src/kernel/digest.ts';
import { segmentKeys } from '../../../../src/service/sessions/segment-keys.ts';
import { filesOf, type InputFiles } from '../../../../src/service/sessions/segments/pieces.ts';
import { renderShard, type ShardVideo } from '../../../../src/service/sessions/segments/render-shard.ts';
import { SegmentCache } from '../../../../src/service/sessions/segments/segment-cache.ts';
import type { SegmentRenderer } from '../../../../src/service/sessions/segments/segment-renderer.ts';
import type { RenderInput } from '../../../../src/template/render-input.ts';
import { inputOf, rectangleLayer } from '../../../engine/inputs.ts';
import { toneWav } from '../../../support/tone.ts';

const BUILD = 'b';

/** Three segments of 20, 13 and 12 frames; only the second one shows a square of this colour. */
function renderInput(green = 0, changes: Partial<RenderInput> = {}): RenderInput {
  const layers = [
    rectangleLayer(1, [0, 0, 12, 12], [1, green, 0], { ip: 22, op: 32 }),
    rectangleLayer(2, [0, 0, 64, 36], [0, 0, 1]),
  ];
  return inputOf(layers, { fps: 10, frameCount: 45, ...changes });
}

function output(changes: Partial<RenderInput['output']>): RenderInput['output'] {
  return { ...renderInput().output, fingerprint: JSON.stringify(changes), ...changes };
}

function video(id: string, made: RenderInput, others: InputFiles['others'] = []): ShardVideo {
  return { id, video: async () => ({ renderInput: made, others }) };
}

/** A video of four files: the first two share a drawing. */
function severalFiles(): ShardVideo {
  const main = renderInput(0, { output: output({}) });
  const small = { width: 32, height: 18, fps: 5, frameCount: 22 };
  return video('several', main, [
    { ...main, name: 'web', output: output({ quality: 'low' }) },
    { ...main, ...small, name: 'preview', output: output({ format: 'gif' }) },
    { ...main, name: 'poster', output: output({ format: 'png' }) },
  ]);
}

/** Renders nothing, and records the requested keys. */
function notingRenderer(onSegments: (keys: readonly string[]) => void = () => undefined) {
  const keys: string[] = [];
  const wholes: string[] = [];
  const frames: number[] = [];
  let sounds = 0;
  const renderer: SegmentRenderer = {
    render: () => Promise.reject(new Error('A shard joins nothing')),
    join: () => Promise.reject(new Error('A shard joins nothing')),
    renderPieces: () => Promise.reject(new Error('A shard keeps no pieces')),
    async cachePieces({ renderInput: packed, others }, pieces) {
      const files = filesOf({ renderInput: packed, others });
      const own: string[] = [];
      for (const piece of pieces) {
        if (piece.kind === 'sound') {
          sounds += 1;
          continue;
        }
        for (const file of piece.files) {
          const output = files[file]!;
          if (piece.kind === 'whole') wholes.push(output.output.format);
          else {
            const at = segmentRanges(output).findIndex(({ first }) => first === piece.range.first);
            own.push(segmentKeys({ ...packed, ...output }, BUILD)[at]!);
            frames.push(piece.range.end - piece.range.first);
          }
        }
      }
      keys.push(...own);
      onSegments(own);
    },
  };
  return { renderer, keys, wholes, frames, sounds: () => sounds };
}

function cacheOf(fail = false): SegmentCache {
  const put = async (): Promise<void> => {
    if (fail) throw new Error('full');
  };
  return new SegmentCache({
    store: { get: async () => null, has: async () => false, put },
    build: BUILD,
    storesFiles: true,
    onFailure: () => undefined,
  });
}

async function shardOf(videos: readonly ShardVideo[], index: number, count: number, noting = notingRenderer()) {
  const { renderer, keys, wholes, frames, sounds } = noting;
  const done: string[] = [];
  const result = await renderShard(
    videos,
    { index, count },
    {
      renderer,
      cache: cacheOf(),
      concurrency: 2,
      signal: new AbortController().signal,
      onVideo: (id) => done.push(id),
    },
  );
  const frameCount = frames.reduce((sum, one) => sum + one, 0);
  return { result, keys, wholes, frameCount, done, sounds: sounds() };
}

const VIDEOS = [
  video('a', renderInput(0)),
  video('b', renderInput(0.25)),
  video('c', renderInput(0.5)),
  video('d', renderInput(0.75, { frameCount: 100 })),
];

describe('renderShard()', () => {
  it.each([1, 2, 3, 5, 40])('renders every segment in exactly one of %i shards', async (count) => {
    const videos = await Promise.all(VIDEOS.map((one) => one.video()));
    const all = new Set(videos.flatMap((one) => segmentKeys(one.renderInput, BUILD)));
    const shards = await Promise.all(Array.from({ length: count }, (_, at) => shardOf(VIDEOS, at + 1, count)));
    const keys = shards.flatMap((shard) => shard.keys);
    expect(keys).toHaveLength(all.size);
    expect(new Set(keys)).toEqual(all);
    const counts = { segments: all.size, files: 0 };
    for (const { result, keys: own } of shards) {
      expect(result).toEqual({ distinct: counts, share: { segments: own.length, files: 0 }, failed: [] });
    }
    const loads = shards.map(({ frameCount }) => frameCount);
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(20);
  });

  it('renders segments that videos share once', async () => {
    const { result, done } = await shardOf(
      [video('a', renderInput()), video('b', renderInput()), video('c', renderInput(1))],
      1,
      1,
    );
    expect(result).toMatchObject({ distinct: { segments: 4 }, share: { segments: 4 } });
    expect(done).toEqual(['a', 'c']);
  });

  it('renders a sound in one shard', async () => {
    const sound = { name: 'a.wav', assetId: 'a', bytes: toneWav(4), volume: 1, startSeconds: 0, endSeconds: 4 };
    const withSound = renderInput(0, { sounds: [sound as never] });
    const sounds = await Promise.all(
      [1, 2, 3].map(async (at) => (await shardOf([video('a', withSound)], at, 3)).sounds),
    );
    expect(sounds.reduce((sum, one) => sum + one)).toBe(1);
  });

  it.each([1, 2, 4])('renders every file of a video with several in exactly one of %i shards', async (count) => {
    const videos = [severalFiles(), ...VIDEOS, severalFiles()];
    const shards = await Promise.all(Array.from({ length: count }, (_, at) => shardOf(videos, at + 1, count)));
    expect(shards.flatMap(({ wholes }) => wholes).sort()).toEqual(['gif', 'png']);
    const { renderInput: packed, others } = await severalFiles().video();
    const web = segmentKeys({ ...packed, ...others[0]! }, BUILD);
    const keys = shards.flatMap((shard) => shard.keys);
    expect(keys).toEqual(expect.arrayContaining([...web]));
    expect(keys).toHaveLength(new Set(keys).size);
    for (const { result } of shards) expect(result.distinct).toEqual({ segments: keys.length, files: 2 });
  });

  it('draws the stills of a shared segment in the shard that has the segment', async () => {
    const stills = [{ name: 'a', frame: 30 }];
    const videos = [video('a', renderInput()), video('b', renderInput(0, { stills }))];
    const shards = await Promise.all([1, 2].map((index) => shardOf(videos, index, 2)));
    const [main] = shards.filter(({ done }) => done.includes('b'));
    expect(shards.filter(({ done }) => done.includes('b'))).toHaveLength(1);
    const key = segmentKeys(renderInput(), BUILD)[1] as Sha256;
    expect(main!.keys.filter((one) => one === key)).toHaveLength(2);
    expect(main!.result.share.segments + shards.find((one) => one !== main)!.result.share.segments).toBe(3);
  });

  it('continues with other videos after a failure', async () => {
    const broken: ShardVideo = { id: 'broken', video: () => Promise.reject(new Error('no source')) };
    const crashing = notingRenderer((keys) => {
      if (keys.length === 1) throw new Error('crashed');
    });
    const { result, done } = await shardOf([broken, VIDEOS[0]!, VIDEOS[1]!, VIDEOS[3]!], 1, 1, crashing);
    expect(result.failed.map(({ id }) => id)).toEqual(['broken', 'b']);
    expect(done).toEqual(['a', 'd']);
  });

  it('stops at an interruption', async () => {
    const stop = new AbortController();
    const { renderer } = notingRenderer(() => stop.abort(new Error('stopped')));
    const options = { renderer, cache: cacheOf(), concurrency: 1, signal: stop.signal, onVideo: () => undefined };
    await expect(renderShard(VIDEOS, { index: 1, count: 1 }, options)).rejects.toThrow('stopped');
  });

  it('stops when the cache fails', async () => {
    const cache = cacheOf(true);
    const noting = notingRenderer(() => void cache.keep('0'.repeat(64) as never, {}));
    const options = { renderer: noting.renderer, cache, concurrency: 1, signal: new AbortController().signal };
    await renderShard(VIDEOS, { index: 1, count: 1 }, { ...options, onVideo: () => undefined });
    expect(cache.hasFailed).toBe(true);
    expect(noting.keys.length).toBeLessThan(12);
  });
});
