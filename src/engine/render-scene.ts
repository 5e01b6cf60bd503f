import type { Scene } from '../template/scene.ts';
import type { OutputFormat } from '../wire/output.ts';
import type { AudioCodec, AudioTrack } from './audio-track.ts';
import { checkScene } from './check-scene.ts';
import { frameRateOf, frameTimeSeconds } from './frame-rate.ts';
import { audioCodecOf, type FrameWriter } from './frame-writer.ts';
import type { EncoderFactory } from './h264/encoder.ts';
import { encoderOf, SOFTWARE } from './h264/open-encoder.ts';
import type { RenderedStill } from './raster/raster-protocol.ts';
import { type Delivery, supplyFrames } from './raster/supply-frames.ts';
import { mediaFindings, type SceneFinding } from './scene-finding.ts';
import { renderPicture } from './stills/render-picture.ts';
import { openWriter } from './writers/open-writer.ts';

export interface RenderSceneOptions {
  /** Of H.264; x264 when absent. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame, with a number that grows by one. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A finished video and its stills, in memory. A picture has one frame, and lasts 0 seconds. */
export interface Rendering {
  /** The file that was asked for; as MP4: H.264, yuv420p, BT.709, limited range, index first. */
  readonly video: Uint8Array;
  readonly format: OutputFormat;
  /** In the scene's order. */
  readonly stills: readonly RenderedStill[];
  /** What a viewer would notice of its texts, clips and sounds; the video is rendered nevertheless. */
  readonly findings: readonly SceneFinding[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
}

/**
 * Renders a scene: a worker thread draws and converts frames while this thread feeds the writer. Memory stays flat whatever
 * the length. The same scene gives the same frames everywhere, and the same bytes as far as the encoder promises it.
 *
 * @throws SceneError when this scene cannot be rendered
 * @throws ReelformError encoder_missing
 * @throws the signal's reason, promptly, when it is aborted
 */
export async function renderScene(scene: Scene, options: RenderSceneOptions = {}): Promise<Rendering> {
  const { signal, encoder = encoderOf(SOFTWARE), onProgress } = options;
  signal?.throwIfAborted();
  checkScene(scene);
  const { width, height, frameCount, output } = scene;
  const ofMedia = await mediaFindings(scene);
  signal?.throwIfAborted();
  if (output.format === 'png') {
    const { picture, stills, findings } = await renderPicture(scene, options);
    const rest = { stills, findings: [...findings, ...ofMedia] };
    return { video: picture, format: 'png', ...rest, width, height, frameCount: 1, durationSeconds: 0 };
  }
  const rate = frameRateOf(scene.fps);
  const supply = supplyFrames(scene, { first: 0, end: frameCount }, signal);
  // Made beside the frames; who fails first ends the other.
  const ending = new AbortController();
  const codec = audioCodecOf(output.format);
  const sound = codec === null ? null : soundOf(scene, codec, ending.signal);
  let hasSoundFailed = false;
  const soundEnd = sound?.catch(() => {
    hasSoundFailed = true;
  });
  let writer: FrameWriter | undefined;
  try {
    const opened = await openWriter({ format: { width, height, rate }, frameCount, output, sound }, encoder);
    writer = opened;
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await opened.write(pixels, frame);
      signal?.throwIfAborted();
      if (hasSoundFailed) await sound;
      onProgress?.(frame + 1, frameCount);
    });
    const video = await writer.finish();
    signal?.throwIfAborted();
    return renderingOf(scene, video, { stills, findings: [...findings, ...ofMedia] });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    ending.abort();
    writer?.close();
    await supply.close();
    await soundEnd;
  }
}

/** @param delivery with all stills of the scene, in any order */
export function renderingOf(
  scene: Scene,
  video: Uint8Array,
  { stills, findings }: Pick<Rendering, 'findings'> & Pick<Delivery, 'stills'>,
): Rendering {
  const { width, height, frameCount, output } = scene;
  const byName = new Map(stills.map((still) => [still.name, still]));
  return {
    video,
    format: output.format,
    stills: scene.stills.map(({ name }) => byName.get(name)!),
    findings,
    width,
    height,
    frameCount,
    durationSeconds: frameTimeSeconds(frameRateOf(scene.fps), frameCount),
  };
}

/** The scene's sound; what makes it is large, and loaded only where there is any. @throws as `makeSound` */
export async function soundOf(scene: Scene, codec: AudioCodec, signal?: AbortSignal): Promise<AudioTrack | null> {
  if (scene.sounds.length === 0) return null;
  const { makeSound } = await import('./media/make-sound.ts');
  return makeSound(scene, codec, signal);
}
