import { createColors } from 'picocolors';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { LeftOutVideo } from '../../reconciler/definition/resolve-definitions.ts';
import type { WaitingVideo } from '../../reconciler/definition/video.ts';
import type { Change } from '../../reconciler/plan/plan.ts';
import { maxWidth, padCells } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';
import { recordedUrl, unplannedState, videoState } from '../wording/plan-words.ts';
import { countNoun } from '../wording/quantities.ts';

/**
 * Lists videos, a video per line: id, state, URL.
 *
 * @param leftOut videos without a change that their condition leaves out, or that wait
 */
export function listText(
  changes: readonly Change[],
  leftOut: readonly (LeftOutVideo | WaitingVideo)[],
  options: { readonly color: boolean },
): string {
  const { bold, dim, green, yellow } = createColors(options.color);
  if (changes.length + leftOut.length === 0) return 'There are no videos.\n';
  const listed = changes.map((change) => ({
    id: escapeControls(change.id),
    state: videoState(change),
    url: escapeControls(recordedUrl(change) ?? ''),
  }));
  const others = leftOut.map((video) => ({
    id: escapeControls(video.id),
    state: unplannedState(video),
    url: escapeControls(video.reason),
  }));
  const rows = [...listed, ...others].sort((a, b) => byCodeUnit(a.id, b.id));
  const [idWidth, stateWidth] = [maxWidth(rows.map(({ id }) => id)), maxWidth(rows.map(({ state }) => state))];
  const lines = rows.map(({ id, state, url }) => {
    const paint = state === 'up to date' ? green : yellow;
    return `${bold(padCells(id, idWidth))}  ${paint(padCells(state, stateWidth))}  ${dim(url)}`.trimEnd();
  });
  return `${lines.join('\n')}\n`;
}

/** Files that `reelform prune` and `reelform speak --prune` remove, by kind. */
export interface PrunableFiles {
  /**
   * `output`: a file of an earlier rendering; `preview`: written by `reelform render`; `segment`: of the segment cache; `speech`: of a
   * text that no definition has.
   */
  readonly kind: 'output' | 'preview' | 'segment' | 'speech';
  /** Repository-relative. */
  readonly path: string;
  readonly bytes: number;
}

const KINDS = {
  output: ['file of an earlier rendering', 'files of earlier renderings'],
  preview: ['old preview', 'old previews'],
  segment: ['unused segment', 'unused segments'],
  speech: ['file of unused speech', 'files of unused speech'],
} as const satisfies Record<PrunableFiles['kind'], readonly [string, string]>;

/** Maximum number of listed files of each kind. */
const LISTED = 8;

/** Reports the files that a command removed, or would remove. @param options.command removes them */
export function pruneText(
  files: readonly PrunableFiles[],
  options: { readonly isRemoved: boolean; readonly command: string },
): string {
  if (files.length === 0) return 'There is nothing to remove.\n';
  const blocks = (Object.keys(KINDS) as PrunableFiles['kind'][]).flatMap((kind) => {
    const found = files.filter((file) => file.kind === kind);
    if (found.length === 0) return [];
    // Segments have no readable names.
    const named = kind === 'segment' ? [] : found.slice(0, LISTED).map(({ path }) => `  ${escapeControls(path)}`);
    const more = kind === 'segment' || found.length <= LISTED ? [] : [`  and ${found.length - LISTED} more`];
    return [`${countNoun(found.length, KINDS[kind][0], KINDS[kind][1])}, ${sizeText(found)}`, ...named, ...more];
  });
  const total = `${countNoun(files.length, 'file')}, ${sizeText(files)}`;
  const end = options.isRemoved ? `Removed ${total}.` : `Would remove ${total}. Run \`${options.command}\` to do so.`;
  return `${[...blocks, end].join('\n')}\n`;
}

function sizeText(files: readonly PrunableFiles[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(1)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
