import { createColors } from 'picocolors';
import { isSlotKind } from '../../contract/fields/editable-kinds.ts';
import { groupUses } from '../../engine/inspect/inspect-package.ts';
import { present } from '../../kernel/defined.ts';
import { formatColor } from '../../template/color.ts';
import type { NewPackage } from '../../template/init/init-package.ts';
import type { NeededFile } from '../../template/init/lottie-source.ts';
import { isConstantVector } from '../../template/lottie/lottie-layers.ts';
import { normalizeLineBreaks, textStyles } from '../../template/lottie/slots/lottie-slots.ts';
import { propertyText } from '../../template/lottie/slots/slot-property.ts';
import { FEATURES } from '../../template/lottie/unsupported/unsupported-features.ts';
import { type TemplateLengths, templateLengths } from '../../template/package-timing.ts';
import type { SampleName } from '../../template/sample-mappings.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { tableLines } from '../wording/cell-width.ts';
import { escapeControls, shortenText } from '../wording/display-text.ts';
import { placesText } from '../wording/package-diagnostic.ts';
import { countNoun, listSome } from '../wording/quantities.ts';

const MAX_COLORS = 6;

/** Reports a new package: editables, changes, missing files and next steps. */
export function initText(
  { created, folder, furtherAnimations, problems }: InitReport,
  options: { readonly color: boolean },
): string {
  const { bold, red, yellow, green } = createColors(options.color);
  const section = sections(options);
  const { animation, editables, stills, needs, notes, unsupported, colors } = created;
  const seconds = Number(((animation.op - animation.ip) / animation.fr).toFixed(2));
  const changed = notes.filter(({ kind }) => kind === 'changed');
  const left = notes.filter(({ kind }) => kind === 'skipped');
  const lines = [
    `${needs.length + problems.length === 0 ? green('✓') : yellow('!')} ${bold(folder)}  ${animation.w} × ${animation.h}, ${Number(animation.fr.toFixed(2))} fps, ${seconds} s`,
    ...section(countNoun(editables.length, 'editable'), tableLines(editables.map(editableRow))),
    ...section(countNoun(stills.length, 'still'), tableLines(stills.map((still) => stillRow(still, animation.fr)))),
    ...section(
      'Changed',
      changed.map(({ message }) => message),
    ),
    ...section('Not rendered as designed', unsupportedLines(unsupported, options)),
    ...section(
      'Not editable',
      present([
        ...left.map(({ message }) => message),
        colors.length > 0 && colorsText(colors),
        furtherAnimations.length > 0 &&
          `The file contains other animations: ${furtherAnimations.join(', ')} (--animation)`,
      ]),
    ),
    ...section('Needed', needs.map(neededLine)),
    ...section(
      'Wrong',
      problems.map((problem) => red(problem)),
    ),
    ...section('Next', nextSteps(folder, needs)),
  ];
  return `${lines.map(escapeButStyles).join('\n')}\n`;
}

/** Returns a function that formats a section of a report, which is left out without lines. */
function sections({ color }: { readonly color: boolean }): (title: string, lines: readonly string[]) => string[] {
  const { bold } = createColors(color);
  return (title, lines) => (lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => `  ${line}`)]);
}

function unsupportedLines(found: NewPackage['unsupported'], { color }: { readonly color: boolean }): string[] {
  const { dim, yellow } = createColors(color);
  return groupUses(found).flatMap(({ feature, what, uses }) => [
    `${yellow(what)} of ${placesText(uses)}`,
    dim(`  ${FEATURES[feature].instead}`),
  ]);
}

function editableRow(editable: NewPackage['editables'][number]): string[] {
  const { key, kind, label, origin, sourceName, stillcut, maxLength } = editable;
  const value = exampleOf(editable);
  const example = value === null ? '' : kind === 'color' ? `#${value}` : JSON.stringify(shortenText(value, 40));
  const from = { slot: `slot ${JSON.stringify(sourceName)}`, name: 'by its name', proposed: 'proposed' }[origin];
  const length = maxLength === null ? '' : `${maxLength} characters`;
  return [key, kind, shortenText(label, 40), example, stillcut, length, from].map(escapeControls);
}

function stillRow({ name, frame, origin }: NewPackage['stills'][number], fps: number): string[] {
  const time = `${Number((frame / fps).toFixed(3))} s`;
  return [name, time, `frame ${frame}`, origin === 'marker' ? 'a marker' : 'chosen because most is visible there'];
}

function colorsText(colors: NewPackage['colors']): string {
  const shown = listSome(colors, MAX_COLORS, (color) => `#${color.color} of ${countNoun(color.layerCount, 'layer')}`);
  // Without a number, --colors takes colours of at least two layers.
  const option = colors.every(({ layerCount }) => layerCount > 1) ? '--colors' : '--colors 1';
  return `Colours: ${shown}; ${option} makes ${colors.length === 1 ? 'it' : 'them'} editable`;
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
  return present([
    needs.length > 0 && `Add the missing files to ${folder}/${endings}`,
    `Review ${folder}/template.yaml: labels, lengths and stillcuts are suggestions`,
    `reelform template check ${folder}`,
    `In reelform.yaml:  templates: {${name}: ./${folder}}`,
  ]);
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
  /** Further animations in the same file. */
  readonly furtherAnimations: readonly string[];
  /** Why a complete package cannot be rendered; usually empty. */
  readonly problems: readonly string[];
}

/** Serializes the report about a new package (`template init --json`). */
export function initJson({ created, folder, furtherAnimations, problems }: InitReport): object {
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
      former: editable.sourceName,
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
    other_animations: furtherAnimations,
    problems,
  };
}

/** Returns the template's own value as a definition writes it: a text or colour digits; null for other kinds. */
function exampleOf({ kind, nodes: [node] }: NewPackage['editables'][number]): string | null {
  if (node === undefined) return null;
  if (isSlotKind(kind)) return propertyText(kind, node);
  switch (kind) {
    case 'text':
      return normalizeLineBreaks(textStyles(node)[0]?.t ?? '');
    case 'color':
      return isConstantVector(node) ? formatColor(node.k) : null;
    default:
      return null;
  }
}

export function checkedText(folder: string, template: TemplatePackage, options: { readonly color: boolean }): string {
  const { manifest, stills, spec, width, height } = template;
  const { green } = createColors(options.color);
  const lengths = lengthsText(templateLengths(template));
  const counts = [countNoun(manifest.editables.size, 'editable'), countNoun(stills.length, 'still'), ...lengths].join(
    ', ',
  );
  return `${green('✓')} ${escapeControls(folder)}  ${width} × ${height}, ${counts}  ${spec.id}\n`;
}

/** Describes the lengths of a template that has `timing`. */
function lengthsText(lengths: TemplateLengths | null): string[] {
  if (lengths === null) return [];
  const { minSeconds, maxSeconds } = lengths;
  if (maxSeconds === null) return [`${minSeconds} s or longer`];
  return [minSeconds === maxSeconds ? `${minSeconds} s only` : `${minSeconds} to ${maxSeconds} s`];
}

interface PackedTemplate {
  readonly file: string;
  readonly bytes: number;
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

/** A font of a new template that did not come with its animation. */
interface AddedFont {
  readonly name: string;
  readonly origin: 'given' | 'repository' | 'npm' | 'substitute';
  readonly from: string;
  /** Whether all characters are as wide as in the missing font; null if unknown. */
  readonly hasSameWidths: boolean | null;
}

/** A template that `template add` added to a repository. Paths are relative to the repository. */
export interface AddedTemplate {
  readonly name: string;
  readonly folder: string;
  readonly template: TemplatePackage;
  /** Null for a package that was complete already. */
  readonly created: NewPackage | null;
  readonly fonts: readonly AddedFont[];
  /** Colour of the added background, without `#`; null if none was added. */
  readonly background: string | null;
  readonly isTransparent: boolean;
  /** Position of added texts; null if none were added. */
  readonly text: string | null;
  /** Images that a placeholder replaces. */
  readonly placeholders: readonly string[];
  /** Further animations in the same file. */
  readonly furtherAnimations: readonly string[];
  readonly definition: string;
  readonly themes: readonly string[];
  readonly written: readonly string[];
  readonly sheet: string;
}

/** Questions of `template add`. */
export const ADD_QUESTIONS = {
  background: (preset: string) => `The animation is transparent. Background colour, or none [#${preset}] `,
  text: (places: string) => `The animation has no text. Add a headline and a caption (none, ${places}) [none] `,
} as const;

/** Reports a new template: its editables, everything that was added to the animation, and next steps. */
export function addedText(added: AddedTemplate, options: { readonly color: boolean }): string {
  const { bold, green } = createColors(options.color);
  const { name, folder, template, created, definition, themes, written, sheet } = added;
  const section = sections(options);
  const seconds = Number((template.frameCount / template.fps).toFixed(2));
  const size = `${template.width} × ${template.height}, ${Number(template.fps.toFixed(2))} fps, ${seconds} s`;
  const rows = Object.entries(template.spec.editables).map(([key, { input_type, label = '', example_text }]) => {
    const example =
      example_text === undefined
        ? ''
        : input_type === 'color'
          ? `#${example_text}`
          : JSON.stringify(shortenText(example_text, 40));
    return [key, input_type, shortenText(label, 40), example].map(escapeControls);
  });
  const lines = [
    `${green('✓')} ${bold(name)}  ${size}`,
    ...section(countNoun(rows.length, 'editable'), tableLines(rows)),
    ...section('Added to the animation', additions(added)),
    ...section('Changed', messages(created, 'changed')),
    ...section('Not drawn as designed', unsupportedLines(created?.unsupported ?? [], options)),
    ...section('Not editable', [...messages(created, 'skipped'), ...furtherAnimationsText(added)]),
    ...section('Files', [
      ...written.filter((path) => !path.includes('/')),
      `${folder}/`,
      definition,
      ...themes.map((path) => `${path}  a theme of the animation, to be named by \`extends\``),
      `${sheet}  contact sheet, also as .html`,
    ]),
    ...section('Next', [
      `Edit ${definition}, then render it: reelform apply`,
      `Look at the template with other texts: reelform template look ${name}`,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function messages(created: NewPackage | null, kind: 'changed' | 'skipped'): string[] {
  return (created?.notes ?? []).filter((note) => note.kind === kind).map(({ message }) => escapeControls(message));
}

function additions({ background, isTransparent, text, fonts, placeholders }: AddedTemplate): string[] {
  const ground =
    background === null
      ? isTransparent
        ? ['No background: MP4 shows black behind the animation, and WebM, MOV and PNG keep it transparent']
        : []
      : [`A background in #${background}${isTransparent ? ', because the animation is transparent' : ''}`];
  return present([
    ...ground,
    text !== null && `A headline and a caption: ${text}`,
    ...fonts.map(fontText),
    ...placeholders.map((path) => `A placeholder for the image ${escapeControls(path)}, which was not found`),
  ]);
}

function fontText({ name, origin, from, hasSameWidths }: AddedFont): string {
  const font = escapeControls(name);
  if (origin !== 'substitute') return `The font ${font} from ${escapeControls(from)}`;
  if (hasSameWidths === true) return `${from} in place of the font ${font}; all characters have the same width`;
  const option = `--font ${JSON.stringify(`${font}=FILE`)}`;
  return `${from} in place of the font ${font}: lines become longer or shorter. Add the font with ${option}, or all open fonts with --font npm`;
}

function furtherAnimationsText({ furtherAnimations }: AddedTemplate): string[] {
  return furtherAnimations.length === 0
    ? []
    : [`The file has other animations: ${furtherAnimations.map(escapeControls).join(', ')} (--animation)`];
}

/** Serializes the report of `template add --json`. */
export function addedJson(added: AddedTemplate): object {
  const { template, created, background, isTransparent, text, ...rest } = added;
  const { name, folder, fonts, placeholders, furtherAnimations, definition, themes, written, sheet } = rest;
  return {
    format_version: '1.0',
    name,
    folder,
    width: template.width,
    height: template.height,
    fps: template.fps,
    frames: template.frameCount,
    editables: Object.entries(template.spec.editables).map(([key, { input_type, label, example_text }]) => {
      return { key, kind: input_type, label: label ?? key, example_text: example_text ?? null };
    }),
    transparent: isTransparent,
    background,
    text,
    fonts: fonts.map((font) => {
      return { name: font.name, origin: font.origin, from: font.from, same_widths: font.hasSameWidths };
    }),
    placeholders,
    notes: created?.notes ?? [],
    unsupported: created?.unsupported ?? [],
    other_animations: furtherAnimations,
    definition,
    themes,
    files: written,
    contact_sheet: sheet,
  };
}

/** A contact sheet of a template. Paths are relative to the working directory. */
export interface DrawnLook {
  readonly template: string;
  readonly image: string;
  readonly page: string;
  readonly samples: readonly SampleName[];
}

/** Lists the contact sheets that `template look` wrote. */
export function lookText(looks: readonly DrawnLook[]): string {
  return looks
    .map(({ image, page, samples }) => `${image}, ${page}: ${countNoun(samples.length, 'sample')}\n`)
    .join('');
}
