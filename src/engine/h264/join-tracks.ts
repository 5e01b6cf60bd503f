import { SceneError } from '../scene-error.ts';
import type { EncodedTrack } from './encoder.ts';

/** A track and where its frame 0 lies in the whole. */
export interface PlacedTrack {
  readonly first: number;
  readonly track: EncodedTrack;
}

/**
 * One track of the tracks of the segments in their order, without a byte encoded again: each starts with a key frame and
 * refers to nothing before it.
 *
 * @throws SceneError encode_failed when they were not made with the same settings
 */
export function joinTracks(parts: readonly PlacedTrack[]): EncodedTrack {
  const [head] = parts;
  if (head === undefined) throw new Error('Internal error: no segments to join');
  const { format, configuration } = head.track;
  for (const { first, track } of parts) {
    // The decoder is told the parameter sets once, for all segments.
    if (Buffer.compare(track.configuration, configuration) !== 0 || track.packets[0]?.isKey !== true) {
      throw new SceneError('encode_failed', `The segment from frame ${first} on was encoded with other settings`);
    }
  }
  const packets = parts.flatMap(({ first, track }) =>
    track.packets.map(({ bytes, frame, isKey }) => ({ bytes, frame: first + frame, isKey })),
  );
  return { format, configuration, packets };
}
