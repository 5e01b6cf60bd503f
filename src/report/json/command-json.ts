import { defined } from '../../kernel/defined.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { LeftOutVideo, WaitingVideo } from '../../reconciler/definition/video.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import { entryInputs } from '../../reconciler/lock/scene-inputs.ts';
import { roundedSeconds } from '../../reconciler/plan/compare-scenes.ts';
import { styleVersionOf } from '../../reconciler/plan/desired-video.ts';
import type { Change } from '../../reconciler/plan/plan.ts';
import { changeDocument, type PlanDocument, templateOfChange } from '../../reconciler/plan/plan-document.ts';
import { speechSoundPath } from '../../reconciler/speech/spoken-text.ts';
import type { DriftReport } from '../wording/drift-words.ts';
import { recordedUrl, unplannedState, videoState } from '../wording/plan-words.ts';
import type { JsonDiagnostic } from './diagnostics-json.ts';

/** Returns the document of `drift --json`. Queries are removed from URLs, because they may contain a signature. */
export function driftJson(
  { checked, findings, notes, unclear, specs }: DriftReport,
  diagnostics: readonly JsonDiagnostic[],
): object {
  return {
    format_version: '1.0',
    checked,
    drift: findings.map(({ id, what, url }) => ({ id, what, url: withoutQuery(url) })),
    notes: notes.map(({ id, what, url }) => ({ id, what, url: withoutQuery(url) })),
    unclear: unclear.map(({ id, url, why }) => ({ id, url: withoutQuery(url), why })),
    templates: specs.map((spec) => ({
      template: spec.template,
      style_version: spec.styleVersion,
      status: spec.kind,
      changes:
        spec.kind !== 'changed'
          ? []
          : spec.changes.map(({ before = null, after = null, ...changed }) => ({ ...changed, before, after })),
      why: spec.kind === 'unclear' ? spec.why : null,
    })),
    diagnostics,
  };
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** Serializes a plan document, pretty-printed with a final newline. */
export function planJson(document: PlanDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the document of `explain --json`: the change as in a plan, with its dependencies. */
export function explainJson(explanation: {
  readonly change: Change;
  readonly attempt: Attempt | null;
  /** Repository-relative paths whose content can change the video. */
  readonly files: readonly string[];
}): object {
  const { change, attempt, files } = explanation;
  return {
    format_version: '1.0',
    ...changeDocument(change),
    ...defined({ scenes: explainedScenes(change) }),
    service: change.desired?.service ?? change.before?.service ?? null,
    style_version: change.desired === null ? change.before.style_version : styleVersionOf(change.desired),
    values: change.desired === null ? entryInputs(change.before) : change.desired.inputs(),
    files: [...files].sort(),
    rendered_at: change.before?.rendered_at ?? null,
    in_flight:
      attempt === null || attempt.state === 'failed' || attempt.state === 'closed'
        ? null
        : { state: attempt.state, session: attempt.session, asked_at: attempt.intent.at },
  };
}

/** Adds to each scene its template version and what made it longer or shorter: times in seconds, those of places of the template. */
function explainedScenes(change: Change): object[] | undefined {
  const { desired } = change;
  const { scenes } = changeDocument(change);
  if (desired === null || scenes === undefined) return undefined;
  const { styleVersions, measures } = desired;
  return scenes.map((scene, index): object => {
    // Removed scenes come last.
    const time = scene.difference === 'removed' ? undefined : desired.times?.[index];
    const version = scene.difference === 'removed' ? undefined : styleVersions[scene.template];
    if (time === undefined || measures === null) return { ...scene, ...defined({ style_version: version }) };
    const { why, templateRate = measures.rate } = time;
    const places = why.places.map(({ kind, from, to, change: frames, held, passes }) => ({
      kind,
      from: roundedSeconds(from, templateRate),
      to: roundedSeconds(to, templateRate),
      change: roundedSeconds(frames, measures.rate),
      held: roundedSeconds(held, measures.rate),
      passes,
    }));
    const { shortened } = why;
    return {
      ...scene,
      ...defined({ style_version: version }),
      natural: roundedSeconds(why.natural, measures.rate),
      places,
      ...(shortened && { shortened: { by: shortened.by, seconds: roundedSeconds(shortened.frames, measures.rate) } }),
    };
  });
}

/** Returns the document of `explain --json` for a video that its condition leaves out and that has no lock entry. */
export function explainLeftOutJson(video: LeftOutVideo | WaitingVideo, files: readonly string[]): object {
  const { id, path, reason } = video;
  const unspoken = 'missing' in video && video.missing.length > 0 ? video.missing : undefined;
  const texts = unspoken?.map((text) => ({ text: text.text, voice: text.voice.name, sound: speechSoundPath(text) }));
  return {
    format_version: '1.0',
    id,
    path,
    left_out: [{ scene: null, reason }],
    ...defined({ missing_speech: texts }),
    files: [...files].sort(),
  };
}

/** Returns the templates of a video of several scenes, each once; undefined for one scene. */
function templatesOfChange({ desired, before }: Change): string[] | undefined {
  const scenes = desired?.scenes ?? before?.scenes ?? [];
  return scenes.length < 2 ? undefined : [...new Set(scenes.map(({ template }) => template))];
}

/**
 * Returns the document of `list --json`.
 *
 * @param leftOut videos without a change that their condition leaves out, or that wait
 */
export function listJson(changes: readonly Change[], leftOut: readonly (LeftOutVideo | WaitingVideo)[]): object {
  const listed = changes.map((change) => ({
    id: change.id,
    previous_id: change.previousId,
    state: videoState(change).replaceAll(' ', '_'),
    title: change.desired?.title ?? change.before?.title ?? '',
    template: templateOfChange(change),
    ...defined({ templates: templatesOfChange(change) }),
    path: change.desired?.path ?? (change.action === 'forget' ? change.leftOut?.path : null) ?? null,
    video_url: recordedUrl(change),
    rendered_at: change.before?.rendered_at ?? null,
    ...defined({ loudness: change.before?.loudness }),
    ...(change.action === 'forget' && change.leftOut && { why: change.leftOut.reason }),
  }));
  const others = leftOut.map((video) => ({
    id: video.id,
    previous_id: null,
    state: unplannedState(video).replaceAll(' ', '_'),
    title: '',
    template: null,
    path: video.path,
    video_url: null,
    rendered_at: null,
    why: video.reason,
  }));
  return { format_version: '1.0', videos: [...listed, ...others].sort((a, b) => byCodeUnit(a.id, b.id)) };
}
