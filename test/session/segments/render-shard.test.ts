import { describe, expect, it } from 'vitest';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import { segmentKeys } from '../../../src/session/segments/cache-keys.ts';
import { renderShard, type ShardVideo } from '../../../src/session/segments/render-shard.ts';
import { SegmentCache } from '../../../src/session/segments/segment-cache.ts';
import type { SegmentRenderer } from '../../../src/session/segments/segment-renderer.ts';
import type { Scene } from '../../../src/template/scene.ts';
import { rectangleLayer, sceneOf } from '../../engine/scenes.ts';
import { toneWav } from '../../support/tone.ts';

const BUILD = 'b';

/** Three segments of 20, 20 and 5 frames; the second one alone shows a square of this colour. */
function scene(green = 0, changes: Partial<Scene> = {}): Scene {
  const layers = [
    rectangleLayer(1, [0, 0, 12, 12], [1, green, 0], { ip: 25, op: 35 }),
    rectangleLayer(2, [0, 0, 64, 36], [0, 0, 1]),
  ];
  return sceneOf(layers, { fps: 10, frameCount: 45, ...changes });
}

function video(id: string, made: Scene): ShardVideo {
  return { id, scene: async () => made };
}

/** Renders nothing, and notes the keys that it was asked for. */
function notingRenderer(onSegments: (keys: readonly string[]) => void = () => undefined) {
  const keys: string[] = [];
  let sounds = 0;
  const renderer: SegmentRenderer = {
    render: () => Promise.reject(new Error('A shard joins nothing')),
    joinSegments: () => Promise.reject(new Error('A shard joins nothing')),
    async renderSegments(packed, ranges) {
      const all = segmentKeys(packed, BUILD);
      const at = segmentRanges(packed).map(({ first }) => first);
      const own = ranges.map(({ first }) => all[at.indexOf(first)]!);
      keys.push(...own);
      onSegments(own);
      return [];
    },
    async renderSound() {
      sounds += 1;
      return { track: null, findings: [] };
    },
  };
  return { renderer, keys, sounds: () => sounds };
}

function cacheOf(fail = false): SegmentCache {
  const put = async (): Promise<void> => {
    if (fail) throw new Error('full');
  };
  return new SegmentCache({
    store: { get: async () => null, has: async () => false, put },
    build: BUILD,
    onFailure: () => undefined,
  });
}

async function shardOf(videos: readonly ShardVideo[], index: number, count: number, noting = notingRenderer()) {
  const { renderer, keys, sounds } = noting;
  const done: string[] = [];
  const result = await renderShard(
    videos,
    { index, count },
    {
      ...{ renderer, cache: cacheOf(), concurrency: 2, signal: new AbortController().signal },
      onVideo: (id) => done.push(id),
    },
  );
  return { result, keys, done, sounds: sounds() };
}

const VIDEOS = [
  video('a', scene(0)),
  video('b', scene(0.25)),
  video('c', scene(0.5)),
  video('d', scene(0.75, { frameCount: 100 })),
];

describe('renderShard()', () => {
  it.each([1, 2, 3, 5, 40])('renders every segment in exactly one of %i shards', async (count) => {
    const scenes = await Promise.all(VIDEOS.map((one) => one.scene()));
    const all = new Set(scenes.flatMap((one) => segmentKeys(one, BUILD)));
    const shards = await Promise.all(Array.from({ length: count }, (_, at) => shardOf(VIDEOS, at + 1, count)));
    const keys = shards.flatMap((shard) => shard.keys);
    expect(keys).toHaveLength(all.size);
    expect(new Set(keys)).toEqual(all);
    for (const { result, keys: own } of shards) {
      expect(result).toMatchObject({ segments: all.size, share: own.length, whole: [], failed: [] });
      expect(Math.abs(own.length - all.size / count)).toBeLessThan(1);
    }
  });

  it('renders segments that videos share once', async () => {
    const { result, done } = await shardOf([video('a', scene()), video('b', scene()), video('c', scene(1))], 1, 1);
    expect(result).toMatchObject({ segments: 4, share: 4 });
    expect(done).toEqual(['a', 'c']);
  });

  it('renders a sound in one shard', async () => {
    const sound = { name: 'a.wav', assetId: 'a', bytes: toneWav(4), volume: 1, startSeconds: 0, endSeconds: 4 };
    const withSound = scene(0, { sounds: [sound as never] });
    const sounds = await Promise.all(
      [1, 2, 3].map(async (at) => (await shardOf([video('a', withSound)], at, 3)).sounds),
    );
    expect(sounds.reduce((sum, one) => sum + one)).toBe(1);
  });

  it('leaves outputs without segments to the joining apply', async () => {
    const gif = scene(0, { output: { ...scene().output, format: 'gif' } });
    const { result, keys } = await shardOf([video('gif', gif), video('b', scene())], 1, 1);
    expect(result).toMatchObject({ whole: ['gif'], segments: 3, share: 3 });
    expect(keys).toHaveLength(3);
  });

  it('goes on with other videos after a failure', async () => {
    const broken: ShardVideo = { id: 'broken', scene: () => Promise.reject(new Error('no source')) };
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
