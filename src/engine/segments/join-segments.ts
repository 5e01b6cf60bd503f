import type { Scene } from '../../template/scene.ts';
import { frameRateOf, frameTimeSeconds } from '../frame-rate.ts';
import type { EncodedTrack } from '../h264/encoder.ts';
import { muxMp4 } from '../h264/mux-mp4.ts';
import type { RenderedStill } from '../raster/raster-protocol.ts';
import type { Rendering } from '../rendering.ts';
import { SceneError } from '../scene-error.ts';
import type { TextFinding } from '../text/text-findings.ts';
import type { RenderedSegment } from './render-segments.ts';
import type { RenderedSound } from './render-sound.ts';
import { segmentRanges } from './segment-ranges.ts';

/** What the file of a scene says beside its segments. */
export type JoinedScene = Pick<Scene, 'output' | 'width' | 'height' | 'fps' | 'frameCount' | 'stills'>;

/**
 * Joins all segments of a video, in any order, without encoding anything again: each starts with a key frame and refers to
 * nothing before it.
 *
 * @throws SceneError encode_failed when segments are missing, there twice, or were encoded with other settings
 */
export async function joinSegments(
  scene: JoinedScene,
  segments: readonly RenderedSegment[],
  sound: RenderedSound,
): Promise<Rendering> {
  const { width, height, fps, frameCount, output } = scene;
  const ordered = [...segments].sort((one, other) => one.first - other.first);
  const track = joinTracks(scene, ordered);
  const video = await muxMp4(track, { sound: sound.track, fingerprint: output.fingerprint, codec: output.codec });
  return {
    ...{ video, format: output.format, width, height, frameCount },
    stills: namedStills(scene, ordered),
    findings: [...distinct(ordered.flatMap(({ findings }) => findings)), ...sound.findings],
    durationSeconds: frameTimeSeconds(frameRateOf(fps), frameCount),
  };
}

function joinTracks(scene: JoinedScene, ordered: readonly RenderedSegment[]): EncodedTrack {
  const ranges = segmentRanges(scene);
  const [head] = ordered;
  const isWhole =
    ranges.length === ordered.length &&
    ranges.every(({ first, end }, at) => {
      return ordered[at]!.first === first && ordered[at]!.end === end;
    });
  if (head === undefined || !isWhole) {
    const given = ordered.map(({ first, end }) => `${first} to ${end - 1}`).join(', ');
    throw new SceneError(
      'encode_failed',
      `The video has ${ranges.length} segments; those of these frames came: ${given}`,
    );
  }
  const { configuration } = head;
  for (const { first, end, packets, ...own } of ordered) {
    // The decoder reads the parameter sets once, for all segments.
    const isAlike = Buffer.compare(own.configuration, configuration) === 0 && packets[0]?.isKey === true;
    if (!isAlike || packets.length !== end - first) {
      throw new SceneError('encode_failed', `The segment from frame ${first} on was encoded with other settings`);
    }
  }
  const packets = ordered.flatMap(({ first, packets: own }) =>
    own.map(({ bytes, frame, isKey }) => ({ bytes, frame: first + frame, isKey })),
  );
  return { format: { width: scene.width, height: scene.height, rate: frameRateOf(scene.fps) }, configuration, packets };
}

function namedStills({ stills, width, height }: JoinedScene, segments: readonly RenderedSegment[]): RenderedStill[] {
  const byFrame = new Map(segments.flatMap((segment) => segment.stills.map(({ frame, bytes }) => [frame, bytes])));
  return stills.map(({ name, frame }) => {
    const bytes = byFrame.get(frame);
    if (bytes === undefined) throw new SceneError('encode_failed', `The still ${name} at frame ${frame} is missing`);
    return { name, bytes, width, height };
  });
}

/** A text is noticed in every segment that shows it. */
function distinct(findings: readonly TextFinding[]): TextFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
