import { isTiming } from '../../contract/timeline/place.ts';
import { type Rational, toNumber } from '../../contract/timeline/rational.ts';
import { MAX_SCENES, MAX_VIDEO_SECONDS } from '../../contract/timeline/resolve-timeline.ts';
import {
  TIMELINE_CODES,
  type Timeline,
  type TimelineCode,
  type TimelineFinding,
} from '../../contract/timeline/timeline.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type { SceneRequest } from '../../contract/wire/scene-request.ts';
import { defined } from '../../kernel/defined.ts';
import { checkMapping, checkTracks, type MappingProblem } from '../../template/bind/check-mapping.ts';
import type { SessionTemplate } from './bind-template.ts';
import { checkCaptions } from './check-captions.ts';
import { resolveScenes, type SessionScenes, templateOf } from './session-scenes.ts';
import { isOfMapping, mappingPointer, tracksPointer } from './value-place.ts';

/** The problems of a request's scenes, and their timeline. */
interface CheckedScenes {
  /** In the order of the request, unfilled editables included. */
  readonly problems: readonly (RequestProblem | MappingProblem)[];
  /** Findings of the timeline that are no mistakes. */
  readonly warnings: readonly RequestProblem[];
  /** Null if the lengths of the scenes contain a mistake. */
  readonly timeline: Timeline | null;
}

/** Scenes that are named like the tracks or fonts of a video would make the names of values ambiguous. */
const RESERVED_IDS = ['audio_tracks', 'font_changes'];

/** Validates the scenes of a request. */
export function checkScenes(session: SessionScenes<SessionTemplate>): CheckedScenes {
  const { video, templates } = session;
  const isMapping = isOfMapping(video);
  const mappings = video.scenes.flatMap((scene, index) => {
    const { spec } = templateOf(scene, templates);
    const audio_tracks = isMapping ? video.audio_tracks : scene.audio_tracks;
    const at = { mapping: mappingPointer(video, index), tracks: tracksPointer(video, index) };
    const problems = checkMapping({ ...scene.mapping, audio_tracks }, spec, at);
    return isMapping ? problems : problems.map((problem) => ({ ...problem, scene: scene.id }));
  });
  const forms = [...idProblems(video.scenes), ...timingProblems(video.scenes), ...sizeProblems(session)];
  const specs = video.scenes.map((scene) => templateOf(scene, templates).spec);
  const tracks = [
    ...(isMapping ? [] : checkTracks(video.audio_tracks ?? {}, tracksPointer(video, null))),
    ...checkCaptions(video, specs),
  ];
  // Findings name scenes by their ids.
  if (forms.length > 0) return { problems: [...forms, ...mappings, ...tracks], warnings: [], timeline: null };
  const { timeline, findings } = resolveScenes(session);
  const located = findings.map((finding) => ({ finding, problem: timelineProblem(finding, video.scenes) }));
  const isError = ({ finding }: { finding: TimelineFinding }): boolean => TIMELINE_CODES[finding.code] === 'error';
  return {
    problems: [...mappings, ...tracks, ...located.filter(isError).map(({ problem }) => problem)],
    warnings: located.filter((found) => !isError(found)).map(({ problem }) => problem),
    timeline,
  };
}

function idProblems(scenes: readonly SceneRequest[]): RequestProblem[] {
  const known = new Set<string>();
  return scenes.flatMap(({ id }, index): RequestProblem[] => {
    const pointer = `#/scenes/${index}/id`;
    if (RESERVED_IDS.includes(id)) return [{ code: 'scene_id', pointer, detail: `a scene cannot have the id ${id}` }];
    const isTwice = known.has(id.toLowerCase());
    known.add(id.toLowerCase());
    return isTwice ? [{ code: 'scene_id', pointer, detail: `two scenes have the id ${id}` }] : [];
  });
}

/**
 * Bytes of the documents of all scenes: each scene has a document of its own until it is drawn. Filling a document can enlarge it, and
 * a process answers with at most 256 MB of them.
 */
const MAX_DOCUMENT_BYTES = 200_000_000;

/** Documents that are not packed are those of the service's own templates. */
function sizeProblems({ video, templates }: SessionScenes<SessionTemplate>): RequestProblem[] {
  const sizes = video.scenes.map((scene) => {
    const { animation } = templateOf(scene, templates);
    return animation instanceof Uint8Array ? animation.length : 0;
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_DOCUMENT_BYTES) return [];
  const [found, most] = [total, MAX_DOCUMENT_BYTES].map((bytes) => Math.ceil(bytes / 1_000_000));
  const detail = `the animations of all scenes have ${found} MB together, more than ${most} MB`;
  return [{ code: 'scenes_too_large', pointer: '#/scenes', detail }];
}

function timingProblems(scenes: readonly SceneRequest[]): RequestProblem[] {
  return scenes.flatMap(({ id, timing }, index): RequestProblem[] => {
    if (timing === undefined || isTiming(timing)) return [];
    const detail = 'each place is a hold, a loop or a stretch, and only a stretch has a min';
    return [{ code: 'timing', pointer: `#/scenes/${index}/timing`, detail, scene: id }];
  });
}

/** The part of a scene that a finding is about. */
const FIELDS: Partial<Record<TimelineCode, string>> = {
  fit_missing: '/fit',
  duration_invalid: '/seconds',
  scene_too_short: '/seconds',
  scene_too_long: '/seconds',
  loop_held: '/seconds',
  transition_invalid: '/transition/duration',
  transition_too_long: '/transition/duration',
  transition_first: '/transition',
};

function timelineProblem(finding: TimelineFinding, scenes: readonly SceneRequest[]): RequestProblem {
  const { code, scene, name, place } = finding;
  const id = scene ?? name;
  const index = scenes.findIndex((candidate) => candidate.id === id);
  const field = place === undefined ? (FIELDS[code] ?? '') : `/timing/${place}`;
  const at = index === -1 ? (code === 'rate_unsupported' ? '#/rate' : '#/scenes') : `#/scenes/${index}${field}`;
  return { code, pointer: at, detail: detailOf(finding), ...defined({ scene: index === -1 ? undefined : id }) };
}

function detailOf({ code, possible, wanted, seconds }: TimelineFinding): string {
  const [least, most] = [possible?.min, possible?.max ?? undefined].map(secondsText);
  switch (code) {
    case 'video_too_long':
      return `the video would last ${secondsText(wanted)}, more than ${MAX_VIDEO_SECONDS} s`;
    case 'too_many_scenes':
      return `${wanted?.numerator ?? ''} scenes, at most ${MAX_SCENES}`;
    case 'rate_unsupported':
      return 'a video must have 1 to 240 frames per second';
    case 'rate_differs':
      return 'its template has another frame rate, so some of its frames are shown twice or left out';
    case 'fit_missing':
      return 'its template has another shape than the video: fit must be cover or contain';
    case 'place_outside':
      return 'the place must have at least one frame and lie within the template';
    case 'place_limits':
      return 'the natural length of the place must be within its min and max';
    case 'places_overlap':
      return 'the place overlaps an earlier place';
    case 'duration_invalid':
      return 'the scene must last at least one frame';
    case 'scene_too_short':
      return `the scene would last ${secondsText(wanted)}, but its template needs at least ${least}; shorten permits less`;
    case 'scene_too_long':
      return `the scene would last ${secondsText(wanted)}, but its template can last at most ${most}`;
    case 'loop_held':
      return `no number of passes of its loop fits: a picture is held for ${secondsText(seconds)}`;
    case 'transition_invalid':
      return 'the duration must be above 0';
    case 'transition_too_long':
      return `the transition would last ${secondsText(wanted)}, but at most ${most} are free`;
    case 'transition_first':
      return 'the first scene has no scene before it, so its transition shows nothing';
    default:
      return code.replaceAll('_', ' ');
  }
}

function secondsText(seconds: Rational | undefined): string {
  return seconds === undefined ? '' : `${Number(toNumber(seconds).toFixed(3))} s`;
}
