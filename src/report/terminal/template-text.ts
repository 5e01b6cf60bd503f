import { createColors } from 'picocolors';
import { groupUses } from '../../engine/inspect/inspect-package.ts';
import { formatColor } from '../../template/bind/color.ts';
import type { NewPackage } from '../../template/init/init-package.ts';
import type { NeededFile } from '../../template/init/lottie-source.ts';
import { isConstantVector } from '../../template/lottie/lottie-layers.ts';
import { normalizeLineBreaks, textStyles } from '../../template/lottie/lottie-slots.ts';
import { propertyText } from '../../template/lottie/slot-property.ts';
import { FEATURES } from '../../template/lottie/unsupported-features.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { tableLines } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';
import { placesText } from '../wording/package-diagnostic.ts';
import { countNoun } from '../wording/quantities.ts';

const MOST_COLORS = 6;

/** Reports a new package: editables, changes, missing files and next steps. */
export function initText(
  { created, folder, others, problems }: InitReport,
  options: { readonly color: boolean },
): string {
  const { bold, dim, red, yellow, green } = createColors(options.color);
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => `  ${line}`)];
  const { animation, editables, stills, needs, notes, unsupported, colors } = created;
  const seconds = Number(((animation.op - animation.ip) / animation.fr).toFixed(2));
  const changed = notes.filter(({ kind }) => kind === 'changed');
  const left = notes.filter(({ kind }) => kind === 'left');
  const lines = [
    `${needs.length + problems.length === 0 ? green('✓') : yellow('!')} ${bold(folder)}  ${animation.w} × ${animation.h}, ${Number(animation.fr.toFixed(2))} fps, ${seconds} s`,
    ...section(countNoun(editables.length, 'editable'), tableLines(editables.map(editableRow))),
    ...section(countNoun(stills.length, 'still'), tableLines(stills.map((still) => stillRow(still, animation.fr)))),
    ...section(
      'Changed',
      changed.map(({ message }) => message),
    ),
    ...section(
      'Not rendered as designed',
      groupUses(unsupported).flatMap(({ feature, what, uses }) => [
        `${yellow(what)} of ${placesText(uses)}`,
        dim(`  ${FEATURES[feature].instead}`),
      ]),
    ),
    ...section('Not editable', [
      ...left.map(({ message }) => message),
      ...(colors.length === 0 ? [] : [colorsText(colors)]),
      ...(others.length === 0 ? [] : [`The file contains other animations: ${others.join(', ')} (--animation)`]),
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

function editableRow(editable: NewPackage['editables'][number]): string[] {
  const { key, kind, label, origin, former, stillcut, maxLength } = editable;
  const value = exampleOf(editable);
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
  return [name, time, `frame ${frame}`, origin === 'marker' ? 'a marker' : 'chosen because most is visible there'];
}

function colorsText(colors: NewPackage['colors']): string {
  const shown = colors.slice(0, MOST_COLORS).map(({ color, layerCount }) => {
    return `#${color} of ${countNoun(layerCount, 'layer')}`;
  });
  const more = colors.length > MOST_COLORS ? ` and ${colors.length - MOST_COLORS} more` : '';
  // Without a number, --colors takes colours of at least two layers.
  const option = colors.every(({ layerCount }) => layerCount > 1) ? '--colors' : '--colors 1';
  return `Colours: ${shown.join(', ')}${more}; ${option} makes ${colors.length === 1 ? 'it' : 'them'} editable`;
}

function neededLine({ kind, name, path, problem }: NeededFile): string {
  const why =
    problem === null
      ? 'the animation refers to it, but it is neither in the file nor next to it'
      : `its file ${problem}`;
  return `${path}  the ${kind} ${escapeControls(name)}: ${why}`;
}

function nextSteps(folder: string, needs: readonly NeededFile[]): string[] {
  const name = folder.split('/').at(-1)!;
  const endings = needs.some(({ kind }) => kind === 'font') ? ' (fonts as .ttf, .otf, .woff2 or .woff)' : '';
  return [
    ...(needs.length === 0 ? [] : [`Add the missing files to ${folder}/${endings}`]),
    `Review ${folder}/template.yaml: labels, lengths and stillcuts are suggestions`,
    `reelform template check ${folder}`,
    `In reelform.yaml:  templates: {${name}: ./${folder}}`,
  ];
}

/** Escapes names of an untrusted animation, but keeps styles. */
function escapeButStyles(line: string): string {
  return line
    .split(/(\u001b\[\d+m)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeControls(part)))
    .join('');
}

/** A new package and its location. */
interface InitReport {
  readonly created: NewPackage;
  /** Path shown to the user. */
  readonly folder: string;
  /** Other animations in the same file. */
  readonly others: readonly string[];
  /** Why a complete package cannot be rendered; usually empty. */
  readonly problems: readonly string[];
}

/** Serializes the report about a new package (`template init --json`). */
export function initJson({ created, folder, others, problems }: InitReport): object {
  const { name, animation, editables, stills, needs, notes, unsupported, colors, files } = created;
  return {
    format_version: '1.0',
    name,
    folder,
    ready: needs.length === 0 && problems.length === 0,
    width: animation.w,
    height: animation.h,
    fps: animation.fr,
    frames: Math.round(animation.op - animation.ip),
    editables: editables.map((editable) => ({
      key: editable.key,
      kind: editable.kind,
      label: editable.label,
      origin: editable.origin,
      former: editable.former,
      stillcut: editable.stillcut,
      max_length: editable.maxLength,
      example_text: exampleOf(editable),
    })),
    stillcuts: stills.map((still) => ({ name: still.name, frame: still.frame, origin: still.origin })),
    files: [...files.keys()],
    needs,
    notes,
    unsupported,
    colors: colors.map(({ color, layerCount }) => ({ color, layers: layerCount })),
    other_animations: others,
    problems,
  };
}

/** Returns the template's own value as a definition writes it: a text or colour digits; null for other kinds. */
function exampleOf({ kind, nodes: [node] }: NewPackage['editables'][number]): string | null {
  if (node === undefined) return null;
  switch (kind) {
    case 'text':
      return normalizeLineBreaks(textStyles(node)[0]?.t ?? '');
    case 'color':
      return isConstantVector(node) ? formatColor(node.k) : null;
    case 'number':
    case 'point':
    case 'gradient':
      return propertyText(kind, node);
    default:
      return null;
  }
}

export function checkedText(
  folder: string,
  { manifest, stills, spec, width, height }: TemplatePackage,
  options: { readonly color: boolean },
): string {
  const { green } = createColors(options.color);
  const counts = `${countNoun(manifest.editables.size, 'editable')}, ${countNoun(stills.length, 'still')}`;
  return `${green('✓')} ${escapeControls(folder)}  ${width} × ${height}, ${counts}  ${spec.id}\n`;
}

interface PackedTemplate {
  readonly file: string;
  readonly bytes: number;
  /** Number of files in the package. */
  readonly files: number;
  readonly style_version: string;
}

export function packedText({ file, bytes, files, style_version }: PackedTemplate, options: { color: boolean }): string {
  const { green } = createColors(options.color);
  const size = `${Math.max(1, Math.round(bytes / 1000))} kB`;
  return `${green('✓')} ${escapeControls(file)}  ${countNoun(files, 'file')}, ${size}  ${style_version}\n`;
}

/** Result of pushing editable template. */
export interface PushedTemplate {
  readonly name: string;
  /** Id of its style version. */
  readonly id: string;
  readonly status: 'edit_ready' | 'failed';
  /** False if the service already had it. */
  readonly uploaded: boolean;
  /** Reason of a failure. */
  readonly message: string | null;
}

export function pushText(templates: readonly PushedTemplate[], options: { readonly color: boolean }): string {
  const { green, red, dim } = createColors(options.color);
  const width = Math.max(0, ...templates.map(({ name }) => name.length));
  const lines = templates.map(({ name, id, status, uploaded, message }) => {
    if (status === 'failed') return `${red('✗')} ${name.padEnd(width)}  ${id}  ${escapeControls(message ?? 'failed')}`;
    return `${green('✓')} ${name.padEnd(width)}  ${id}  ${uploaded ? 'pushed' : dim('already there')}`;
  });
  return lines.map((line) => `${line}\n`).join('');
}
