import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { frameRateOf } from '../frame-rate.ts';
import type { Encoder, EncoderFactory, VideoPacket } from '../h264/encoder.ts';
import { encoderOf, SOFTWARE } from '../h264/open-encoder.ts';
import { supplyFrames } from '../raster/supply-frames.ts';
import type { RenderSceneOptions } from '../rendering.ts';
import type { TextFinding } from '../text/text-findings.ts';
import type { FrameRange } from './segment-ranges.ts';
import { sceneCutter } from './segment-scene.ts';

/** One segment of a video, encoded on its own. Plain data, so that it can come from another process or a cache. */
export interface RenderedSegment extends FrameRange {
  /** AVCDecoderConfigurationRecord; the same for all segments of a video. */
  readonly configuration: Uint8Array;
  /** `frame`: from the start of the segment. */
  readonly packets: readonly VideoPacket[];
  /** JPEG of each frame of the segment that is kept as a still. */
  readonly stills: readonly SegmentStill[];
  /** What a viewer would notice of the texts in the segment. */
  readonly findings: readonly TextFinding[];
}

export interface SegmentStill {
  /** Index in the video. */
  readonly frame: number;
  readonly bytes: Uint8Array;
}

/**
 * Renders segments of an MP4 one after the other, each drawn from the scene restricted to its frames and by an encoder of
 * its own. The same segment gives the same bytes wherever and beside whichever others it is rendered.
 *
 * @param ranges some of `segmentRanges`
 * @param options progress counts the frames of all ranges
 * @throws SceneError, ReelformError as `renderScene`; the signal's reason, promptly
 */
export async function renderSegments(
  scene: Scene,
  ranges: readonly FrameRange[],
  { signal, encoder = encoderOf(SOFTWARE), onProgress }: RenderSceneOptions = {},
): Promise<RenderedSegment[]> {
  signal?.throwIfAborted();
  checkScene(scene);
  const cut = sceneCutter(scene);
  const frameCount = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  const segments: RenderedSegment[] = [];
  let done = 0;
  for (const range of ranges) {
    const onFrame = (): void => onProgress?.(++done, frameCount);
    segments.push(await renderSegment(cut(range), range, { openEncoder: encoder, signal, onFrame }));
  }
  return segments;
}

interface SegmentOptions {
  readonly openEncoder: EncoderFactory;
  readonly signal: AbortSignal | undefined;
  onFrame(): void;
}

async function renderSegment(
  scene: Scene,
  { first, end }: FrameRange,
  { openEncoder, signal, onFrame }: SegmentOptions,
): Promise<RenderedSegment> {
  const { width, height, fps, output } = scene;
  const supply = supplyFrames(scene, { first, end }, signal);
  let encoder: Encoder | undefined;
  try {
    const opened = await openEncoder({ width, height, rate: frameRateOf(fps) }, output.quality, output.codec);
    encoder = opened;
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await opened.encode(pixels, frame - first);
      signal?.throwIfAborted();
      onFrame();
    });
    const { configuration, packets } = await opened.finish();
    signal?.throwIfAborted();
    const bytesOf = new Map(stills.map(({ name, bytes }) => [name, bytes]));
    const frames = new Map(scene.stills.map(({ name, frame }) => [frame, bytesOf.get(name)!]));
    return {
      ...{ first, end, configuration, packets, findings },
      stills: [...frames].map(([frame, bytes]) => ({ frame, bytes })),
    };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    encoder?.close();
    await supply.close();
  }
}
