import { type Rational, toNumber } from '../../contract/timeline/rational.ts';
import { MAX_SCENES, MAX_VIDEO_SECONDS } from '../../contract/timeline/resolve-timeline.ts';
import { TIMELINE_CODES, type TimelineCode, type TimelineFinding } from '../../contract/timeline/timeline.ts';
import type { Diagnostic, Span } from '../../kernel/diagnostic.ts';
import type { Video } from './video.ts';

/** Property of a scene that decides about a finding; null for the scene or the video as a whole. */
export type DecidingProperty =
  | 'duration'
  | 'transition'
  | 'template'
  | 'rate'
  | 'scenes'
  | 'audio'
  | 'loudness'
  | 'captions';

/**
 * Returns the location of a property.
 *
 * @param scene its id; null for the video
 * @param name of the track, for `audio`; all tracks if absent
 */
export type LocateScene = (scene: string | null, property: DecidingProperty, name?: string) => Span;

/** Findings that depend on lengths which are not known while a repository is read. */
const NEED_LENGTHS: ReadonlySet<TimelineCode> = new Set<TimelineCode>([
  'content_unknown',
  'content_unlimited',
  'video_too_long',
  'duration_missed',
  'sound_cut',
  'cue_cut',
  'tail_shortened',
  'loop_held',
  'transition_too_long',
  'transition_shortened',
]);

/** Returns the findings that are certain before lengths of sounds are known. */
export function certainFindings(findings: readonly TimelineFinding[], video: Pick<Video, 'scenes'>): TimelineFinding[] {
  const hasUnknown = findings.some(({ code }) => code === 'content_unknown' || code === 'content_unlimited');
  if (!hasUnknown) return [...findings];
  const filling = video.scenes.find(({ duration }) => duration === 'fill')?.id;
  const isOfFilling = ({ code, scene }: TimelineFinding): boolean =>
    scene === filling && (code === 'scene_too_short' || code === 'scene_too_long');
  return findings.filter((finding) => !NEED_LENGTHS.has(finding.code) && !isOfFilling(finding));
}

/** Codes of mistakes that are found before a timeline is resolved: those of places with their template, others by the schema. */
const FOUND_EARLIER = ['transition_invalid', 'place_outside', 'place_limits', 'places_overlap'] as const;

/**
 * Describes the findings of a timeline.
 *
 * @param locate returns the property that decides about a finding
 */
export function timelineDiagnostics(
  findings: readonly TimelineFinding[],
  video: Pick<Video, 'scenes'>,
  locate: LocateScene,
): Diagnostic[] {
  return findings.flatMap((finding): Diagnostic[] => {
    const { code, scene = null, name } = finding;
    if (isFoundEarlier(code) || isOfRows(finding, video)) return [];
    const [property, message, hint] = wordingOf(code, finding, video);
    return [{ code, severity: TIMELINE_CODES[code], message, hint, at: locate(scene, property, name) }];
  });
}

type EarlierCode = (typeof FOUND_EARLIER)[number];

function isFoundEarlier(code: TimelineCode): code is EarlierCode {
  return FOUND_EARLIER.some((known) => known === code);
}

/** Returns whether the transition of a first scene is that of rows, of which the others have it. */
function isOfRows({ code, scene: id = '' }: TimelineFinding, { scenes }: Pick<Video, 'scenes'>): boolean {
  const [written, row] = id.split('/');
  const isRow = code === 'transition_first' && row !== undefined;
  return isRow && scenes.some((other) => other.id !== id && other.id.startsWith(`${written}/`));
}

type Wording = readonly [property: DecidingProperty, message: string, hint: string];

function wordingOf(
  code: Exclude<TimelineCode, EarlierCode>,
  { name, scene: id, possible, wanted, seconds }: TimelineFinding,
  { scenes }: Pick<Video, 'scenes'>,
): Wording {
  const template = scenes.find((scene) => scene.id === id)?.template ?? '';
  const subject = scenes.length === 1 ? `The template ${template}` : `The scene ${id}`;
  const inside = subject.replace('The', 'the');
  const range = possible === undefined ? '' : rangeText(possible);
  const longest = possible?.max ? secondsText(possible.max) : '';
  const length = wanted === undefined ? '' : secondsText(wanted);
  const lost = seconds === undefined ? '' : secondsText(seconds);
  switch (code) {
    case 'video_empty': {
      const message = 'The video has no scene, because conditions leave out all of them';
      return ['scenes', message, 'Add a scene without "when" and "where", or write "when" for the whole video'];
    }
    case 'too_many_scenes': {
      const message = `The video has ${Number(wanted?.numerator)} scenes, but at most ${MAX_SCENES} are supported`;
      return ['scenes', message, 'Leave out rows with "where", or write several videos'];
    }
    case 'video_too_long': {
      const limit = `${MAX_VIDEO_SECONDS / 60} minutes`;
      const message = `The video is ${length} long, but at most ${limit} are supported`;
      return ['scenes', message, 'Shorten scenes, or write several videos'];
    }
    case 'rate_unsupported': {
      const owner = name === undefined ? 'the video' : `the template ${name}`;
      const message = `The rate of ${owner} is not within 1 and 240 frames per second`;
      return [name === undefined ? 'rate' : 'template', message, 'Write a rate like 25 or 30'];
    }
    case 'rate_differs': {
      const message = `Frames of the template ${name} are repeated or left out, because the rate of the video is no multiple of its rate`;
      return ['template', message, 'Write a "rate" that is a multiple of the rates of all templates'];
    }
    case 'fit_missing': {
      const message = `The template ${name} has another shape than the video`;
      return ['template', message, 'Write fit: cover to crop it, or fit: contain to show all of it'];
    }
    case 'duration_invalid': {
      const hint = 'Write seconds like 4.5, or {content: true, min: 3, max: 8}';
      const owner = id === undefined ? 'the video' : inside;
      const wish = scenes.find((scene) => scene.id === id)?.duration;
      const { min, max } = typeof wish === 'object' ? wish : {};
      if (min !== undefined && max !== undefined && min > max) {
        const message = `The length of ${owner} has a min of ${min} s above its max of ${max} s`;
        return ['duration', message, 'Exchange them, or remove one of them'];
      }
      return ['duration', `The duration of ${owner} is shorter than a frame`, hint];
    }
    case 'scene_too_short': {
      if (scenes.find((scene) => scene.id === id)?.duration === 'fill') {
        const isGone = wanted === undefined || toNumber(wanted) <= 0;
        const left = isGone ? 'no time is left for it' : `only ${length} is left for it`;
        const message = `${subject} fills the rest of the video, but ${left}, and it needs ${range}`;
        return ['duration', message, 'Write a longer duration of the video, or shorter lengths of other scenes'];
      }
      const hint = 'Write a possible length, or permit less with shorten: cut or shorten: speed';
      return ['duration', `${subject} cannot be ${length} long, only ${range}`, hint];
    }
    case 'scene_too_long': {
      const hint = 'Write a possible length, or raise "max" in "timing" of its template.yaml';
      return ['duration', `${subject} cannot be ${length} long, only ${range}`, hint];
    }
    case 'content_empty': {
      const message = `${subject} has no content that ends, so it has its natural length`;
      return ['duration', message, 'Add a track without loop to its "audio", or write seconds'];
    }
    case 'content_unknown': {
      const message = `The length of the track ${name} is not known, so ${inside} counts with its max`;
      return ['duration', message, '`reelform plan --refresh` measures it, and apply does before it renders'];
    }
    case 'content_unlimited': {
      const message = `The length of ${inside} is not known, because that of its track ${name} is not`;
      const hint = 'Write a limit, like duration: {content: true, max: 20}, or measure it: `reelform plan --refresh`';
      return ['duration', message, hint];
    }
    case 'fill_twice':
      return ['duration', 'Two scenes fill the rest of the video', 'Write the length of one of them in seconds'];
    case 'fill_without_duration': {
      const message = `${subject} fills the rest of the video, but the video has no duration`;
      return ['duration', message, 'Add the duration of the video to the definition, like duration: 30'];
    }
    case 'duration_missed': {
      const message = `The scenes are ${range} long, but the duration of the video is ${length}`;
      return ['duration', message, 'Write duration: fill at one scene, or remove the duration of the video'];
    }
    case 'sound_cut': {
      const message = `The track ${name} is longer than ${inside}: its last ${lost} are cut`;
      return ['audio', message, 'Write duration: content, or a longer duration'];
    }
    case 'cue_cut': {
      const message = `The captions go on ${lost} after ${inside}, and are cut`;
      return ['captions', message, 'Write duration: content, or a longer duration'];
    }
    case 'tail_shortened': {
      const message = `${subject} ends ${lost} earlier after its content than its tail asks for`;
      return ['duration', message, 'Raise "max", or write a shorter "tail"'];
    }
    case 'loop_held': {
      const message = `No number of passes of a loop fills ${inside}, so the last frame of the loop is held for ${lost}`;
      return [
        'duration',
        message,
        'Write another duration, or duration: content, which takes the next length that fits',
      ];
    }
    case 'transition_first':
      return ['transition', `${subject} is the first of the video, so its transition has no effect`, 'Remove it'];
    case 'transition_too_long': {
      const message = `The transition of ${length} is longer than a scene that it joins, which allows ${longest}`;
      return ['transition', message, `Write a duration of ${longest} or less`];
    }
    case 'transition_shortened': {
      const message = `The default transition of ${length} is shortened to ${longest} at ${inside}, which is as long as a scene that it joins`;
      return ['transition', message, 'Write a transition of its own at the scene'];
    }
  }
}

function rangeText({ min, max }: NonNullable<TimelineFinding['possible']>): string {
  const [shortest, longest] = [secondsText(min), max === null ? null : secondsText(max)];
  if (longest === null) return `${shortest} or more`;
  return shortest === longest ? shortest : `from ${shortest.slice(0, -2)} to ${longest}`;
}

function secondsText(value: Rational): string {
  return `${Number(toNumber(value).toFixed(3))} s`;
}
