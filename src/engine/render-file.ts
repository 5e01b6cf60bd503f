import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { defined } from '../kernel/defined.ts';
import { TemporaryFile } from '../kernel/temporary-file.ts';
import type { InputFile, RenderOutput, VideoInput } from '../template/render-input.ts';
import { checkInput } from './check-input.ts';
import { frameTimeSeconds } from './frame-rate.ts';
import { withPngComment } from './images/png-file.ts';
import { type RenderedSound, renderSound, soundMeasures } from './input-media.ts';
import { distinctPixelFormats, pixelsOf } from './pixel-format.ts';
import { renderPicture } from './render-picture.ts';
import { joinSegments, streamSegments } from './render-segments.ts';
import type { RenderedFile, RenderedStill, RenderFileOptions } from './rendered-file.ts';
import { nameScenes } from './scenes/name-scenes.ts';
import { type SegmentDrawing, wholeDrawings } from './segments/drawings.ts';
import { SegmentSpool } from './segments/rendered-segment.ts';
import { hasSegments, segmentRanges } from './segments/segment.ts';
import { distinctFindings, type TextFinding } from './text/text-findings.ts';
import { supplyDrawing } from './threads/supply-frames.ts';
import { audioCodecOf, type FrameWriter } from './writers/frame-writer.ts';
import { openWriter } from './writers/open-writer.ts';

/**
 * Renders an input: a worker thread draws and converts frames while this thread encodes them. Memory use does not depend on the
 * length. The same input gives the same frames everywhere, and the same bytes if the encoder guarantees it.
 *
 * @throws RenderError if this input cannot be rendered
 * @throws ReelformError encoder_missing
 * @throws the signal's reason, promptly, if it is aborted
 */
export async function renderFile(renderInput: VideoInput, options: RenderFileOptions = {}): Promise<RenderedFile> {
  const [result] = await renderOutputs(renderInput, [renderInput.output], options);
  return result!;
}

/**
 * Renders several files of an input while drawing each frame once. The bytes equal those of `renderFile` for each output.
 *
 * @param outputs with the same `drawingKey`; several only for formats written frame by frame
 * @returns in the order of the outputs
 * @throws as `renderFile`
 */
export async function renderOutputs(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  options: RenderFileOptions = {},
): Promise<RenderedFile[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  // `streamSegments` checks the input itself.
  if (!hasSegments(renderInput.output.format)) checkInput(renderInput);
  // Sound and frames are rendered in parallel; the first failure ends both.
  const ending = new AbortController();
  const stopSignal = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const endBoth = (error: unknown): never => {
    ending.abort(error);
    throw error;
  };
  const sounds = outputs.map((output) =>
    renderSound({ ...renderInput, output }, audioCodecOf(output.format), { signal: stopSignal }).catch(endBoth),
  );
  const rendering = renderFormat(renderInput, outputs, sounds, { ...options, signal: stopSignal }).catch(endBoth);
  const [finished] = await Promise.allSettled([rendering, ...sounds]);
  for (const sound of await Promise.allSettled(sounds)) {
    if (sound.status === 'fulfilled') sound.value.track?.packets.close();
  }
  if (stopSignal.aborted && finished.status === 'fulfilled') for (const { video } of finished.value) video.close();
  signal?.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return rendering;
}

async function renderFormat(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  sounds: readonly Promise<RenderedSound>[],
  options: RenderFileOptions,
): Promise<RenderedFile[]> {
  const { format } = renderInput.output;
  if (hasSegments(format)) {
    const spool = new SegmentSpool();
    try {
      const ranges = segmentRanges(renderInput);
      for await (const [segment] of streamSegments(renderInput, [renderInput.output], ranges, options)) {
        await spool.add(segment!);
      }
      return [await joinSegments(renderInput, spool, await sounds[0]!)];
    } finally {
      spool.close();
    }
  }
  if (format === 'png') return renderPngs(renderInput, outputs, sounds[0]!, options);
  return renderFrames(renderInput, outputs, sounds, options);
}

async function renderPngs(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  sound: Promise<RenderedSound>,
  { signal, onProgress }: RenderFileOptions,
): Promise<RenderedFile[]> {
  // Awaited first, so that unreadable media fail before anything is drawn.
  const { findings: mediaFindings } = await sound;
  const { picture, stills, findings } = await renderPicture(renderInput, { signal, onProgress });
  const files = outputs.map(async ({ format, fingerprint }) => ({
    video: await TemporaryFile.of(withPngComment(picture, fingerprint)),
    format,
    stills,
    findings: [...findings, ...mediaFindings],
    width: renderInput.width,
    height: renderInput.height,
    frameCount: 1,
    durationSeconds: 0,
  }));
  return Promise.all(files);
}

/** Renders formats that are written frame by frame. */
async function renderFrames(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  sounds: readonly Promise<RenderedSound>[],
  { signal, onProgress }: RenderFileOptions,
): Promise<RenderedFile[]> {
  const { width, height, fps, frameCount, timeline, captionTrack: captions }: InputFile = renderInput;
  const rate = frameRateOf(fps);
  const drawings = wholeDrawings(renderInput);
  const supplyOf = (drawing: SegmentDrawing) => supplyDrawing(drawing, signal, distinctPixelFormats(outputs));
  // The thread opens its first input while the writers open.
  let supply = supplyOf(drawings[0]!);
  const writers: FrameWriter[] = [];
  try {
    for (const [at, output] of outputs.entries()) {
      const track = sounds[at]!.then((rendered) => rendered.track);
      // `renderOutputs` reports the failure of a sound, also if no writer has awaited it yet.
      track.catch(() => undefined);
      writers.push(await openWriter({ format: { width, height, rate }, frameCount, output, sound: track, captions }));
    }
    const stills: RenderedStill[] = [];
    const found: TextFinding[] = [];
    for (const [at, drawing] of drawings.entries()) {
      if (at > 0) {
        await supply.close();
        supply = supplyOf(drawing);
      }
      const drawn = await supply.deliver(async (pixels, frame) => {
        await Promise.all(writers.map((writer, index) => writer.write(pixels[pixelsOf(outputs[index]!)], frame)));
        signal?.throwIfAborted();
        onProgress?.(frame + 1, frameCount);
      });
      stills.push(...drawn.stills);
      found.push(...nameScenes(drawn.findings, timeline, drawing.span.scene));
    }
    const findings = distinctFindings(found);
    const byName = new Map(stills.map((still) => [still.name, still]));
    const results: RenderedFile[] = [];
    for (const [at, writer] of writers.entries()) {
      const video = await writer.finish();
      const sound = await sounds[at]!;
      results.push({
        video,
        format: outputs[at]!.format,
        width,
        height,
        frameCount,
        stills: renderInput.stills.map(({ name }) => byName.get(name)!),
        findings: [...findings, ...sound.findings],
        durationSeconds: frameTimeSeconds(rate, frameCount),
        ...defined({ loudness: soundMeasures(sound.track?.loudness) }),
      });
    }
    return results;
  } finally {
    for (const writer of writers) writer.close();
    await supply.close();
  }
}
