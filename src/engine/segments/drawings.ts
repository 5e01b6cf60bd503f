import type { Sha256 } from '../../kernel/digest.ts';
import type { InputImage, RenderInput, RenderOutput, VideoInput } from '../../template/render-input.ts';
import { captionsOfRange, withCaptions } from '../captions/captions-of-range.ts';
import type { FrameRange } from '../frame-rate.ts';
import { type DrawnInput, isComposed } from '../scenes/drawn-input.ts';
import { captionSpans } from './caption-spans.ts';
import { type DrawnSpan, spanCutters } from './scene-cutters.ts';
import { joinedKey, MAX_SHARED_SEGMENTS, segmentKey } from './segment.ts';
import { inputCutter } from './segment-input.ts';

/** Frames of a video that are drawn from the same input. */
export interface SegmentDrawing {
  /** The input restricted to all of the ranges. */
  readonly renderInput: DrawnInput;
  /** Frames of the video, in ascending order: segments, or parts of them. */
  readonly ranges: readonly FrameRange[];
  readonly span: DrawnSpan;
}

/** Maximum bytes of decoded images in a drawing of several segments. */
export const MAX_SHARED_IMAGE_BYTES = 64 * 2 ** 20;

/** Returns the spans of a checked video in order. */
export function drawnSpans(video: VideoInput): DrawnSpan[] {
  const { captionLayers } = video;
  const spans = designedSpans(video);
  return captionLayers === undefined ? spans : spans.flatMap((span) => captionSpans(span, { ...video, captionLayers }));
}

/** Returns whether a video is drawn from a single input, which is the video itself. */
export function isDrawnWhole(video: VideoInput): video is RenderInput {
  return !('scenes' in video) && video.captionLayers === undefined;
}

/** Returns the spans without the captions that texts show. */
function designedSpans(video: VideoInput): DrawnSpan[] {
  if ('scenes' in video) return spanCutters(video);
  const { captions, fps, frameCount } = video;
  const cutInput = inputCutter(video);
  const cut: DrawnSpan['cut'] = (ranges) =>
    captions === undefined
      ? cutInput(ranges)
      : withCaptions(cutInput(ranges), captionsOfRange(captions, { ranges, start: 0, fps }));
  return [{ first: 0, end: frameCount, offset: 0, scene: null, names: [], cut }];
}

/**
 * Groups ranges into drawings, because opening an input and decoding its images takes as long as drawing several frames. The frames
 * do not depend on the grouping.
 *
 * @param video checked
 * @param ranges in ascending order
 */
export function* drawingsOf(video: VideoInput, ranges: readonly FrameRange[]): Generator<SegmentDrawing> {
  let drawing: SegmentDrawing | null = null;
  for (const part of partsOf(drawnSpans(video), ranges)) {
    const extended: SegmentDrawing | null = drawing === null ? null : extendedDrawing(drawing, part);
    if (drawing !== null && extended === null) yield drawing;
    drawing = extended ?? { renderInput: part.span.cut([part]), ranges: [rangeOf(part)], span: part.span };
  }
  if (drawing !== null) yield drawing;
}

/** Returns the drawings of all frames of a video: one for each span, which for one template without captions in its texts is drawn from its whole input. */
export function wholeDrawings(video: VideoInput): SegmentDrawing[] {
  return drawnSpans(video).map((span) => {
    const range = rangeOf(span);
    return { renderInput: isDrawnWhole(video) ? video : span.cut([range]), ranges: [range], span };
  });
}

/** Part of a range that lies in one span. */
interface SpanPart extends FrameRange {
  readonly span: DrawnSpan;
}

function partsOf(spans: readonly DrawnSpan[], ranges: readonly FrameRange[]): SpanPart[] {
  return ranges.flatMap((range) =>
    spans.flatMap((span) => {
      const part = { first: Math.max(range.first, span.first), end: Math.min(range.end, span.end), span };
      return part.first < part.end ? [part] : [];
    }),
  );
}

function rangeOf({ first, end }: FrameRange): FrameRange {
  return { first, end };
}

/** Returns a drawing with a further part; null if it would exceed the limits of a drawing. */
function extendedDrawing({ ranges, span }: SegmentDrawing, part: SpanPart): SegmentDrawing | null {
  if (span !== part.span || ranges.length === MAX_SHARED_SEGMENTS) return null;
  const allRanges = [...ranges, rangeOf(part)];
  const renderInput = span.cut(allRanges);
  const images = isComposed(renderInput) ? renderInput.scenes.flatMap((scene) => scene.images) : renderInput.images;
  return imageBytes(images) <= MAX_SHARED_IMAGE_BYTES ? { renderInput, ranges: allRanges, span } : null;
}

/** Returns the bytes of decoded images. */
export function imageBytes(images: readonly Pick<InputImage, 'width' | 'height'>[]): number {
  return images.reduce((sum, { width, height }) => sum + width * height * 4, 0);
}

/**
 * Returns a function that computes the keys of a segment, one for each output.
 *
 * @param video checked
 * @param build see `segmentKey`
 */
export function segmentKeysOf(
  video: VideoInput,
  outputs: readonly RenderOutput[],
  build: string,
): (range: FrameRange) => (Sha256 | null)[] {
  const spans = drawnSpans(video);
  return (range) => {
    const parts = partsOf(spans, [range]).map(({ first, end, span }) => ({
      input: span.cut([{ first, end }]),
      frames: { first: first - span.offset, end: end - span.offset },
    }));
    return outputs.map((output) =>
      joinedKey(parts.map(({ input, frames }) => segmentKey({ ...input, output }, frames, build))),
    );
  };
}
