import { createColors } from 'picocolors';
import type { Action } from '../../reconciler/plan/plan.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { cellWidth, cutCells } from '../wording/cell-width.ts';
import { definitionWords } from '../wording/definition-words.ts';
import { escapeControls, joinTexts, listNames } from '../wording/display-text.ts';
import { type ChangeGroup, foldChanges, folderOf } from '../wording/fold-changes.ts';
import { leftOutGroups, leftOutWords, waitingGroups, waitingWords } from '../wording/left-out-words.ts';
import { groupRowsOf, hidesValues } from '../wording/plan-rows.ts';
import {
  changeSegmentWords,
  countWords,
  emptyWords,
  estimateWords,
  groupReasonWords,
  incompleteWords,
  reasonWords,
  restoreGroups,
  restoreWords,
  SYMBOLS,
  type VideoGroup,
  withoutRestores,
} from '../wording/plan-words.ts';
import { countNoun, formatCount, listSome } from '../wording/quantities.ts';
import { textGroups, textWords } from '../wording/text-words.ts';
import { layOutRows } from './plan-row-text.ts';
import { paintSpans, type StyledText, wrapSpans } from './wrap-spans.ts';

type Colors = ReturnType<typeof createColors>;

export interface PlanTextOptions {
  /** True if escape codes are allowed. */
  readonly color: boolean;
  /** True if 24-bit colours are supported; otherwise 256 colours are used. */
  readonly trueColor: boolean;
  /** Width of the terminal in columns, > 0; clamped to 40..120. */
  readonly columns: number;
  /** Shows each video on its own, however many there are. */
  readonly verbose?: boolean;
}

/** Ids are padded to the longest id, up to this width. */
const WIDEST_ID = 28;
/** A title with less room moves below its id. */
const MIN_TITLE = 12;
/** Maximum number of ids listed for a block. */
const MAX_NAMES = 3;
/** Maximum number of ids listed for each reason to restore or leave out videos. */
const MAX_LISTED = 10;
/** Maximum number of reasons listed for videos that are left out. */
const MAX_REASONS = 5;

/**
 * Formats a plan for a terminal: counts, then a block for each change with its differences. Folds a large plan, with a note.
 */
export function planText(plan: PlanDocument, options: PlanTextOptions): string {
  const groups = foldChanges(withoutRestores(plan), options.verbose !== true);
  const colors = createColors(options.color);
  const columns = Math.min(Math.max(options.columns || 80, 40), 120);
  const space: ListSpace = { columns, isVerbose: options.verbose === true, colors };
  const restores = restoreLines(plan, space).join('\n');
  const leftOut = [...waitingLines(plan, space), ...textLines(plan, space), ...leftOutLines(plan, space)].join('\n');
  if (groups.length === 0) {
    const words = [emptyWords(plan), incompleteWords(plan)].join('\n').trimEnd();
    return `${joinTexts([words, restores, leftOut])}\n`;
  }
  const idWidths = groups.map(({ kind, changes: [first] }) => (kind === 'single' ? cellWidth(first.id) : 0));
  const idWidth = Math.max(0, ...idWidths.filter((width) => width <= WIDEST_ID));

  const blocks = groups.map((group) => [
    ...(group.kind === 'single'
      ? titleOfSingle(group, columns, idWidth, colors)
      : titleOfMany(group, plan, columns, colors)),
    ...(group.kind === 'rest' ? [] : layOutRows(groupRowsOf(group), { ...options, columns }, colors)),
  ]);
  // Two-line blocks need no blank lines; as soon as a block is taller, all are separated.
  const airy = blocks.some((block) => block.length > 2);
  const body = blocks.map((block) => block.join('\n')).join(airy ? '\n\n' : '\n');
  const folded = wrapSpans([{ text: foldedWords(groups), paint: colors.dim }], columns).join('\n');
  const words = incompleteWords(plan);
  const incomplete = words === '' ? '' : wrapSpans([{ text: words, paint: colors.yellow }], columns).join('\n');
  return `${joinTexts([heading(plan, columns, colors), body, folded, restores, leftOut, incomplete])}\n`;
}

function heading(plan: PlanDocument, columns: number, colors: Colors): string {
  const counts = countWords(plan).flatMap(({ action, words }, index): StyledText[] => [
    { text: index === 0 ? '' : ', ' },
    { text: words.replaceAll(' ', '\u00a0'), paint: paintOf(action, colors) },
  ]);
  const estimate: StyledText[] = [
    { text: ' · ', paint: colors.dim },
    { text: estimateWords(plan).replaceAll(' ', '\u00a0') },
  ];
  const lines = wrapSpans([...counts, ...estimate], columns - 'Plan: '.length);
  return `${colors.bold('Plan:')} ${lines.join('\n      ').replaceAll('\u00a0', ' ')}`;
}

interface ListSpace {
  readonly columns: number;
  readonly isVerbose: boolean;
  readonly colors: Colors;
}

function restoreLines(plan: PlanDocument, space: ListSpace): string[] {
  const words = restoreWords(plan);
  if (words === '') return [];
  const mark = paintOf('restore', space.colors)(SYMBOLS.restore);
  return [...wrapSpans([{ text: words }], space.columns), ...groupLines(restoreGroups(plan), mark, space)];
}

/** Lists the videos that wait for speech. */
function waitingLines(plan: PlanDocument, space: ListSpace): string[] {
  const words = waitingWords(plan);
  if (words === '') return [];
  const mark = space.colors.yellow('◌');
  return [...wrapSpans([{ text: words }], space.columns), ...groupLines(waitingGroups(plan), mark, space)];
}

/** Lists the videos that conditions leave out, by reason. */
function leftOutLines(plan: PlanDocument, space: ListSpace): string[] {
  const words = leftOutWords(plan);
  if (words === '') return [];
  const { columns, isVerbose, colors } = space;
  const groups = leftOutGroups(plan);
  const shown = isVerbose ? groups : groups.slice(0, MAX_REASONS);
  const hidden = groups.length - shown.length;
  const more = hidden === 0 ? [] : [`    ${colors.dim(`and for ${countNoun(hidden, 'other reason')}`)}`];
  return [...wrapSpans([{ text: `${words}:` }], columns), ...groupLines(shown, colors.dim('○'), space), ...more];
}

/** Lists what locales lack, by definition. */
function textLines(plan: PlanDocument, space: ListSpace): string[] {
  const words = textWords(plan);
  if (words === '') return [];
  const groups = textGroups(plan);
  const shown = space.isVerbose ? groups : groups.slice(0, MAX_LISTED);
  const hidden = groups.length - shown.length;
  const more = hidden === 0 ? [] : [`    ${space.colors.dim(`and ${countNoun(hidden, 'other definition')}`)}`];
  return [
    ...wrapSpans([{ text: `${words}:` }], space.columns),
    ...groupLines(shown, space.colors.yellow('○'), space),
    ...more,
  ];
}

function groupLines(groups: readonly VideoGroup[], mark: string, { columns, isVerbose, colors }: ListSpace): string[] {
  return groups.flatMap(({ words: reason, ids }) => {
    const names = isVerbose ? ids.map(escapeControls).join(', ') : listNames(ids, MAX_LISTED);
    const [first = '', ...rest] = wrapSpans(
      [{ text: `${escapeControls(reason)}: ` }, { text: names, paint: colors.bold }],
      columns - 4,
    );
    return [`  ${mark} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
}

function titleOfSingle(group: ChangeGroup, columns: number, idWidth: number, colors: Colors): string[] {
  const [change] = group.changes;
  const { action, id, path } = change;
  const name = escapeControls(id);
  const mark = paintOf(action, colors)(SYMBOLS[action]);
  const facts = [path ?? '', reasonWords(change), changeSegmentWords([change])].filter((fact) => fact !== '');
  const about = aboutLines(facts.map(escapeControls).join(' · '), columns, colors);
  const gap = ' '.repeat(Math.max(0, idWidth - cellWidth(name)) + 2);
  const room = columns - 4 - cellWidth(name) - gap.length;
  if (room < MIN_TITLE) {
    const [first, ...rest] = wrapSpans([{ text: name, paint: colors.bold }], columns - 4);
    const title = cutCells(escapeControls(change.title), columns - 4);
    return [`  ${mark} ${first}`, ...[...rest, title].map((line) => `    ${line}`), ...about];
  }
  return [`  ${mark} ${colors.bold(name)}${gap}${cutCells(escapeControls(change.title), room)}`, ...about];
}

function titleOfMany({ changes, kind }: ChangeGroup, plan: PlanDocument, columns: number, colors: Colors): string[] {
  const [first] = changes;
  const ids = listSome(changes, MAX_NAMES, ({ id }) => escapeControls(id));
  const path = kind === 'definition' ? (first.path ?? '') : '';
  const facts = [path, kind === 'rest' ? '' : groupReasonWords(first), changeSegmentWords(changes)];
  const known = facts.flatMap((fact) => (fact === '' ? [] : `${escapeControls(fact)} · `)).join('');
  const title: StyledText[] =
    kind === 'definition'
      ? [
          { text: escapeControls(first.matrix!.definition), paint: colors.bold },
          { text: `  ${definitionWords(plan, changes)}` },
        ]
      : [{ text: groupWords(changes, kind), paint: colors.bold }];
  const [line = '', ...further] = kind === 'definition' ? wrapSpans(title, columns - 4) : [paintSpans(title)];
  return [
    `  ${paintOf(first.action, colors)(SYMBOLS[first.action])} ${line}`,
    ...further.map((rest) => `    ${rest}`),
    ...aboutLines(known + ids, columns, colors),
  ];
}

function aboutLines(about: string, columns: number, colors: Colors): string[] {
  return wrapSpans([{ text: about, paint: colors.dim }], columns - 4).map((line) => `    ${line}`);
}

function groupWords(changes: ChangeGroup['changes'], kind: ChangeGroup['kind']): string {
  const count = countNoun(changes.length, 'video');
  const folder = folderOf(changes[0]);
  if (kind === 'same') return `${count}, all with the same changes`;
  if (kind === 'rest') return `${formatCount(changes.length)} more to ${changes[0].action}`;
  return folder === '' ? count : `${count} in ${escapeControls(folder)}`;
}

/** Counts the omissions of a folded plan; empty if there are none. */
function foldedWords(groups: readonly ChangeGroup[]): string {
  const unnamed = groups.reduce((sum, { changes }) => sum + Math.max(0, changes.length - MAX_NAMES), 0);
  const differing = groups.filter(hidesValues).reduce((sum, { changes }) => sum + changes.length, 0);
  const omissions = [
    ...(unnamed === 0 ? [] : [`${countNoun(unnamed, 'video')} not listed`]),
    ...(differing === 0 ? [] : [`values of ${countNoun(differing, 'video')} not shown`]),
  ];
  return omissions.length === 0
    ? ''
    : `This plan is shortened: ${omissions.join(', ')}. Use --verbose for all details.`;
}

function paintOf(action: Action, colors: Colors): (text: string) => string {
  const paints = {
    create: colors.green,
    update: colors.yellow,
    move: colors.cyan,
    adopt: colors.cyan,
    restore: colors.blue,
    relabel: colors.magenta,
    deliver: colors.blue,
    forget: colors.red,
    noop: colors.dim,
  };
  return paints[action];
}
