import type { Scene, SceneOutput } from '../template/scene.ts';
import { checkScene } from './check-scene.ts';
import { frameRateOf, frameTimeSeconds } from './frame-rate.ts';
import { withPngComment } from './images/png-file.ts';
import { distinctForms, pixelsOf } from './pixel-format.ts';
import type { RenderResult, RenderSceneOptions } from './render-result.ts';
import { joinSegments, renderSegments } from './render-segments.ts';
import { renderPicture } from './render-stills.ts';
import { type RenderedSound, renderSound } from './scene-media.ts';
import { hasSegments, segmentRanges } from './segments/segment.ts';
import { supplyFrames } from './threads/supply-frames.ts';
import { audioCodecOf, type FrameWriter } from './writers/frame-writer.ts';
import { openWriter } from './writers/open-writer.ts';

/**
 * Renders a scene: a worker thread draws and converts frames while this thread encodes them. Memory use does not depend on the
 * length. The same scene gives the same frames everywhere, and the same bytes if the encoder guarantees it.
 *
 * @throws SceneError if this scene cannot be rendered
 * @throws ReelformError encoder_missing
 * @throws the signal's reason, promptly, if it is aborted
 */
export async function renderScene(scene: Scene, options: RenderSceneOptions = {}): Promise<RenderResult> {
  const [result] = await renderOutputs(scene, [scene.output], options);
  return result!;
}

/**
 * Renders several files of a scene while drawing each frame once. The bytes equal those of `renderScene` for each output.
 *
 * @param outputs with the same `drawingKey`; more than one only for formats written frame by frame
 * @returns in the order of the outputs
 * @throws as `renderScene`
 */
export async function renderOutputs(
  scene: Scene,
  outputs: readonly SceneOutput[],
  options: RenderSceneOptions = {},
): Promise<RenderResult[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  // `renderSegments` checks the scene itself.
  if (!hasSegments(scene.output.format)) checkScene(scene);
  // Sound and frames are rendered in parallel; the first failure ends both.
  const ending = new AbortController();
  const either = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  const endBoth = (error: unknown): never => {
    ending.abort(error);
    throw error;
  };
  const sounds = outputs.map((output) =>
    renderSound({ ...scene, output }, audioCodecOf(output.format), either).catch(endBoth),
  );
  const limited = { ...options, signal: either };
  const rendering = (
    hasSegments(scene.output.format)
      ? renderAndJoin(scene, sounds[0]!, limited).then((result) => [result])
      : renderFrames(scene, outputs, sounds, limited)
  ).catch(endBoth);
  await Promise.allSettled([...sounds, rendering]);
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

/** Renders formats that are written frame by frame, or a PNG. */
async function renderFrames(
  scene: Scene,
  outputs: readonly SceneOutput[],
  sounds: readonly Promise<RenderedSound>[],
  { signal, onProgress }: RenderSceneOptions,
): Promise<RenderResult[]> {
  const { width, height, fps, frameCount } = scene;
  if (scene.output.format === 'png') {
    // Awaited first, so that unreadable media fail before anything is drawn.
    const ofMedia = (await sounds[0]!).findings;
    const { picture, stills, findings } = await renderPicture(scene, { signal, onProgress });
    const rest = { stills, findings: [...findings, ...ofMedia] };
    return outputs.map(({ format, fingerprint }) => ({
      ...{ video: withPngComment(picture, fingerprint), format, ...rest, width, height },
      ...{ frameCount: 1, durationSeconds: 0 },
    }));
  }
  const rate = frameRateOf(fps);
  const supply = supplyFrames(scene, [{ first: 0, end: frameCount }], signal, distinctForms(outputs));
  const writers: FrameWriter[] = [];
  try {
    for (const [at, output] of outputs.entries()) {
      const track = sounds[at]!.then((rendered) => rendered.track);
      track.catch(() => undefined);
      writers.push(await openWriter({ format: { width, height, rate }, frameCount, output, sound: track }));
    }
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await Promise.all(writers.map((writer, at) => writer.write(pixels[pixelsOf(outputs[at]!)], frame)));
      signal?.throwIfAborted();
      onProgress?.(frame + 1, frameCount);
    });
    const byName = new Map(stills.map((still) => [still.name, still]));
    const results: RenderResult[] = [];
    for (const [at, writer] of writers.entries()) {
      results.push({
        ...{ video: await writer.finish(), format: outputs[at]!.format, width, height, frameCount },
        stills: scene.stills.map(({ name }) => byName.get(name)!),
        findings: [...findings, ...(await sounds[at]!).findings],
        durationSeconds: frameTimeSeconds(rate, frameCount),
      });
    }
    return results;
  } finally {
    for (const writer of writers) writer.close();
    await supply.close();
  }
}
