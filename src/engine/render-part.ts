import type { Scene } from '../template/scene.ts';
import type { AudioTrack } from './audio-track.ts';
import { checkScene } from './check-scene.ts';
import { frameRateOf } from './frame-rate.ts';
import type { VideoPacket } from './h264/encoder.ts';
import { joinTracks } from './h264/join-tracks.ts';
import { muxMp4 } from './h264/mux-mp4.ts';
import { encoderOf, SOFTWARE } from './h264/open-encoder.ts';
import { SegmentedEncoder } from './h264/segmented-encoder.ts';
import type { RenderedStill } from './raster/raster-protocol.ts';
import { supplyFrames } from './raster/supply-frames.ts';
import { type Rendering, type RenderSceneOptions, renderingOf, soundOf } from './render-scene.ts';
import { SceneError } from './scene-error.ts';
import { mediaFindings } from './scene-finding.ts';
import { type FrameRange, segmentsOf } from './segments.ts';
import type { TextFinding } from './text/text-finding.ts';

/** Some segments of a scene in a row: `first` up to, but without, `end`. */
export interface SegmentRange {
  readonly first: number;
  readonly end: number;
}

/** Segments of a video that follow each other, encoded. Plain data, so that it can come from elsewhere. */
export interface RenderedPart extends SegmentRange {
  /** AVCDecoderConfigurationRecord; the same for all parts of a scene. */
  readonly configuration: Uint8Array;
  /** `frame`: from the start of the part. */
  readonly packets: readonly VideoPacket[];
  /** Those of its frames. */
  readonly stills: readonly RenderedStill[];
  /** Of all of the scene's texts. */
  readonly findings: readonly TextFinding[];
  /** All of the scene's, in the part that begins it; null in the others, and of a silent scene. */
  readonly sound: AudioTrack | null;
}

/** The segments of a scene; one whose format is not MP4 has none. */
export function sceneSegments({
  frameCount,
  fps,
  output,
}: Pick<Scene, 'frameCount' | 'fps'> & { readonly output: Pick<Scene['output'], 'format'> }): FrameRange[] {
  return output.format === 'mp4' ? segmentsOf({ frameCount, rate: frameRateOf(fps) }) : [];
}

/** The frames of some of a scene's segments. @throws RangeError when the scene does not have them */
export function framesOfSegments(segments: readonly FrameRange[], { first, end }: SegmentRange): FrameRange {
  const [head, last] = [segments[first], segments[end - 1]];
  if (head === undefined || last === undefined || end <= first) {
    throw new RangeError(`the scene has ${segments.length} segments, and not those from ${first} up to ${end}`);
  }
  return { first: head.first, end: last.end };
}

/**
 * Renders some segments of an MP4, which are drawn in one go. Parts that are all of a scene together, made by whomever in
 * whatever order with the same build, encoder and, for the embedded encoder, number of cores, make with `joinParts` the
 * very file of `renderScene`.
 *
 * @param options progress counts the part's own frames
 * @throws as `renderScene`
 */
export async function renderPart(
  scene: Scene,
  segments: SegmentRange,
  options: RenderSceneOptions = {},
): Promise<RenderedPart> {
  const { signal, encoder: openEncoder = encoderOf(SOFTWARE), onProgress } = options;
  const range = framesOfSegments(sceneSegments(scene), segments);
  signal?.throwIfAborted();
  checkScene(scene);
  // What it finds is told once, where parts are joined; what cannot be shown at all ends them here.
  await mediaFindings(scene);
  signal?.throwIfAborted();
  const { first, end } = range;
  const { width, height, fps, output } = scene;
  const supply = supplyFrames(scene, range, signal);
  // Made beside the frames, once and whole, so that it has no seam; who fails first ends the other.
  const ending = new AbortController();
  const making = segments.first === 0 ? soundOf(scene, 'aac', ending.signal) : null;
  let hasSoundFailed = false;
  const soundEnd = making?.catch(() => {
    hasSoundFailed = true;
  });
  const format = { width, height, rate: frameRateOf(fps) };
  const encoder = new SegmentedEncoder({ openEncoder, format, quality: output.quality });
  try {
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      await encoder.encode(pixels, frame - first);
      signal?.throwIfAborted();
      if (hasSoundFailed) await making;
      onProgress?.(frame - first + 1, end - first);
    });
    const { configuration, packets } = await encoder.finish();
    const sound = await making;
    signal?.throwIfAborted();
    return { first: segments.first, end: segments.end, configuration, packets, stills, findings, sound };
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    ending.abort();
    encoder.close();
    await supply.close();
    await soundEnd;
  }
}

/**
 * The video of its parts, in any order, with the sound that the first of them has.
 *
 * @throws SceneError encode_failed when segments are missing, there twice, or were encoded with other settings
 */
export async function joinParts(scene: Scene, parts: readonly RenderedPart[]): Promise<Rendering> {
  checkScene(scene);
  const ofMedia = await mediaFindings(scene);
  const { width, height, fps, output } = scene;
  const format = { width, height, rate: frameRateOf(fps) };
  const ordered = [...parts].sort((one, other) => one.first - other.first);
  const segments = sceneSegments(scene);
  const isWhole = ordered.every(({ first }, at) => first === (ordered[at - 1]?.end ?? 0));
  if (!isWhole || ordered.at(-1)?.end !== segments.length) {
    const told = ordered.map(({ first, end }) => `${first} to ${end - 1}`).join(', ');
    throw new SceneError('encode_failed', `The video has the segments 0 to ${segments.length - 1}; given were ${told}`);
  }
  const placed = ordered.map((part) => {
    const { first, end } = framesOfSegments(segments, part);
    const { configuration, packets } = part;
    if (packets.length !== end - first) {
      const told = `${packets.length} of ${end - first} frames`;
      throw new SceneError('encode_failed', `The part from segment ${part.first} on has ${told}`);
    }
    return { first, track: { format, configuration, packets } };
  });
  const { sound } = ordered[0]!;
  const video = await muxMp4(joinTracks(placed), { sound, fingerprint: output.fingerprint });
  const stills = ordered.flatMap((part) => part.stills);
  return renderingOf(scene, video, { stills, findings: [...ordered[0]!.findings, ...ofMedia] });
}
