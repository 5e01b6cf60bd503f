import type { Video, VideoResource } from '../definition/video.ts';
import type { Sha256 } from '../digest.ts';
import type { LockEntry } from '../lock/lock.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { StyleVersion } from '../wire/style-version.ts';

export interface FormerVideoInputs {
  readonly entry: LockEntry;
  /** What is wanted of it now, in the words of the lockfile and whole. */
  readonly desired: Pick<DesiredVideo, 'inputs' | 'styleVersion'>;
  readonly video: Video;
  readonly spec: Pick<StyleVersion, 'editables'>;
  /** A file of the repository with these bytes; null where there is none any more. */
  fileOf(digest: Sha256): string | null;
}

/**
 * A video as the lockfile remembers it, where that is whole: its template is the one of now, its texts were kept word for
 * word, and its files are still somewhere in the repository.
 *
 * @returns null where it is not
 */
export function formerVideo({ entry, desired, video, spec, fileOf }: FormerVideoInputs): Video | null {
  if (entry.style_version !== desired.styleVersion) return null;
  const resources = new Map<string, VideoResource>();
  for (const [key, value] of Object.entries(entry.inputs)) {
    if (value === desired.inputs[key]) {
      const same = video.resources.get(key);
      if (same !== undefined) resources.set(key, same);
      continue;
    }
    const resource = resourceOf(value, spec.editables[key]?.input_type, fileOf);
    if (resource === null) return null;
    resources.set(key, resource);
  }
  const isElse = (key: string): boolean => !video.resources.has(key) && !Object.hasOwn(entry.inputs, key);
  // Sounds, fonts and outputs that are new: what there was instead is not told.
  if (Object.keys(desired.inputs).some(isElse)) return null;
  return { ...video, resources };
}

function resourceOf(
  value: string,
  kind: string | undefined,
  fileOf: FormerVideoInputs['fileOf'],
): VideoResource | null {
  switch (kind) {
    case 'text':
      return /^sha256:[0-9a-f]{64}$/.test(value) ? null : { kind, text: value };
    case 'color':
      return { kind, color: value };
    case 'font':
      return { kind, font: value };
    case 'image':
    case 'video': {
      const [, digest] = /^sha256:([0-9a-f]{64})$/.exec(value) ?? [];
      const path = digest === undefined ? null : fileOf(digest as Sha256);
      return path === null ? null : { kind, source: { kind: 'file', path }, transform: { crop_strategy: 'cover' } };
    }
    default:
      // A sound of its own, another font, another output: their words are not read back.
      return null;
  }
}
