import type { FrameRange } from '../../src/engine/frame-rate.ts';
import type { RenderedSound } from '../../src/engine/input-media.ts';
import * as files from '../../src/engine/render-file.ts';
import * as segments from '../../src/engine/render-segments.ts';
import { type InMemoryFile, intoMemory, type RenderFileOptions } from '../../src/engine/rendered-file.ts';
import { type RenderedSegment, SegmentSpool } from '../../src/engine/segments/rendered-segment.ts';
import { TemporaryFile } from '../../src/kernel/temporary-file.ts';
import type { InputFile, VideoInput } from '../../src/template/render-input.ts';

// The engine's results with their bytes.

export async function renderFile(renderInput: VideoInput, options?: RenderFileOptions): Promise<InMemoryFile> {
  return intoMemory(await files.renderFile(renderInput, options));
}

/** Renders segments for the output of an input. */
export async function renderSegments(
  renderInput: VideoInput,
  ranges: readonly FrameRange[],
  options?: RenderFileOptions,
): Promise<RenderedSegment[]> {
  const rendered = await segments.renderSegments(renderInput, [renderInput.output], ranges, options);
  return rendered.map(([segment]) => segment!);
}

export async function joinSegments(
  renderInput: InputFile,
  rendered: readonly RenderedSegment[],
  sound: RenderedSound,
): Promise<InMemoryFile> {
  const spool = new SegmentSpool();
  try {
    for (const segment of rendered) await spool.add(segment);
    return await intoMemory(await segments.joinSegments(renderInput, spool, sound));
  } finally {
    spool.close();
  }
}

/** Reads files that a test does not need any longer. */
export async function bytesOf(file: TemporaryFile): Promise<Uint8Array> {
  const bytes = await file.bytes();
  file.close();
  return bytes;
}

/** A finished MP4 whose bytes are the text `video`, with changes. */
export async function renderedFile({ video = Buffer.from('video'), ...changes }: Partial<InMemoryFile> = {}) {
  return {
    format: 'mp4' as const,
    video: await TemporaryFile.of(video),
    stills: [],
    findings: [],
    width: 64,
    height: 36,
    frameCount: 10,
    durationSeconds: 1,
    ...changes,
  };
}
