import { secondsOf } from '../../contract/video-measures.ts';
import { hasSound, plainScene, valueName } from '../../contract/video-spec.ts';
import { loudnessOf } from '../../contract/wire/loudness.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { graphemeClusters } from '../../kernel/graphemes.ts';
import type { LocaleTexts } from '../definition/locale-texts.ts';
import { firstTemplate, type Source } from '../definition/video.ts';
import { roundedSeconds } from '../plan/compare-scenes.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { estimatePlan } from '../plan/estimate-plan.ts';
import { type Change, onlyRestores, type Plan, rendersNew } from '../plan/plan.ts';
import type { Policy, PolicyFinding } from './policy.ts';

/**
 * Checks a plan against the policies of a repository. Only checks videos that the plan changes: unchanged, forgotten and
 * merely restored videos are skipped, so that adding a policy does not block unrelated changes. `require_translations` checks every
 * video of the plan, because those whose texts are missing wait.
 *
 * @returns findings about the plan first, then by video id, within a video in the order of the policies, then about translations
 */
export function checkPolicies(policies: readonly Policy[], plan: Plan): PolicyFinding[] {
  const desired = plan.changes.filter(isJudged).map((change) => change.desired);
  const ofVideos = desired
    .sort((a, b) => byCodeUnit(a.id, b.id))
    .flatMap((video) => policies.flatMap((policy) => checkVideo(policy, video)));
  const ofTexts = (plan.texts ?? []).flatMap((texts) => policies.flatMap((policy) => checkTexts(policy, texts)));
  return [...policies.flatMap((policy) => checkPlan(policy, plan)), ...ofVideos, ...ofTexts];
}

function isJudged(change: Change): change is Exclude<Change, { readonly desired: null }> {
  return change.action !== 'noop' && change.desired !== null && !onlyRestores(change);
}

function checkPlan(policy: Policy, plan: Plan): PolicyFinding[] {
  switch (policy.rule) {
    case 'max_renders': {
      const rendered = plan.changes.filter(rendersNew).length;
      if (rendered <= policy.count) return [];
      const renders = rendered === 1 ? '1 video' : `${rendered} videos`;
      return [ofPlan(policy, `The plan renders ${renders}, but the limit is ${policy.count}`)];
    }
    case 'max_cost': {
      const { cost } = estimatePlan(plan);
      if (cost === undefined || (cost.amount !== null && cost.amount <= policy.amount)) return [];
      const limit = `${policy.amount} ${cost.currency}`;
      if (cost.amount !== null)
        return [ofPlan(policy, `The plan costs ${cost.amount} ${cost.currency}, but the limit is ${limit}`)];
      if (plan.changes.some((change) => rendersNew(change) && change.desired !== null && isUnlimited(change.desired))) {
        const hint = 'Limit the scenes whose sounds are remote with "duration: {content: true, max: …}"';
        return [{ ...ofPlan(policy, `The cost of the plan has no limit, but the limit is ${limit}`), hint }];
      }
      // Denying an unknown cost would deny every template that a service hosts.
      return [{ ...ofPlan(policy, `The cost of the plan is unknown, but the limit is ${limit}`), level: 'warn' }];
    }
    default:
      return [];
  }
}

function ofPlan({ rule, level }: Policy, message: string): PolicyFinding {
  return { rule, level, video: null, place: null, message, hint: 'Split the plan with --target' };
}

/** Files and columns of another language are no missing texts. */
function checkTexts(policy: Policy, texts: LocaleTexts): PolicyFinding[] {
  const { id, path, locale, untranslated, stale, labels = {} } = texts;
  const count = untranslated + stale;
  if (policy.rule !== 'require_translations' || count === 0 || !hasLabels(labels, policy.labels)) return [];
  const counts = `${count === 1 ? '1 text' : `${count} texts`}${stale === 0 ? '' : `, ${stale} stale`}`;
  const message = `The translation of ${id} to ${locale} is incomplete: ${counts}`;
  const hint = '"reelform locales status" lists the texts';
  const { rule, level } = policy;
  return [{ rule, level, video: id, place: { file: path, path: [] }, message, hint }];
}

/** @param patterns of the values of all labels that are required; none when absent */
function hasLabels(labels: Readonly<Record<string, string>>, patterns: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(patterns).every(([name, pattern]) => {
    return Object.hasOwn(labels, name) && matchesPattern(labels[name]!, pattern);
  });
}

/** A finding about a video. `path` locates the value in the definition; `level` overrides the policy's level. */
type PolicyViolation = Pick<PolicyFinding, 'message' | 'hint'> & {
  readonly path: readonly string[];
  readonly level?: PolicyFinding['level'];
};

/** Checks a video against a policy. Policies about the plan or its translations return nothing. */
function checkVideo(policy: Policy, video: DesiredVideo): PolicyFinding[] {
  return violationsOf(policy, video).map(({ path, level = policy.level, ...words }) => ({
    rule: policy.rule,
    level,
    video: video.id,
    place: { file: video.path, path },
    ...words,
  }));
}

function violationsOf(policy: Policy, video: DesiredVideo): PolicyViolation[] {
  switch (policy.rule) {
    case 'max_renders':
    case 'max_cost':
    case 'require_translations':
      return [];
    case 'max_duration':
      return tooLong(policy.seconds, video);
    case 'max_text_length':
      return textsOf(video).flatMap((text) => tooManyCharacters(policy.characters, text, video));
    case 'forbid_words':
      return forbidden(policy.words.map(foldWords), video);
    case 'title_pattern':
      if (matchesPattern(video.title, policy.pattern)) return [];
      return [
        {
          path: ['title'],
          message: `The title of ${video.id} does not match ${JSON.stringify(policy.pattern)}`,
          hint: `Titles must match ${JSON.stringify(policy.pattern)}; * matches any characters`,
        },
      ];
    case 'require_label':
      return Object.entries(policy.labels).flatMap(([name, pattern]) => labelProblem(name, pattern, video));
    case 'require_deliver':
      if (video.deliver.length > 0) return [];
      return [{ path: [], message: `${video.id} has no destination`, hint: 'Add a destination with "deliver"' }];
    case 'require_loudness':
      return otherLoudness(policy, video);
    case 'allow_sources':
      return remoteSources(video).flatMap(({ url, path }) => foreignHost(policy.hosts, url, path, video));
  }
}

/** Returns whether a scene of a video is as long as a sound of unknown length, without a limit. */
function isUnlimited({ measures, scenes }: DesiredVideo): boolean {
  const hasNoMax = ({ duration }: DesiredVideo['scenes'][number]): boolean =>
    duration === 'content' || (typeof duration === 'object' && duration.max === undefined);
  return measures === null && scenes.some(hasNoMax);
}

function tooLong(seconds: number, video: DesiredVideo): PolicyViolation[] {
  const { id, measures, scenes } = video;
  const isPlain = plainScene(video) !== null;
  const path = [isPlain ? 'template' : scenes.length === 1 ? 'duration' : 'scenes'];
  if (isUnlimited(video)) {
    const message = `The length of ${id} has no limit, but the limit is ${seconds} s`;
    return [{ path, message, hint: 'Limit it with "duration: {content: true, max: …}", or use a local sound' }];
  }
  if (measures === null) {
    // Denying an unknown duration would deny every template that a service hosts.
    return [{ path, level: 'warn', message: `The length of ${id} is unknown, but the limit is ${seconds} s` }];
  }
  const duration = secondsOf(measures);
  if (duration <= seconds) return [];
  const length = Math.round(duration * 100) / 100;
  return [
    {
      path,
      message: `${id} is ${length} s long, but the limit is ${seconds} s`,
      hint: isPlain ? `This is the length of ${firstTemplate({ scenes })}` : `Its scenes: ${sceneLengths(video)}`,
    },
  ];
}

const MAX_NAMED = 10;

/** Names the scenes with their lengths, the longest first. */
function sceneLengths({ scenes, times = [], measures }: DesiredVideo): string {
  const named = scenes.flatMap(({ id }, index) => {
    const frames = times[index]?.length;
    return frames === undefined || measures === null ? [] : [{ id, seconds: roundedSeconds(frames, measures.rate) }];
  });
  const sorted = named.sort((a, b) => b.seconds - a.seconds || byCodeUnit(a.id, b.id));
  const shown = sorted.slice(0, MAX_NAMED).map(({ id, seconds }) => `${id} ${seconds} s`);
  return [...shown, ...(sorted.length > MAX_NAMED ? [`${sorted.length - MAX_NAMED} more`] : [])].join(', ');
}

interface Text {
  readonly text: string;
  readonly name: string;
  readonly path: readonly string[];
}

function textsOf(video: DesiredVideo): Text[] {
  return video.scenes.flatMap((scene) =>
    [...scene.resources].flatMap(([key, resource]) =>
      resource.kind === 'text'
        ? [{ text: resource.text, name: valueName(video, scene, key), path: resourcePath(video, key) }]
        : [],
    ),
  );
}

/** Values of several scenes are located at the list of scenes. */
function resourcePath({ scenes }: Pick<DesiredVideo, 'scenes'>, key: string): readonly string[] {
  return scenes.length === 1 ? ['resources', key] : ['scenes'];
}

function tooManyCharacters(most: number, { text, name, path }: Text, { id }: DesiredVideo): PolicyViolation[] {
  if (text.length <= most) return [];
  const count = [...graphemeClusters(text)].length;
  return count <= most
    ? []
    : [{ path, message: `${name} of ${id} has ${count} characters, but the limit is ${most}`, hint: 'Shorten it' }];
}

function forbidden(words: readonly string[], video: DesiredVideo): PolicyViolation[] {
  const title: Text = { text: video.title, name: 'The title', path: ['title'] };
  return [title, ...textsOf(video)].flatMap(({ text, name, path }) => {
    const found = findWords(text, words);
    if (found.length === 0) return [];
    const message = `${name} of ${video.id} contains ${found.map((word) => JSON.stringify(word)).join(', ')}`;
    return [{ path, message, hint: 'Use other words' }];
  });
}

function labelProblem(name: string, pattern: string, { id, labels }: DesiredVideo): PolicyViolation[] {
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (value === undefined) {
    return [{ path: ['labels'], message: `${id} has no label ${name}`, hint: `Add it to "labels": ${name}` }];
  }
  if (matchesPattern(value, pattern)) return [];
  const message = `The label ${name} of ${id} is ${JSON.stringify(value)}, which does not match ${JSON.stringify(pattern)}`;
  return [{ path: ['labels', name], message, hint: `Use a value that matches ${JSON.stringify(pattern)}` }];
}

/** A video without sound, as far as its definition tells, has no loudness. Only its template's own sounds are unknown here. */
function otherLoudness(policy: Extract<Policy, { rule: 'require_loudness' }>, video: DesiredVideo): PolicyViolation[] {
  const { tolerance = 0 } = policy;
  if (!hasLabels(video.labels, policy.labels) || !hasSound(video, false)) return [];
  const wanted = loudnessOf(policy.loudness);
  const words = `${wanted.target} LUFS${tolerance === 0 ? '' : ` ± ${tolerance} LU`} with peaks up to ${wanted.true_peak} dBTP`;
  const hint = `Set "loudness": ${JSON.stringify(policy.loudness)}`;
  const { id, loudness } = video;
  if (loudness === undefined)
    return [{ path: ['audio'], message: `${id} has no loudness; required are ${words}`, hint }];
  const isNear = Math.abs(loudness.target - wanted.target) <= tolerance + ROUNDING;
  if (isNear && loudness.true_peak <= wanted.true_peak) return [];
  const found = `${loudness.target} LUFS with peaks up to ${loudness.true_peak} dBTP`;
  return [{ path: ['loudness'], message: `The loudness of ${id} is ${found}; required are ${words}`, hint }];
}

/** Differences of decimal fractions are inexact. */
const ROUNDING = 1e-9;

function remoteSources({ scenes, audio }: DesiredVideo): { url: string; path: readonly string[] }[] {
  const tracks = [audio, ...scenes.map((scene) => scene.audio)];
  const sources: (readonly [Source, readonly string[]])[] = [
    ...scenes.flatMap(({ resources }) =>
      [...resources].flatMap(([key, value]) =>
        'source' in value ? [[value.source, ['resources', key]] as const] : [],
      ),
    ),
    ...tracks.flatMap((sounds) => [...sounds].map(([name, { source }]) => [source, ['audio', name]] as const)),
  ];
  return sources.flatMap(([source, path]) => (source.kind === 'url' ? [{ url: source.url, path }] : []));
}

function foreignHost(
  hosts: readonly string[],
  url: string,
  path: readonly string[],
  { id }: DesiredVideo,
): PolicyViolation[] {
  // Compares the host that a client would request: lower case, in ASCII, without credentials.
  const host = URL.canParse(url) ? new URL(url).hostname : url;
  const isAllowed = hosts.some((written) => {
    const allowed = written.toLowerCase();
    return allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed;
  });
  if (isAllowed) return [];
  const hint = `Allowed: ${hosts.join(', ') || 'only files of the repository'}`;
  return [{ path, message: `${path.at(-1)} of ${id} comes from ${host}`, hint }];
}

/** A step of a pattern: any run of characters, or a test of one character. */
type Step = 'run' | ((character: string) => boolean);

/**
 * Returns whether a whole text matches a glob pattern: `*` matches any characters, `?` one character, `[a-z0-9]` one of
 * these and `[!…]` a character that is not listed; a backslash escapes the next character. Case-sensitive; characters are code
 * points in NFC.
 *
 * Does not build a regular expression. A `*` never makes an earlier `*` backtrack, so the time is bounded by the product of
 * both lengths for any input.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  const characters = [...text.normalize('NFC')];
  const steps = parsePattern(pattern.normalize('NFC'));
  let at = 0;
  let step = 0;
  /** The latest `*`, and the position after the characters that it has consumed so far. */
  let run: { readonly step: number; end: number } | null = null;
  while (at < characters.length) {
    const wanted = steps[step];
    if (wanted === 'run') {
      run = { step, end: at };
      step += 1;
    } else if (wanted?.(characters[at]!) === true) {
      at += 1;
      step += 1;
    } else if (run !== null) {
      run.end += 1;
      at = run.end;
      step = run.step + 1;
    } else {
      return false;
    }
  }
  return steps.slice(step).every((rest) => rest === 'run');
}

function parsePattern(pattern: string): Step[] {
  const characters = [...pattern];
  const steps: Step[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') steps.push('run');
    else if (character === '?') steps.push(() => true);
    else if (end > 0) {
      steps.push(oneOf(characters.slice(at + 1, end)));
      at = end;
    } else {
      const literal = character === '\\' && at + 1 < characters.length ? characters[++at]! : character;
      steps.push((character) => character === literal);
    }
  }
  return steps;
}

/** @param inside content of the brackets, at least one character */
function oneOf(inside: readonly string[]): (character: string) => boolean {
  const isNegated = inside[0] === '!' && inside.length > 1;
  const listed = isNegated ? inside.slice(1) : inside;
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < listed.length; at++) {
    const isRange = listed[at + 1] === '-' && at + 2 < listed.length;
    ranges.push([codeOf(listed[at]!), codeOf(listed[isRange ? at + 2 : at]!)]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = codeOf(character);
    return ranges.some(([from, to]) => code >= from && code <= to) !== isNegated;
  };
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
}

/** Created on first use, because that takes 20 ms of each process. */
let segmenter: Intl.Segmenter | null = null;

/** Soft hyphens, joiners and direction marks: removed, so that they cannot hide a word. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Normalizes text for comparison: ignores case, width and composition (`ＳＴＲＡＳＳＥ` equals `Straße`), removes invisible
 * characters, and collapses white space to one space.
 */
export function foldWords(text: string): string {
  const plain = text.normalize('NFKC').replace(UNSEEN, '');
  return plain.toUpperCase().toLowerCase().normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/**
 * Returns the words or phrases that occur in a text as whole words. Uses Unicode word boundaries: `can` does not match in
 * `can't` or `candle`, but matches in `Can?`. Runs in time proportional to text length × number of words.
 *
 * @param words normalized by `foldWords`, none empty
 * @see https://www.unicode.org/reports/tr29/#Word_Boundaries
 */
export function findWords(text: string, words: readonly string[]): string[] {
  const folded = foldWords(text);
  const candidates = words.filter((word) => folded.includes(word));
  if (candidates.length === 0) return [];
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const edges = new Set([folded.length]);
  for (const { index } of segmenter.segment(folded)) edges.add(index);
  return candidates.filter((word) => {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
      if (edges.has(at) && edges.has(at + word.length)) return true;
    }
    return false;
  });
}
