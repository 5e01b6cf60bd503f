import { checkScene } from '../../engine/check-scene.ts';
import type { AudioCodec } from '../../engine/codec/encoded-track.ts';
import { type AnyScene, unpackScene } from '../../engine/packed-scene.ts';
import { type FrameRange, segmentKey, segmentRanges, soundKey } from '../../engine/segments/segment.ts';
import { sceneCutter } from '../../engine/segments/segment-scene.ts';
import { canonicalJson, type Sha256, sha256 } from '../../kernel/digest.ts';
import type { SceneFile, SceneOutput } from '../../template/scene.ts';

/** A request for keys. Plain data, so that another process can compute them. */
export interface KeyRequest {
  readonly scene: AnyScene;
  /** Outputs that share the scene's drawing. */
  readonly outputs: readonly SceneOutput[];
  readonly ranges: readonly FrameRange[];
  /** Null if the key of the sound is not needed. */
  readonly codec: AudioCodec | null;
  readonly build: string;
}

/** Keys of a scene's segments and sound; null for those that are not cached. */
export interface CacheKeys {
  /** For each range in order, the keys of all outputs. */
  readonly segments: readonly (readonly (Sha256 | null)[])[];
  readonly sound: Sha256 | null;
}

/** Computes the keys under which segments and sound of a scene are cached. @throws SceneError for an invalid scene */
export function cacheKeys(request: KeyRequest): CacheKeys {
  const { scene, ranges, codec, build } = request;
  return {
    segments: ranges.length === 0 ? [] : keysOfRanges(request),
    sound: codec === null ? null : soundKey(scene, codec, build),
  };
}

/** Returns the keys of a video's segments in order; empty unless it is an MP4 or MOV. */
export function segmentKeys(scene: AnyScene, build: string): readonly (Sha256 | null)[] {
  return cacheKeys({
    scene,
    outputs: [scene.output],
    ranges: segmentRanges(scene),
    codec: null,
    build,
  }).segments.flat();
}

/**
 * Computes the key of a file without segments from the fingerprint of its scene.
 *
 * @returns null for a file without a fingerprint
 */
export function fileKey({ output: { format, fingerprint }, stills }: SceneFile, build: string): Sha256 | null {
  if (fingerprint === null) return null;
  return sha256(canonicalJson({ build, format, fingerprint, stills: stills.map((still) => ({ ...still })) }));
}

function keysOfRanges({ scene: packed, outputs, ranges, build }: KeyRequest): (Sha256 | null)[][] {
  // Segments contain no sound.
  const scene = { ...unpackScene(packed), sounds: [] };
  checkScene(scene);
  const cut = sceneCutter(scene);
  return ranges.map((range) => {
    const restricted = cut([range]);
    return outputs.map((output) => segmentKey({ ...restricted, output }, range, build));
  });
}
