import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputFormat } from '../../src/contract/wire/output.ts';
import type { VideoPacket } from '../../src/engine/codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from '../../src/engine/codec/video-encoder.ts';
import { muxMp4 } from '../../src/engine/writers/mux.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { hashSourceFile } from '../../src/kernel/read-source.ts';
import { replaceFile } from '../../src/kernel/replace-file.ts';
import { createDirectoryOutputs } from '../../src/service/sessions/directory-outputs.ts';
import { createRenderPool } from '../../src/service/sessions/processes/render-pool.ts';
import { FolderSegmentStore } from '../../src/service/sessions/segments/folder-segment-store.ts';
import { SegmentCache } from '../../src/service/sessions/segments/segment-cache.ts';
import { createSegmentRenderer } from '../../src/service/sessions/segments/segment-renderer.ts';
import type { VideoInput } from '../../src/template/render-input.ts';
import { imageLayer, inputOf, movingInput } from '../engine/inputs.ts';
import { stereoWav } from '../engine/media/media-files.ts';
import { sceneVideo } from './scene-videos.ts';

/** What a render of a long video took. */
export interface LongRender {
  readonly seconds: number;
  readonly fileBytes: number;
  /** Peak resident memory in bytes of this process, which asks for the render, and of the largest render process. */
  readonly parentBytes: number;
  readonly childBytes: number;
  /** Peak of the memory of all processes, of which pages that they share count once. */
  readonly treeBytes: number;
}

/** 200 scenes take 30 minutes. */
const SCENE_SECONDS = 9;
const FPS = 30;
const RATE = 48_000;

function longVideo(scenes: number, format: OutputFormat): VideoInput {
  const of = movingInput({ fps: FPS, frameCount: SCENE_SECONDS * FPS });
  const video = sceneVideo(Array.from({ length: scenes }, (_, at) => ({ id: `scene_${at}`, of })));
  const samples = Float32Array.from({ length: 5 * RATE }, (_, at) => 0.3 * Math.sin(at / 20) * Math.sin(at / 3000));
  const sound = {
    bytes: stereoWav(RATE, samples),
    startSeconds: 0,
    endSeconds: scenes * SCENE_SECONDS,
    transform: { loop: true },
    name: 'music',
    optional: false,
  };
  const output = { ...video.output, format };
  return { ...video, output, stills: [{ name: 'end', frame: video.frameCount - 1 }], sounds: [sound] };
}

/** A video of one scene with a clip of about this size, whose pictures are noise. */
async function clipVideo(megabytes: number, folder: string): Promise<VideoInput> {
  const [width, height] = [320, 180];
  const format = { width, height, rate: { numerator: FPS, denominator: 1 } };
  const encoder = await encoderOf(SOFTWARE)(format, 'high', 'prores422');
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at * 7919) % 251);
  await encoder.encode(pixels, 0);
  const track = await encoder.finish();
  encoder.close();
  const [{ bytes }] = track.packets as [VideoPacket];
  const packets = Array.from({ length: Math.ceil((megabytes * 1e6) / bytes.length) }, (_, frame) => {
    return { bytes, frame, isKey: true };
  });
  const file = await muxMp4({ ...track, packets }, { codec: 'prores422', sound: null, fingerprint: null });
  // As fetched and uploaded clips are stored.
  const path = join(folder, 'clip.mov');
  await writeFile(path, file.stream());
  file.close();
  const source = await hashSourceFile(path);
  const clip = { assetId: 'clip', width, height, bytes: source, transform: {}, name: 'clip.mov' };
  const assets = [{ id: 'clip', w: width, h: height, u: '', p: 'clip.mov', e: 0 }];
  const frameCount = SCENE_SECONDS * FPS;
  const document = { fr: FPS, op: frameCount, assets };
  return inputOf([imageLayer(1, 'clip')], { width, height, fps: FPS, frameCount, clips: [clip], document });
}

/** Returns the peak resident memory of a process. */
function peakBytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function children(): number[] {
  const listed = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}

/** Returns the memory of a process of which shared pages count proportionally. */
function shareBytes(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export interface LongRenderOptions {
  /** Number of scenes of nine seconds, with sound. */
  readonly scenes: number;
  /** Size of a clip, which replaces the scenes; null for no clip. */
  readonly clipMegabytes: number | null;
  /** Of a video without a clip. */
  readonly format: OutputFormat;
  /** Whether to write a segment cache. */
  readonly isCached: boolean;
}

/**
 * Renders and stores a video, and measures memory. Call it once in a process, because memory that was used once stays high.
 */
export async function renderLong({ scenes, clipMegabytes, format, isCached }: LongRenderOptions): Promise<LongRender> {
  const folder = await mkdtemp(join(tmpdir(), 'reelform-long-'));
  const video = clipMegabytes === null ? longVideo(scenes, format) : await clipVideo(clipMegabytes, folder);
  const pool = createRenderPool({ size: 2, stallMs: 600_000 });
  let [childBytes, treeBytes] = [0, 0];
  const sampler = setInterval(() => {
    const pids = children();
    childBytes = Math.max(childBytes, ...pids.map(peakBytes));
    treeBytes = Math.max(
      treeBytes,
      [process.pid, ...pids].map(shareBytes).reduce((sum, bytes) => sum + bytes),
    );
  }, 100);
  try {
    const store = new FolderSegmentStore({ folder: join(folder, 'cache'), maxBytes: 2 ** 33, now: () => Date.now() });
    const onFailure = (error: unknown): never => {
      throw error;
    };
    const cache = isCached ? new SegmentCache({ store, build: 'long', onFailure }) : null;
    const renderer = createSegmentRenderer({ runner: pool, parallel: 2, cache, totalMs: 3_600_000 });
    const files = await renderer.render(video);
    const outputs = createDirectoryOutputs(folder, 'renders', (path, data) =>
      replaceFile(path, data, { isDurable: false }),
    );
    const [stored] = await outputs.save(sha256('long'), 'long', files);
    for (const { video } of files) video.close();
    return {
      seconds: video.frameCount / FPS,
      fileBytes: stored!.bytes,
      parentBytes: peakBytes(process.pid),
      childBytes,
      treeBytes,
    };
  } finally {
    clearInterval(sampler);
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}
