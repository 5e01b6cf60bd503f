import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { OutputFormat } from '../service/wire.ts';
import type { Scene } from '../template/scene.ts';
import { builtFile } from './built-file.ts';
import { checkScene } from './check-scene.ts';
import type { EncoderFactory } from './encoder.ts';
import { errorFrom } from './failure.ts';
import { frameRateOf } from './frame-rate.ts';
import { RING_SLOTS, ringFrame } from './frame-ring.ts';
import { audioCodecOf, type FrameWriter, pixelsOf } from './frame-writer.ts';
import { makeSound } from './media/make-sound.ts';
import type { DrawRequest, RasterMessage, RenderedStill } from './raster-protocol.ts';
import { SceneError } from './scene-error.ts';
import { openWebcodecsEncoder } from './webcodecs-encoder.ts';
import { openWriter } from './writers/open-writer.ts';

export interface RenderSceneOptions {
  /** Of H.264; the embedded one when absent. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame, with a number that grows by one. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A finished video and its stills, in memory. */
export interface Rendering {
  /** The file that was asked for; as MP4: H.264, yuv420p, BT.709, limited range, index first. */
  readonly video: Uint8Array;
  readonly format: OutputFormat;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
}

/**
 * Renders a scene: a worker thread draws and converts frames while this thread feeds the writer, a fixed number of frames
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
  const { width, height, frameCount, output } = scene;
  const rate = frameRateOf(scene.fps);
  const worker = new Worker(builtFile(import.meta.url, 'engine/raster-worker.js'), { workerData: scene });
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[RasterMessage]>;
  // While frames are awaited `messages` rejects with it; afterwards nothing may throw it at the process.
  worker.on('error', () => undefined);
  let writer: FrameWriter | undefined;
  try {
    const codec = audioCodecOf(output.format);
    const sound = codec === null ? null : await makeSound(scene, codec);
    writer = await openWriter({ format: { width, height, rate }, frameCount, output, sound }, openEncoder);
    const ask = (request: DrawRequest): void => worker.postMessage(request);
    const stills = await writeFrames({ scene, messages, ask, writer, options });
    const video = await writer.finish();
    signal?.throwIfAborted();
    const durationSeconds = (frameCount * rate.denominator) / rate.numerator;
    return { video, format: output.format, stills, width, height, frameCount, durationSeconds };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    writer?.close();
    await worker.terminate();
  }
}

interface FrameSupply {
  readonly scene: Scene;
  readonly messages: AsyncIterable<[RasterMessage]>;
  readonly ask: (request: DrawRequest) => void;
  readonly writer: FrameWriter;
  readonly options: RenderSceneOptions;
}

/** Moves every frame from the worker to the writer; resolves with the stills, in the scene's order. */
async function writeFrames({ scene, messages, ask, writer, options }: FrameSupply): Promise<RenderedStill[]> {
  const { width, height, frameCount } = scene;
  const ringFormat = { width, height, pixels: pixelsOf(scene.output.format) };
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
        await writer.write(ringFrame(buffer!, ringFormat, message.slot), message.frame);
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
