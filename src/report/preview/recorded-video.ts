import { plainScene } from '../../contract/video-spec.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { Video, VideoResource } from '../../reconciler/definition/video.ts';
import { parseInputName } from '../../reconciler/lock/input-names.ts';
import type { LockEntry } from '../../reconciler/lock/lock.ts';
import { currentNames, scenesOfInputs } from '../../reconciler/lock/recorded-inputs.ts';
import { joinInputs } from '../../reconciler/lock/scene-inputs.ts';
import { type DesiredVideo, styleVersionOf } from '../../reconciler/plan/desired-video.ts';

interface RecordedVideoInputs {
  readonly entry: LockEntry;
  /** The desired inputs in the notation of the lockfile, not shortened. */
  readonly desired: Pick<DesiredVideo, 'inputs' | 'scenes' | 'styleVersions' | 'size' | 'rate' | 'duration'>;
  readonly video: Video;
  /** Returns the specification of a template of the video. */
  specOf(template: string): Pick<StyleVersion, 'editables'>;
  /** Path of a repository file with these bytes; null if there is none. */
  fileOf(digest: Sha256): string | null;
}

/**
 * Reconstructs a video from its lock entry. Possible only if the scenes, their placement and the versions of their templates are
 * unchanged, texts were stored verbatim, and the files still exist somewhere in the repository.
 *
 * @returns null if the video cannot be reconstructed
 */
export function recordedVideo({ entry, desired, video, specOf, fileOf }: RecordedVideoInputs): Video | null {
  if (!hasSameScenes(entry, desired)) return null;
  const ids = scenesOfInputs(video);
  const resources = new Map(video.scenes.map(({ id }) => [id, new Map<string, VideoResource>()]));
  const recorded = currentNames(joinInputs(entry, desired), video);
  const wanted = desired.inputs();
  for (const [input, value] of recorded) {
    const { kind, name, scene: id = video.scenes[0]!.id } = parseInputName(input, ids);
    const scene = video.scenes.find((candidate) => candidate.id === id)!;
    const editable = kind === 'editable' ? name : undefined;
    if (value === wanted[input]) {
      const same = editable === undefined ? undefined : scene.resources.get(editable);
      if (same !== undefined) resources.get(id)!.set(name, same);
      continue;
    }
    const inputType = editable === undefined ? undefined : specOf(scene.template).editables[editable]?.input_type;
    const resource = resourceOf(value, inputType, fileOf);
    if (resource === null) return null;
    resources.get(id)!.set(name, resource);
  }
  // The lockfile does not record what a new sound, font, output or placement replaced.
  const isAdded = (input: string): boolean => parseInputName(input, ids).kind !== 'editable' && !recorded.has(input);
  if (Object.keys(wanted).some(isAdded)) return null;
  return { ...video, scenes: video.scenes.map((scene) => ({ ...scene, resources: resources.get(scene.id)! })) };
}

function hasSameScenes(entry: LockEntry, desired: RecordedVideoInputs['desired']): boolean {
  const { scenes, styleVersions } = desired;
  const isPlain = plainScene(desired) !== null;
  if (entry.scenes === undefined) return isPlain && entry.style_version === styleVersionOf(desired);
  const was = entry.scenes.map(({ id, style_version: version }) => [id, version]);
  const is = scenes.map(({ id, template }) => [id, styleVersions[template]]);
  return !isPlain && JSON.stringify(was) === JSON.stringify(is);
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
