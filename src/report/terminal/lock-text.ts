import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { Lock, LockEntry, LockRendering, LockScene } from '../../reconciler/lock/lock.ts';
import type { MergeDecision } from '../../reconciler/lock/merge-locks.ts';
import { entryInputs } from '../../reconciler/lock/scene-inputs.ts';
import { maxWidth, padCells } from '../wording/cell-width.ts';
import { displayUrl, escapeControls } from '../wording/display-text.ts';
import { measuredWords, outputRows } from '../wording/plan-rows.ts';
import { countNoun } from '../wording/quantities.ts';
import { sceneSeconds } from '../wording/scene-words.ts';

/** Lists the recorded videos, a video per line. */
export function lockText(lock: Lock, options: { readonly color: boolean }): string {
  const { bold, dim } = createColors(options.color);
  if (lock.videos.size === 0) return 'No videos are rendered yet.\n';
  const rows = [...lock.videos].sort(([a], [b]) => byCodeUnit(a, b));
  const width = maxWidth(rows.map(([id]) => escapeControls(id)));
  const lines = rows.map(
    ([id, entry]) =>
      `${bold(padCells(escapeControls(id), width))}  ${dim(entry.rendered_at.slice(0, 16).replace('T', ' '))}  ${escapeControls(entry.video_url)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** Formats a lock entry in full. */
export function lockEntryText(id: string, entry: LockEntry, options: { readonly color: boolean }): string {
  const { bold, dim } = createColors(options.color);
  const facts = present<[string, string]>([
    ['title', entry.title],
    entry.scenes === undefined && ['template', templateText(entry)],
    ...(entry.scenes ?? []).map((scene): [string, string] => [`scene ${scene.id}`, sceneText(scene)]),
    ['service', entry.service],
    ['session', entry.session],
    ['fingerprint', entry.fingerprint],
    ['rendered at', entry.rendered_at],
    ['video', entry.video_url],
    entry.loudness && ['loudness', measuredWords(entry.loudness)],
    ...outputRows(entry.outputs, (url) => url),
    ...(entry.deliveries ?? []).map(({ to, url }): [string, string] => [
      'delivered to',
      url === undefined ? to : `${url} (${to})`,
    ]),
    ...entry.thumbnails.map((url): [string, string] => ['still', url]),
    ...Object.entries(entry.labels ?? {}).map(([name, value]): [string, string] => [`label ${name}`, value]),
    entry.protect === true && ['protected', 'yes'],
  ]);
  const inputs = Object.entries(entryInputs(entry));
  const width = Math.max(...[...facts, ...inputs].map(([name]) => name.length));
  const line = ([name, value]: [string, string]): string =>
    `  ${dim(escapeControls(name).padEnd(width))}  ${escapeControls(value)}`;
  return `${[bold(escapeControls(id)), ...facts.map(line), '', '  filled with', ...inputs.map(line)].join('\n')}\n`;
}

function templateText({ template, style_version: version }: Pick<LockEntry, 'template' | 'style_version'>): string {
  return `${template} (${version})`;
}

function sceneText(scene: LockScene): string {
  return [templateText(scene), ...(scene.length === undefined ? [] : [sceneSeconds(scene.length)])].join(', ');
}

/** Reports a valid lockfile (`lock verify`). */
export function verifiedText(
  file: string,
  entryCount: number,
  options: { readonly color: boolean; readonly isCompared: boolean },
): string {
  const { green, dim } = createColors(options.color);
  const line = `${green('✓')} ${file} is valid, ${countNoun(entryCount, 'entry', 'entries')}.\n`;
  const why = 'The definitions have errors, so they were not compared with it: run reelform validate.';
  return options.isCompared ? line : `${line}${dim(why)}\n`;
}

/** Reports the result of `lock migrate`. */
export function migratedText(
  file: string,
  lock: {
    readonly differsAt: number | null;
    readonly reordered: boolean;
    readonly rewritten: readonly string[];
  },
  options: { readonly color: boolean },
): string {
  const { green } = createColors(options.color);
  if (lock.differsAt === null) return `${file} already has the current format.\n`;
  const lines = present([
    lock.reordered && '  entries sorted',
    ...lock.rewritten.map((id) => `  ${escapeControls(id)}: fields reordered`),
  ]);
  const what = lines.length > 0 ? `:\n${lines.join('\n')}` : ': only its layout changed';
  return `${green('✓')} ${file} now has the current format${what}\n`;
}

/**
 * Reports the result of `mv` and its effect on the next plan.
 *
 * @param options.isWanted whether a definition has the new id
 * @param options.wasWanted whether a definition still has the old id
 */
export function movedText(
  from: string,
  to: string,
  options: { readonly color: boolean; readonly isWanted: boolean; readonly wasWanted: boolean },
): string {
  const { bold, green, yellow } = createColors(options.color);
  const line = `${green('✓')} ${escapeControls(from)} is now ${bold(escapeControls(to))}\n`;
  if (options.isWanted) return line;
  const next = options.wasWanted
    ? `The definition still has the id ${escapeControls(from)}: the next plan moves it back, unless you add "id: ${escapeControls(to)}"`
    : `No definition has the id ${escapeControls(to)}: the next plan removes it`;
  return `${line}${yellow('note')} ${next}\n`;
}

/**
 * Reports the result of `rm`.
 *
 * @param options.wanted ids that definitions have
 */
export function forgottenText(
  ids: readonly string[],
  options: { readonly color: boolean; readonly wanted: ReadonlySet<string> },
): string {
  const { green, yellow } = createColors(options.color);
  const lines = ids.map(
    (id) => `${green('✓')} ${escapeControls(id)} was removed from the lockfile; its video was not deleted\n`,
  );
  const back = ids.filter((id) => options.wanted.has(id)).map(escapeControls);
  const note = `${yellow('note')} Still defined: ${back.join(', ')}. The next plan creates these videos again\n`;
  return lines.join('') + (back.length > 0 ? note : '');
}

/** Reports the result of `import`. */
export function importedText(
  id: string,
  { session, video_url }: LockRendering,
  options: { readonly color: boolean; readonly isSigned: boolean },
): string {
  const { bold, green, yellow } = createColors(options.color);
  const line = `${green('✓')} ${bold(escapeControls(id))} is recorded with the session ${escapeControls(session)}: ${displayUrl(video_url)}\n`;
  const note = `${yellow('note')} The URL is signed: anyone who can read the lockfile can fetch the video until the URL expires\n`;
  return options.isSigned ? line + note : line;
}

/** Result of `lock service`. */
export interface ServiceMove {
  /** Origins of the services. */
  readonly from: string;
  readonly to: string;
  /** Number of lockfile entries and of pending renders of the journal that were moved. */
  readonly moved: { readonly videos: number; readonly attempts: number };
  /** Videos that still belong to the old service, sorted by id, and why. */
  readonly left: readonly { readonly id: string; readonly why: string }[];
  /** Number of moved videos whose file is at the old address, because the service still names that URL. */
  readonly staleUrls: number;
  /** Service of reelform.yaml if it differs from the new service. */
  readonly configured: string | null;
}

/** Reports the result of `lock service`. */
export function serviceMovedText(move: ServiceMove, options: { readonly color: boolean }): string {
  const { bold, green, red, yellow } = createColors(options.color);
  const { from, to, moved, left, staleUrls, configured } = move;
  const attempts = moved.attempts === 0 ? '' : `, and ${countNoun(moved.attempts, 'pending render')}`;
  const done = `${green('✓')} ${countNoun(moved.videos, 'video')}${attempts} moved from ${from} to ${to}\n`;
  const stays = left.map(({ id, why }) => `${red('left')} ${bold(escapeControls(id))}: ${escapeControls(why)}\n`);
  const note = `${yellow('note')} reelform.yaml names ${configured}. Set service.url to the new URL before the next plan\n`;
  const stale = `${yellow('note')} The service still names URLs at ${from} for ${countNoun(staleUrls, 'video')}: keep that address, or redirect it\n`;
  return present([
    moved.videos + moved.attempts > 0 && done,
    ...stays,
    staleUrls > 0 && stale,
    configured !== null && note,
  ]).join('');
}

const WHY: Readonly<Record<MergeDecision['why'], string>> = {
  present: 'it matches the definition',
  content: 'it was rendered from changed content, the other side from unchanged content',
  later: 'it was rendered later',
  update: 'it was changed; the other side removed it',
  order: 'neither side is newer',
};

/** Lists the conflicts that a merge resolved; empty if there were none. */
export function mergeDecisionsText(
  file: string,
  decisions: readonly MergeDecision[],
  options: { readonly color: boolean },
): string {
  const { bold, yellow } = createColors(options.color);
  if (decisions.length === 0) return '';
  const width = maxWidth(decisions.map(({ name }) => escapeControls(name)));
  const lines = decisions.map(({ kind, name, side, why }) => {
    const what = kind === 'field' ? ' (a top-level field)' : '';
    return `  ${bold(padCells(escapeControls(name), width))}  ${side.padEnd('theirs'.length)}: ${WHY[why]}${what}`;
  });
  return `${yellow(`${file}: both sides changed ${countNoun(decisions.length, 'entry', 'entries')}`)}\n${lines.join('\n')}\n`;
}

/** Reports the result of `lock merge`. */
export function mergedText(file: string, entryCount: number, options: { readonly color: boolean }): string {
  const { green } = createColors(options.color);
  const hint = `Check the remaining changes with reelform plan, then: git add ${file}`;
  return `${green('✓')} ${file} is merged, ${countNoun(entryCount, 'entry', 'entries')}. ${hint}\n`;
}

export function nothingToMergeText(file: string, isUnmerged: boolean): string {
  const hint = isUnmerged ? ` To finish, run: git add ${file}` : '';
  return `${file} has no conflict.${hint}\n`;
}

/** Reports the installation of the merge driver. */
export function installedText(
  installed: Readonly<Record<'attributes' | 'driver', 'done' | 'already' | { readonly keptValue: string }>>,
  options: { readonly color: boolean },
): string {
  const { green, yellow } = createColors(options.color);
  const line = (name: string, what: (typeof installed)['driver'], done: string): string => {
    if (what === 'done') return `${green('set')}  ${name}: ${done}\n`;
    if (what === 'already') return `${green('was set')}  ${name}\n`;
    return `${yellow('left')}  ${name} has another value: ${escapeControls(what.keptValue)}\n`;
  };
  return [
    line('.gitattributes', installed.attributes, 'commit it'),
    line('merge.reelform.driver', installed.driver, 'for this clone; run it once in every other clone'),
  ].join('');
}
