import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Scene } from '../template/scene.ts';
import { builtFile } from './built-file.ts';
import { checkScene } from './check-scene.ts';
import type { Encoder, EncoderFactory } from './encoder.ts';
import { errorFrom } from './failure.ts';
import { frameRateOf } from './frame-rate.ts';
import { RING_SLOTS, ringFrame } from './frame-ring.ts';
import { muxMp4 } from './mux-mp4.ts';
import type { DrawRequest, RasterMessage, RenderedStill } from './raster-protocol.ts';
import { SceneError } from './scene-error.ts';
import { openWebcodecsEncoder } from './webcodecs-encoder.ts';

export interface RenderSceneOptions {
  /** The embedded one when absent. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame, with a number that grows by one. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A finished video and its stills, in memory. */
export interface Rendering {
  /** MP4: H.264, yuv420p, BT.709, limited range, index first. */
  readonly video: Uint8Array;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
}

/**
 * Renders a scene: a worker thread draws and converts frames while this thread feeds the encoder, a fixed number of frames
 * between them, so that memory stays flat whatever the length. The same scene gives the same frames everywhere, and with
 * the embedded encoder the same bytes on machines with as many cores.
 *
 * @throws SceneError when this scene cannot be rendered
 * @throws ReelformError encoder_missing
 * @throws the signal's reason, promptly, when it is aborted
 */
export async function renderScene(scene: Scene, options: RenderSceneOptions = {}): Promise<Rendering> {
  const { signal, encoder: openEncoder = openWebcodecsEncoder } = options;
  signal?.throwIfAborted();
  checkScene(scene);
  const { width, height, frameCount } = scene;
  const rate = frameRateOf(scene.fps);
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster-worker.js'), { workerData: scene });
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  // While frames are awaited `messages` rejects with it; afterwards nothing may throw it at the process.
  worker.on('error', () => undefined);
  let encoder: Encoder | undefined;
  try {
    encoder = await openEncoder({ width, height, rate });
    const ask = (request: DrawRequest): void => worker.postMessage(request);
    const stills = await encodeFrames({ scene, messages, ask, encoder, options });
    const video = await muxMp4(await encoder.finish());
    signal?.throwIfAborted();
    const durationSeconds = (frameCount * rate.denominator) / rate.numerator;
    return { video, stills, width, height, frameCount, durationSeconds };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    encoder?.close();
    await worker.terminate();
  }
}

interface FrameSupply {
  readonly scene: Scene;
  readonly messages: AsyncIterable<[RasterMessage]>;
  readonly ask: (request: DrawRequest) => void;
  readonly encoder: Encoder;
  readonly options: RenderSceneOptions;
}

/** Moves every frame from the worker to the encoder; resolves with the stills, in the scene's order. */
async function encodeFrames({ scene, messages, ask, encoder, options }: FrameSupply): Promise<RenderedStill[]> {
  const { width, height, frameCount } = scene;
  const stills = new Map<string, RenderedStill>();
  let buffer: SharedArrayBuffer | undefined;
  let framesAsked = 0;
  const askNext = (slot: number): void => {
    if (framesAsked < frameCount) ask({ frame: framesAsked++, slot });
  };
  for await (const [message] of messages) {
    switch (message.kind) {
      case 'open':
        buffer = message.buffer;
        for (let slot = 0; slot < RING_SLOTS; slot++) askNext(slot);
        break;
      case 'still':
        stills.set(message.still.name, message.still);
        break;
      case 'frame':
        await encoder.encode(ringFrame(buffer!, width, height, message.slot), message.frame);
        options.signal?.throwIfAborted();
        askNext(message.slot);
        options.onProgress?.(message.frame + 1, frameCount);
        if (message.frame + 1 === frameCount) return scene.stills.map((still) => stills.get(still.name)!);
        break;
      case 'failed':
        throw errorFrom(message.failure);
    }
  }
  throw new SceneError('render_crashed', 'The thread that draws the frames ended before the last one');
}
