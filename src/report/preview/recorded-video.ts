import { plainScene } from '../../contract/video-spec.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { Video, VideoResource } from '../../reconciler/definition/video.ts';
import { parseInputName } from '../../reconciler/lock/input-names.ts';
import type { LockEntry } from '../../reconciler/lock/lock.ts';
import { currentNames } from '../../reconciler/lock/recorded-inputs.ts';
import { type DesiredVideo, styleVersionOf } from '../../reconciler/plan/desired-video.ts';

interface RecordedVideoInputs {
  readonly entry: LockEntry;
  /** The desired inputs in the notation of the lockfile, not shortened. */
  readonly desired: Pick<DesiredVideo, 'inputs' | 'scenes' | 'styleVersions'>;
  readonly video: Video;
  readonly spec: Pick<StyleVersion, 'editables'>;
  /** Path of a repository file with these bytes; null if there is none. */
  fileOf(digest: Sha256): string | null;
}

/**
 * Reconstructs a video from its lock entry. Possible only if the template version is unchanged, texts were stored verbatim,
 * and the files still exist somewhere in the repository.
 *
 * @returns null if the video cannot be reconstructed
 */
export function recordedVideo({ entry, desired, video, spec, fileOf }: RecordedVideoInputs): Video | null {
  // The placement of scenes is recorded in a form that cannot be parsed back.
  if (entry.scenes !== undefined || plainScene(video) === null) return null;
  if (entry.style_version !== styleVersionOf(desired)) return null;
  const [scene] = video.scenes;
  const resources = new Map<string, VideoResource>();
  const recorded = currentNames(entry.inputs, video);
  for (const [input, value] of recorded) {
    const { kind, name } = parseInputName(input);
    const editable = kind === 'editable' ? name : undefined;
    if (value === desired.inputs[input]) {
      const same = editable === undefined ? undefined : scene!.resources.get(editable);
      if (same !== undefined) resources.set(name, same);
      continue;
    }
    const inputType = editable === undefined ? undefined : spec.editables[editable]?.input_type;
    const resource = resourceOf(value, inputType, fileOf);
    if (resource === null) return null;
    resources.set(name, resource);
  }
  // The lockfile does not record what a new sound, font or output replaced.
  const isAdded = (input: string): boolean => parseInputName(input).kind !== 'editable' && !recorded.has(input);
  if (Object.keys(desired.inputs).some(isAdded)) return null;
  return { ...video, scenes: [{ ...scene!, resources }] };
}

function resourceOf(
  value: string,
  kind: string | undefined,
  fileOf: RecordedVideoInputs['fileOf'],
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
      // Changed sounds, fonts and outputs are stored in a form that cannot be parsed back.
      return null;
  }
}
