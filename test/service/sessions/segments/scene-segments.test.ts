import { expect, it } from 'vitest';
import { type InMemoryFile, intoMemory } from '../../../../src/engine/rendered-file.ts';
import { segmentRanges } from '../../../../src/engine/segments/segment.ts';
import type { Sha256 } from '../../../../src/kernel/digest.ts';
import { SegmentCache } from '../../../../src/service/sessions/segments/segment-cache.ts';
import { createSegmentRenderer } from '../../../../src/service/sessions/segments/segment-renderer.ts';
import type { ScenesInput } from '../../../../src/template/render-input.ts';
import { movingInput } from '../../../engine/inputs.ts';
import { renderFile } from '../../../support/in-memory.ts';
import { openPool } from '../../../support/render-pools.ts';
import { sceneVideo, type TestScene } from '../../../support/scene-videos.ts';

const LIST: readonly TestScene[] = [
  { id: 'a', of: movingInput({ fps: 10, frameCount: 45 }) },
  { id: 'b', of: movingInput({ fps: 10, frameCount: 12 }), duration: 3, transition: { type: 'push', duration: 0.4 } },
];

function memoryCache(): SegmentCache {
  const files = new Map<Sha256, Uint8Array>();
  const store = {
    get: async (key: Sha256) => files.get(key) ?? null,
    has: async (key: Sha256) => files.has(key),
    put: async (key: Sha256, bytes: Uint8Array) => void files.set(key, bytes),
  };
  const onFailure = (error: unknown): never => {
    throw error;
  };
  return new SegmentCache({ store, build: 'test', onFailure });
}

function video(list: readonly TestScene[], frames: readonly number[]): ScenesInput {
  return sceneVideo(list, { stills: frames.map((frame) => ({ name: `at.${frame}`, frame })) });
}

/** Bytes of threads are buffers, those of processes are not. */
function inBuffers({ video: bytes, stills, ...file }: InMemoryFile) {
  const pictures = stills.map((still) => ({ ...still, bytes: Buffer.from(still.bytes) }));
  return { ...file, video: Buffer.from(bytes), stills: pictures };
}

it('renders scenes in processes, and reuses segments and stills of scenes that another scene moves', async () => {
  const cache = memoryCache();
  const renderer = createSegmentRenderer({ runner: openPool({ size: 2 }), parallel: 2, cache });
  const render = async (input: ScenesInput) => inBuffers(await intoMemory((await renderer.render(input))[0]!));
  const before = video(LIST, [30, 60]);
  expect(await render(before)).toEqual(inBuffers(await renderFile(before)));
  const counted = cache.figures;
  expect(counted).toEqual({ reused: 0, rendered: segmentRanges(before).length });

  const first: TestScene = { id: 'first', of: movingInput({ fps: 10, frameCount: 33 }) };
  const after = video([first, ...LIST], [10, 63, 93]);
  expect(await render(after)).toEqual(inBuffers(await renderFile(after)));
  expect(cache.figures).toEqual({ reused: segmentRanges(before).length, rendered: counted.rendered + 2 });
});

it('renders the segments of equal scenes once', async () => {
  const cache = memoryCache();
  const renderer = createSegmentRenderer({ runner: openPool({ size: 2 }), parallel: 2, cache });
  const of = movingInput({ fps: 10, frameCount: 45 });
  const other = movingInput({ fps: 10, frameCount: 20 });
  // Three scenes of the same picture, with stills at the same and at other times.
  const list = [
    { id: 'a', of },
    { id: 'b', of },
    { id: 'c', of: other },
    { id: 'd', of },
  ];
  const repeated = video(list, [30, 75, 100, 118]);
  const rendered = inBuffers(await intoMemory((await renderer.render(repeated))[0]!));
  expect(rendered).toEqual(inBuffers(await renderFile(repeated)));
  const ofScene = segmentRanges(video([list[0]!], [])).length;
  expect(segmentRanges(repeated)).toHaveLength(3 * ofScene + 1);
  expect(cache.figures).toEqual({ reused: 2 * ofScene, rendered: ofScene + 1 });
});
