import { createColors } from 'picocolors';
import { groupUses } from '../../engine/inspect/inspect-package.ts';
import type { NewPackage } from '../../template/init/init-package.ts';
import type { NeededFile } from '../../template/init/lottie-source.ts';
import { FEATURES } from '../../template/lottie/unsupported-features.ts';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';
import { placesText } from '../wording/package-diagnostic.ts';
import { exampleOf, type InitReport } from './template-init-json.ts';

const MOST_COLORS = 6;

/** The report about a new package, for people: what it offers, what was changed, what is missing, what comes next. */
export function initText({ made, folder, others, problems }: InitReport, options: { readonly color: boolean }): string {
  const { bold, dim, red, yellow, green } = createColors(options.color);
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => `  ${line}`)];
  const { animation, editables, stills, needs, notes, unsupported, colors } = made;
  const seconds = Number(((animation.op - animation.ip) / animation.fr).toFixed(2));
  const changed = notes.filter(({ kind }) => kind === 'changed');
  const left = notes.filter(({ kind }) => kind === 'left');
  const lines = [
    `${needs.length + problems.length === 0 ? green('✓') : yellow('!')} ${bold(folder)}  ${animation.w} × ${animation.h}, ${Number(animation.fr.toFixed(2))} fps, ${seconds} s`,
    ...section(countNoun(editables.length, 'editable'), table(editables.map(editableRow))),
    ...section(countNoun(stills.length, 'still'), table(stills.map((still) => stillRow(still, animation.fr)))),
    ...section(
      'Changed',
      changed.map(({ message }) => message),
    ),
    ...section(
      'Not drawn as designed',
      groupUses(unsupported).flatMap(({ feature, what, uses }) => [
        `${yellow(what)} of ${placesText(uses)}`,
        dim(`  ${FEATURES[feature].instead}`),
      ]),
    ),
    ...section('Not editable', [
      ...left.map(({ message }) => message),
      ...(colors.length === 0 ? [] : [colorsText(colors)]),
      ...(others.length === 0 ? [] : [`The file has other animations, too: ${others.join(', ')} (--animation)`]),
    ]),
    ...section('Needed', needs.map(neededLine)),
    ...section(
      'Wrong',
      problems.map((problem) => red(problem)),
    ),
    ...section('Next', nextSteps(folder, needs)),
  ];
  return `${lines.map(escapeButStyles).join('\n')}\n`;
}

function editableRow(one: NewPackage['editables'][number]): string[] {
  const { key, kind, label, origin, former, stillcut, maxLength } = one;
  const value = exampleOf(one);
  const example = value === null ? '' : kind === 'color' ? `#${value}` : JSON.stringify(shorten(value, 40));
  const from = { slot: `slot ${JSON.stringify(former)}`, name: 'by its name', proposed: 'proposed' }[origin];
  const length = maxLength === null ? '' : `${maxLength} characters`;
  return [key, kind, shorten(label, 40), example, stillcut, length, from].map(escapeControls);
}

function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

function stillRow({ name, frame, origin }: NewPackage['stills'][number], fps: number): string[] {
  const time = `${Number((frame / fps).toFixed(3))} s`;
  return [name, time, `frame ${frame}`, origin === 'marker' ? 'a marker' : 'chosen: most is shown there'];
}

function colorsText(colors: NewPackage['colors']): string {
  const shown = colors.slice(0, MOST_COLORS).map(({ color, layerCount }) => {
    return `#${color} of ${countNoun(layerCount, 'layer')}`;
  });
  const more = colors.length > MOST_COLORS ? ` and ${colors.length - MOST_COLORS} more` : '';
  // Without a number, --colors takes those of two layers or more.
  const option = colors.every(({ layerCount }) => layerCount > 1) ? '--colors' : '--colors 1';
  return `Colours: ${shown.join(', ')}${more}; ${option} offers ${colors.length === 1 ? 'it' : 'them'}`;
}

function neededLine({ kind, name, path, problem }: NeededFile): string {
  const why =
    problem === null ? 'the animation names it, and it is neither inside nor beside it' : `its file ${problem}`;
  return `${path}  the ${kind} ${escapeControls(name)}: ${why}`;
}

function nextSteps(folder: string, needs: readonly NeededFile[]): string[] {
  const name = folder.split('/').at(-1)!;
  const endings = needs.some(({ kind }) => kind === 'font') ? ' (fonts as .ttf, .otf, .woff2 or .woff)' : '';
  return [
    ...(needs.length === 0 ? [] : [`Add what is needed to ${folder}/${endings}`]),
    `Read ${folder}/template.yaml: labels, lengths and stills are a proposal`,
    `reelform template check ${folder}`,
    `In reelform.yaml:  templates: {${name}: ./${folder}}`,
  ];
}

/** Columns as wide as their widest cell, without those that are empty. */
function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .filter((_, column) => widths[column]! > 0)
      .join('  ')
      .trimEnd(),
  );
}

/** Names in an animation are anybody's text. */
function escapeButStyles(line: string): string {
  return line
    .split(/(\u001b\[\d+m)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeControls(part)))
    .join('');
}
