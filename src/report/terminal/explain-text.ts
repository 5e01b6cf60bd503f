import { createColors } from 'picocolors';
import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import type { SceneReason } from '../../contract/timeline/timeline.ts';
import { plainScene } from '../../contract/video-spec.ts';
import { defined, present } from '../../kernel/defined.ts';
import { type LeftOutVideo, templatesOf, type WaitingVideo } from '../../reconciler/definition/video.ts';
import { parseInputName } from '../../reconciler/lock/input-names.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import type { LockRendering } from '../../reconciler/lock/lock.ts';
import { scenesOfInputs } from '../../reconciler/lock/recorded-inputs.ts';
import { type DesiredVideo, isEstimated } from '../../reconciler/plan/desired-video.ts';
import { type Change, type InputChange, renders } from '../../reconciler/plan/plan.ts';
import { changeDocument, inputDocuments, type LabelLookup } from '../../reconciler/plan/plan-document.ts';
import { speechSoundPath } from '../../reconciler/speech/spoken-text.ts';
import { cuesWords } from '../wording/caption-rows.ts';
import { cutCells, maxWidth, padCells } from '../wording/cell-width.ts';
import type { DisplayValue } from '../wording/diff-row.ts';
import { displayUrl, escapeControls } from '../wording/display-text.ts';
import { inputRows, measuredWords, outputRows, rowsOf } from '../wording/plan-rows.ts';
import { reasonWords, SYMBOLS, sourceWords, unplannedState } from '../wording/plan-words.ts';
import { formatTime } from '../wording/quantities.ts';
import { estimateWords, lengthWords, placeWords, sceneSeconds } from '../wording/scene-words.ts';
import { showText } from '../wording/text-diff.ts';
import { missingWords } from '../wording/unknown-words.ts';
import { layOutRows } from './plan-row-text.ts';
import { wrapSpans } from './wrap-spans.ts';

type Colors = ReturnType<typeof createColors>;

/** Everything known about a video. */
export interface Explanation {
  /** From a plan over all videos, including `noop`. */
  readonly change: Change;
  /** Attempt in the journal for the desired fingerprint; null if there is none. */
  readonly attempt: Attempt | null;
  readonly label?: LabelLookup;
}

interface ExplainTextOptions {
  readonly color: boolean;
  readonly trueColor: boolean;
  readonly columns: number;
}

/**
 * Explains why a video would or would not be rendered, its last rendering, and which values do and do not affect its
 * fingerprint.
 */
export function explainText(explanation: Explanation, options: ExplainTextOptions): string {
  const colors = createColors(options.color);
  const columns = Math.min(Math.max(options.columns || 80, 40), 120);
  const blocks = [
    verdictLines(explanation, columns, colors),
    layOutRows(rowsOf(changeDocument(explanation.change, explanation.label)), { ...options, columns }, colors),
    attemptLines(explanation.attempt, colors),
    adoptedLines(explanation.change, colors),
    recordedLines(explanation.change, colors),
    sceneLines(explanation.change, columns, colors),
    decidingLines(explanation, columns, colors),
    explanation.change.desired === null ? [] : wrap(NOT_DECIDING, columns, colors),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Explains why a video that has no lock entry is not shown. */
export function explainLeftOutText(video: LeftOutVideo | WaitingVideo, options: { readonly color: boolean }): string {
  const { id, path, reason } = video;
  const verb = unplannedState(video) === 'waiting' ? 'waits' : 'is left out';
  const { bold, dim } = createColors(options.color);
  const unspoken = 'missing' in video ? video.missing : [];
  const texts = unspoken.map((text) => {
    const facts = escapeControls(`${text.voice.name}, ${speechSoundPath(text)}`);
    return `    ${JSON.stringify(escapeControls(text.text))}  ${dim(facts)}`;
  });
  const advice = texts.length === 0 ? '' : ` Run reelform speak ${escapeControls(id)}.`;
  const lines = [
    bold(escapeControls(id)),
    `  ${dim(escapeControls(path))}`,
    `  ${bold(`It ${verb}: ${escapeControls(reason)}.${advice}`)}`,
    ...texts,
  ];
  return `${lines.join('\n')}\n`;
}

const NOT_DECIDING =
  'Ignored, so a change does not render the video: id, name and location of the file, comments, order of keys, title, description, labels, protection and destinations.';

function verdictLines({ change }: Explanation, columns: number, colors: Colors): string[] {
  const { id, action, desired, before } = change;
  const title = `${colors.bold(escapeControls(id))}  ${escapeControls((desired ?? before).title)}`;
  const path =
    desired === null ? [] : [`  ${colors.dim(escapeControls(desired.path))}`, `  ${colors.dim(desired.fingerprint)}`];
  return [title, ...path, ...wrap(`${SYMBOLS[action]} ${verdict(change)}`.trim(), columns, colors, colors.bold)];
}

function verdict(change: Change): string {
  const reason = escapeControls(reasonWords(changeDocument(change)));
  switch (change.action) {
    case 'noop':
      return 'Up to date: nothing that affects its frames has changed since it was rendered.';
    case 'move':
    case 'relabel':
      return `Only the lockfile would change: ${reason}.`;
    case 'forget':
      return `It would be removed from the lockfile: ${reason}.`;
    case 'deliver':
      return `It would be delivered: ${reason}.`;
    case 'adopt':
      return `It would adopt an existing rendering without being rendered: ${reason}.`;
    default:
      return renders(change) ? `It would be rendered: ${reason}.` : `${reason}.`;
  }
}

function attemptLines(attempt: Attempt | null, colors: Colors): string[] {
  if (attempt === null || attempt.state === 'failed' || attempt.state === 'closed') return [];
  const { state, session, intent } = attempt;
  const id = escapeControls(intent.id);
  const facts = present<[string, string]>([
    ['requested at', formatTime(intent.at)],
    session !== null && ['session', session],
  ]);
  const words = {
    sending: `Requested, but it is unknown whether the service accepted it. Resolve it: reelform resolve ${id}`,
    unknown: `Requested, but its result is unknown. It is not requested again. Resolve it: reelform resolve ${id}`,
    retry: 'Requested, and released for a retry by the next apply',
    created: 'Running or finished on the service: the next apply resumes it',
    missing: `Requested, but ${missingWords(attempt.missing, escapeControls(session ?? ''))}: the next apply reads it again and requests no new render`,
    rendered: 'Already rendered, but not yet in the lockfile: the next apply records it',
  } as const;
  return [colors.bold('Pending'), `  ${words[state]}.`, ...factLines(facts, colors)];
}

function adoptedLines(change: Change, colors: Colors): string[] {
  if (change.action !== 'adopt') return [];
  const { source } = change;
  const rendering = source.kind === 'planned' ? null : source.rendering;
  const facts: [string, string][] = [
    ['from', sourceWords(changeDocument(change).source)],
    ...(rendering === null ? [] : renderingFacts(rendering)),
  ];
  return [colors.bold('Adopted'), ...factLines(facts, colors)];
}

function renderingFacts({ rendered_at, session, video_url, outputs, loudness }: LockRendering): [string, string][] {
  return [
    ['at', formatTime(rendered_at)],
    ['session', session],
    ['video', displayUrl(video_url)],
    ...(loudness === undefined ? [] : [['loudness', measuredWords(loudness)] satisfies [string, string]]),
    ...outputRows(outputs),
  ];
}

function recordedLines({ before, desired }: Change, colors: Colors): string[] {
  if (before === null) return [colors.bold('Last rendered'), '  Never, according to the lockfile.'];
  const facts = present<[string, string]>([
    desired?.fingerprint !== before.fingerprint && ['fingerprint', before.fingerprint],
    ['by', before.service],
    ...renderingFacts(before),
  ]);
  return [colors.bold('Last rendered'), ...factLines(facts, colors)];
}

/** Says when each scene starts, how long it is, and which rule and file decided that. */
function sceneLines({ desired }: Change, columns: number, colors: Colors): string[] {
  if (desired === null || plainScene(desired) !== null) return [];
  const { scenes, times, measures } = desired;
  if (times === undefined || measures === null) {
    return [
      colors.bold('Scenes'),
      ...wrap('The length of a template or of a sound is not known yet.', columns, colors),
    ];
  }
  const rate = { rate: frameRateOf(measures.rate) };
  const seconds = (frames: number): string => sceneSeconds(frames / measures.rate);
  const lines = scenes.flatMap((scene, index) => {
    const { start, length: frames, why, templateRate } = times[index]!;
    const places =
      templateRate === undefined ? [] : why.places.map((place) => placeWords(place, rate, frameRateOf(templateRate)));
    const length = isEstimated(desired, scene, why) ? estimateWords(why) : lengthWords(why, rate);
    const words = [`${length} (${decidingFile(scene, why, desired)})`, ...places].join('; ');
    const head = `  ${colors.bold(escapeControls(scene.id))}  from ${seconds(start)} for ${seconds(frames)}`;
    return [
      head,
      ...wrapSpans([{ text: escapeControls(words), paint: colors.dim }], columns - 4).map((line) => `    ${line}`),
    ];
  });
  return [colors.bold('Scenes'), ...lines];
}

function decidingFile({ template, audio }: DesiredScene, { length }: SceneReason, video: DesiredVideo): string {
  switch (length.rule) {
    case 'natural':
    case 'content_empty':
      return `template ${template}`;
    case 'seconds':
    case 'fill':
      return video.path;
    case 'content': {
      const source = (audio.get(length.item) ?? video.audio.get(length.item))?.source;
      return source === undefined ? video.path : source.kind === 'file' ? source.path : displayUrl(source.url);
    }
  }
}

type DesiredScene = DesiredVideo['scenes'][number];

/** Lists everything that is part of the fingerprint. */
function decidingLines({ change, label }: Explanation, columns: number, colors: Colors): string[] {
  const { desired } = change;
  if (desired === null) return [];
  const scenes = scenesOfInputs(desired);
  const inputs = Object.entries(desired.inputs()).map(([key, after]): InputChange => {
    return { key, before: null, after, ...defined({ scene: parseInputName(key, scenes).scene }) };
  });
  const placeOf = ({ scene }: InputChange): number => (scene === undefined ? scenes.length : scenes.indexOf(scene));
  inputs.sort((a, b) => placeOf(a) - placeOf(b));
  const values = inputRows(inputDocuments(inputs, change, label));
  const templates = templatesOf(desired).map((name) => `${name} (${desired.styleVersions[name]})`);
  const facts: [string, string][] = [
    ['service', desired.service],
    ...templates.map((template): [string, string] => ['template', template]),
    // One row per input, because none has a value before.
    ...values.map(({ name, scene, after, heading }, index): [string, string] => {
      const words = heading === undefined ? showValue(after) : cuesWords(inputs[index]!.after!);
      return [scene === undefined ? name : `${scene} ${name}`, words];
    }),
  ];
  return [colors.bold('Inputs'), ...factLines(facts, colors, columns)];
}

function showValue(shown: DisplayValue | null): string {
  switch (shown?.kind) {
    case undefined:
      return 'nothing';
    case 'text':
      return showText(shown.text);
    case 'color':
      return `#${shown.color}`;
    case 'name':
      return shown.name;
  }
}

function factLines(facts: readonly (readonly [string, string])[], { dim }: Colors, columns?: number): string[] {
  const names = facts.map(([name]) => escapeControls(name));
  const width = Math.min(26, maxWidth(names));
  return facts.map(([, value], index) => {
    const name = cutCells(names[index]!, width);
    const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(12, columns - width - 4);
    return `  ${dim(padCells(name, width))}  ${cutCells(escapeControls(value), room)}`;
  });
}

function wrap(text: string, columns: number, { dim }: Colors, paint = dim): string[] {
  return wrapSpans([{ text, paint }], columns - 2).map((line) => `  ${line}`);
}
