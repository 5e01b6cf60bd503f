import type { Scene } from '../template/scene.ts';
import { checkScene } from './check-scene.ts';
import { frameRateOf } from './frame-rate.ts';
import type { Encoder, VideoPacket } from './h264/encoder.ts';
import { joinTracks } from './h264/join-tracks.ts';
import { muxMp4 } from './h264/mux-mp4.ts';
import { openWebcodecsEncoder } from './h264/webcodecs-encoder.ts';
import type { RenderedStill } from './raster/raster-protocol.ts';
import { supplyFrames } from './raster/supply-frames.ts';
import { type Rendering, type RenderSceneOptions, renderingOf, soundOf } from './render-scene.ts';
import { SceneError } from './scene-error.ts';
import { type FrameRange, segmentsOf } from './segments.ts';
import type { TextFinding } from './text/text-finding.ts';

/** A part of a video, encoded and without sound. Plain data, so that it can come from another machine. */
export interface RenderedSegment {
  readonly index: number;
  /** AVCDecoderConfigurationRecord; the same for all segments of a scene. */
  readonly configuration: Uint8Array;
  /** `frame`: from the start of the segment. */
  readonly packets: readonly VideoPacket[];
  /** Those of its frames. */
  readonly stills: readonly RenderedStill[];
  /** Of all of the scene's texts. */
  readonly findings: readonly TextFinding[];
}

/** The segments of a scene; one whose format is not MP4 has none. */
export function sceneSegments({ frameCount, fps, output }: Scene): FrameRange[] {
  return output.format === 'mp4' ? segmentsOf({ frameCount, rate: frameRateOf(fps) }) : [];
}

/**
 * Renders one segment of an MP4. All of a scene's, made by whomever in whatever order with the same build, encoder and, for
 * the embedded encoder, number of cores, make with `joinSegments` the very file of `renderScene`.
 *
 * @param index in 0..sceneSegments(scene).length-1
 * @param options progress counts the segment's own frames
 * @throws as `renderScene`
 */
export async function renderSegment(
  scene: Scene,
  index: number,
  options: RenderSceneOptions = {},
): Promise<RenderedSegment> {
  const { signal, encoder: openEncoder = openWebcodecsEncoder, onProgress } = options;
  const range = sceneSegments(scene)[index];
  if (range === undefined) throw new RangeError(`the scene has no segment ${index}`);
  signal?.throwIfAborted();
  checkScene(scene);
  const { first, end } = range;
  const { width, height, fps, output } = scene;
  const supply = supplyFrames(scene, range, signal);
  let encoder: Encoder | undefined;
  try {
    const opened = await openEncoder({ width, height, rate: frameRateOf(fps) }, output.quality);
    encoder = opened;
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await opened.encode(pixels, frame - first);
      signal?.throwIfAborted();
      onProgress?.(frame - first + 1, end - first);
    });
    const { configuration, packets } = await opened.finish();
    signal?.throwIfAborted();
    return { index, configuration, packets, stills, findings };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    encoder?.close();
    await supply.close();
  }
}

/**
 * The video of its segments, in any order, with the scene's sound, which is made here.
 *
 * @throws SceneError encode_failed when one is missing, there twice, or was encoded with other settings
 */
export async function joinSegments(scene: Scene, segments: readonly RenderedSegment[]): Promise<Rendering> {
  checkScene(scene);
  const { width, height, fps, output } = scene;
  const format = { width, height, rate: frameRateOf(fps) };
  const ordered = [...segments].sort((one, other) => one.index - other.index);
  const ranges = sceneSegments(scene);
  if (ordered.length !== ranges.length || ordered.some(({ index }, at) => index !== at)) {
    const told = ordered.map(({ index }) => index).join(', ');
    throw new SceneError('encode_failed', `The video has the segments 0 to ${ranges.length - 1}; given were ${told}`);
  }
  const parts = ordered.map(({ configuration, packets }, index) => {
    const { first, end } = ranges[index]!;
    if (packets.length !== end - first) {
      throw new SceneError('encode_failed', `Segment ${index} has ${packets.length} of ${end - first} frames`);
    }
    return { first, track: { format, configuration, packets } };
  });
  const sound = await soundOf(scene, 'aac');
  const video = await muxMp4(joinTracks(parts), { sound, fingerprint: output.fingerprint });
  const stills = ordered.flatMap((segment) => segment.stills);
  return renderingOf(scene, video, { stills, findings: ordered[0]!.findings });
}
