import type { Scene } from '../template/scene.ts';
import { checkScene } from './check-scene.ts';
import { frameRateOf, frameTimeSeconds } from './frame-rate.ts';
import { supplyFrames } from './raster/supply-frames.ts';
import type { RenderResult, RenderSceneOptions } from './render-result.ts';
import { type RenderedSound, renderSound } from './scene-media.ts';
import { joinSegments, renderSegments } from './segments/render-segments.ts';
import { hasSegments, segmentRanges } from './segments/segment.ts';
import { renderPicture } from './stills/render-stills.ts';
import { audioCodecOf, type FrameWriter } from './writers/frame-writer.ts';
import { openWriter } from './writers/open-writer.ts';

/**
 * Renders a scene: a worker thread draws and converts frames while this thread feeds the encoder. Memory stays flat whatever
 * the length. The same scene gives the same frames everywhere, and the same bytes as far as the encoder promises it.
 *
 * @throws SceneError when this scene cannot be rendered
 * @throws ReelformError encoder_missing
 * @throws the signal's reason, promptly, when it is aborted
 */
export async function renderScene(scene: Scene, options: RenderSceneOptions = {}): Promise<RenderResult> {
  const { signal } = options;
  signal?.throwIfAborted();
  // `renderSegments` is a task of its own and checks the scene itself.
  if (!hasSegments(scene.output.format)) checkScene(scene);
  // Sound and frames are rendered in parallel; the first failure ends both.
  const ending = new AbortController();
  const either = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  const endBoth = (error: unknown): never => {
    ending.abort(error);
    throw error;
  };
  const sound = renderSound(scene, audioCodecOf(scene.output.format), either).catch(endBoth);
  const render = hasSegments(scene.output.format) ? renderAndJoin : renderFrames;
  const rendering = render(scene, sound, { ...options, signal: either }).catch(endBoth);
  await Promise.allSettled([sound, rendering]);
  signal?.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return rendering;
}

async function renderAndJoin(
  scene: Scene,
  sound: Promise<RenderedSound>,
  options: RenderSceneOptions,
): Promise<RenderResult> {
  const segments = await renderSegments(scene, segmentRanges(scene), options);
  return joinSegments(scene, segments, await sound);
}

/** A format that is written frame by frame, or a picture. */
async function renderFrames(
  scene: Scene,
  sound: Promise<RenderedSound>,
  { signal, onProgress }: RenderSceneOptions,
): Promise<RenderResult> {
  const { width, height, fps, frameCount, output } = scene;
  const { format } = output;
  if (format === 'png') {
    // Media that cannot be shown end this before anything is drawn.
    const ofMedia = (await sound).findings;
    const { picture, stills, findings } = await renderPicture(scene, { signal, onProgress });
    const rest = { stills, findings: [...findings, ...ofMedia] };
    return { video: picture, format, ...rest, width, height, frameCount: 1, durationSeconds: 0 };
  }
  const rate = frameRateOf(fps);
  const supply = supplyFrames(scene, { first: 0, end: frameCount }, signal);
  let writer: FrameWriter | undefined;
  try {
    const track = sound.then((rendered) => rendered.track);
    track.catch(() => undefined);
    const opened = await openWriter({ format: { width, height, rate }, frameCount, output, sound: track });
    writer = opened;
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await opened.write(pixels, frame);
      signal?.throwIfAborted();
      onProgress?.(frame + 1, frameCount);
    });
    const video = await writer.finish();
    const byName = new Map(stills.map((still) => [still.name, still]));
    return {
      ...{ video, format, width, height, frameCount },
      stills: scene.stills.map(({ name }) => byName.get(name)!),
      findings: [...findings, ...(await sound).findings],
      durationSeconds: frameTimeSeconds(rate, frameCount),
    };
  } finally {
    writer?.close();
    await supply.close();
  }
}
