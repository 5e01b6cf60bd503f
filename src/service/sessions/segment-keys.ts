import { checkInput } from '../../engine/check-input.ts';
import type { AudioCodec } from '../../engine/codec/encoded-track.ts';
import type { FrameRange } from '../../engine/frame-rate.ts';
import { type AnyRenderInput, unpackRenderInput } from '../../engine/packed-input.ts';
import { segmentKeysOf } from '../../engine/segments/drawings.ts';
import { segmentRanges, soundKey } from '../../engine/segments/segment.ts';
import { canonicalJson, type Sha256, sha256 } from '../../kernel/digest.ts';
import type { InputFile, RenderOutput } from '../../template/render-input.ts';

/** A request for keys. Plain data, so that another process can compute them. */
export interface KeyRequest {
  readonly renderInput: AnyRenderInput;
  /** Outputs that share the input's drawing. */
  readonly outputs: readonly RenderOutput[];
  readonly ranges: readonly FrameRange[];
  /** Null if the key of the sound is not needed. */
  readonly codec: AudioCodec | null;
  readonly build: string;
}

/** Keys of an input's segments and sound; null for those that are not cached. */
export interface CacheKeys {
  /** For each range in order, the keys of all outputs. */
  readonly segments: readonly (readonly (Sha256 | null)[])[];
  readonly sound: Sha256 | null;
}

/** Computes the keys under which segments and sound of an input are cached. @throws RenderError for an invalid input */
export function cacheKeys(request: KeyRequest): CacheKeys {
  const { renderInput, ranges, codec, build } = request;
  return {
    segments: ranges.length === 0 ? [] : keysOfRanges(request),
    sound: codec === null ? null : soundKey(renderInput, codec, build),
  };
}

/** Returns the keys of a video's segments in order; empty unless it is an MP4 or MOV. */
export function segmentKeys(renderInput: AnyRenderInput, build: string): readonly (Sha256 | null)[] {
  return cacheKeys({
    renderInput,
    outputs: [renderInput.output],
    ranges: segmentRanges(renderInput),
    codec: null,
    build,
  }).segments.flat();
}

/**
 * Computes the key of a file without segments from the fingerprint of its input.
 *
 * @returns null for a file without a fingerprint
 */
export function fileKey({ output: { format, fingerprint }, stills }: InputFile, build: string): Sha256 | null {
  if (fingerprint === null) return null;
  return sha256(canonicalJson({ build, format, fingerprint, stills: stills.map((still) => ({ ...still })) }));
}

function keysOfRanges({ renderInput: packed, outputs, ranges, build }: KeyRequest): (Sha256 | null)[][] {
  // Segments contain no sound.
  const renderInput = { ...unpackRenderInput(packed), sounds: [] };
  checkInput(renderInput);
  return ranges.map(segmentKeysOf(renderInput, outputs, build));
}
