import { createColors } from 'picocolors';
import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { LeftOutVideo, WaitingVideo } from '../../reconciler/definition/video.ts';
import type { MatrixDocument } from '../../reconciler/plan/matrix-document.ts';
import type { Change } from '../../reconciler/plan/plan.ts';
import { maxWidth, padCells } from '../wording/cell-width.ts';
import { matrixWords } from '../wording/definition-words.ts';
import { escapeControls } from '../wording/display-text.ts';
import { recordedUrl, unplannedState, videoState } from '../wording/plan-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';

/** Definitions with variants or locales, to fold their videos into a line. */
export interface ListFolds {
  /** Id of a video → its definition; without videos that have neither. */
  readonly definitionOf: ReadonlyMap<string, string>;
  readonly matrices: readonly MatrixDocument[];
}

interface ListRow {
  readonly id: string;
  readonly state: string;
  /** The URL of the video, why it has none, or the size of a definition. */
  readonly about: string;
}

/**
 * Lists videos, a video per line: id, state, URL. A definition with variants or locales has one line: id, number of videos in each
 * state, size.
 *
 * @param leftOut videos without a change that their condition leaves out, or that wait
 * @param options.folds null lists each video
 */
export function listText(
  changes: readonly Change[],
  leftOut: readonly (LeftOutVideo | WaitingVideo)[],
  options: { readonly color: boolean; readonly folds: ListFolds | null },
): string {
  const { bold, dim, green, yellow } = createColors(options.color);
  if (changes.length + leftOut.length === 0) return 'There are no videos.\n';
  const listed = changes.map((change): ListRow => {
    return { id: change.id, state: videoState(change), about: recordedUrl(change) ?? '' };
  });
  const others = leftOut.map((video): ListRow => {
    return { id: video.id, state: unplannedState(video), about: video.reason };
  });
  const all = [...listed, ...others].sort((a, b) => byCodeUnit(a.id, b.id));
  const rows = options.folds === null ? all : foldRows(all, options.folds);
  const shown = rows.map(({ id, state, about }) => ({ id: escapeControls(id), state, about: escapeControls(about) }));
  const [idWidth, stateWidth] = [maxWidth(shown.map(({ id }) => id)), maxWidth(shown.map(({ state }) => state))];
  const lines = shown.map(({ id, state, about }) => {
    const paint = state === 'up to date' ? green : yellow;
    return `${bold(padCells(id, idWidth))}  ${paint(padCells(state, stateWidth))}  ${dim(about)}`.trimEnd();
  });
  const note = rows.length === all.length ? [] : ['', dim('Use --verbose to list each video.')];
  return `${[...lines, ...note].join('\n')}\n`;
}

function foldRows(rows: readonly ListRow[], { definitionOf, matrices }: ListFolds): ListRow[] {
  const sizes = new Map(matrices.map((matrix) => [matrix.definition, matrix]));
  const groups = groupBy(rows, ({ id }) => {
    const definition = definitionOf.get(id);
    return definition === undefined ? `video ${id}` : `definition ${definition}`;
  });
  const folded = [...groups.values()].map((group): ListRow => {
    const definition = definitionOf.get(group[0].id);
    const size = definition === undefined ? undefined : sizes.get(definition);
    if (definition === undefined || group.length === 1) return group[0];
    const states = [...groupBy(group, ({ state }) => state)].map(([state, { length }]) => ({ state, length }));
    const words = states.map(({ state, length }) => `${formatCount(length)} ${state}`).join(', ');
    const about = size === undefined ? countNoun(group.length, 'video') : matrixWords(size);
    return { id: definition, state: states.length === 1 ? states[0]!.state : words, about };
  });
  return folded.sort((a, b) => byCodeUnit(a.id, b.id));
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
