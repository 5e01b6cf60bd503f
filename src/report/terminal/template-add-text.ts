import { createColors } from 'picocolors';
import { groupUses } from '../../engine/inspect/inspect-package.ts';
import type { NewPackage } from '../../template/init/init-package.ts';
import { FEATURES } from '../../template/lottie/unsupported-features.ts';
import type { SampleName } from '../../template/sample-mappings.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { tableLines } from '../wording/cell-width.ts';
import { escapeControls, shortenText } from '../wording/display-text.ts';
import { placesText } from '../wording/package-diagnostic.ts';
import { countNoun } from '../wording/quantities.ts';

/** A font of a new template that did not come with its animation. */
export interface AddedFont {
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
  /** Other animations in the same file. */
  readonly others: readonly string[];
  readonly definition: string;
  readonly themes: readonly string[];
  readonly written: readonly string[];
  /** Contact sheet. */
  readonly sheet: string;
}

const QUESTIONS = {
  background: (preset: string) => `The animation is transparent. Background colour, or none [#${preset}] `,
  text: (places: string) => `The animation has no text. Add a headline and a caption (none, ${places}) [none] `,
} as const;

/** Returns a question of `template add`. */
export function addQuestion(about: keyof typeof QUESTIONS, detail: string): string {
  return QUESTIONS[about](detail);
}

/** Reports a new template: its editables, everything that was added to the animation, and next steps. */
export function addedText(added: AddedTemplate, options: { readonly color: boolean }): string {
  const { bold, dim, green, yellow } = createColors(options.color);
  const { name, folder, template, created, definition, themes, written, sheet } = added;
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => `  ${line}`)];
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
    ...section(
      'Not drawn as designed',
      groupUses(created?.unsupported ?? []).flatMap(({ feature, what, uses }) => [
        `${yellow(what)} of ${placesText(uses)}`,
        dim(`  ${FEATURES[feature].instead}`),
      ]),
    ),
    ...section('Not editable', [...messages(created, 'left'), ...othersText(added)]),
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

function messages(created: NewPackage | null, kind: 'changed' | 'left'): string[] {
  return (created?.notes ?? []).filter((note) => note.kind === kind).map(({ message }) => escapeControls(message));
}

function additions({ background, isTransparent, text, fonts, placeholders }: AddedTemplate): string[] {
  const ground =
    background === null
      ? isTransparent
        ? ['No background: MP4 shows black behind the animation, and WebM, MOV and PNG keep it transparent']
        : []
      : [`A background in #${background}${isTransparent ? ', because the animation is transparent' : ''}`];
  return [
    ...ground,
    ...(text === null ? [] : [`A headline and a caption: ${text}`]),
    ...fonts.map(fontText),
    ...placeholders.map((path) => `A placeholder for the image ${escapeControls(path)}, which was not found`),
  ];
}

function fontText({ name, origin, from, hasSameWidths }: AddedFont): string {
  const font = escapeControls(name);
  if (origin !== 'substitute') return `The font ${font} from ${escapeControls(from)}`;
  if (hasSameWidths === true) return `${from} in place of the font ${font}; all characters have the same width`;
  const option = `--font ${JSON.stringify(`${font}=FILE`)}`;
  return `${from} in place of the font ${font}: lines become longer or shorter. Add the font with ${option}, or all open fonts with --font npm`;
}

function othersText({ others }: AddedTemplate): string[] {
  return others.length === 0
    ? []
    : [`The file has other animations: ${others.map(escapeControls).join(', ')} (--animation)`];
}

/** Serializes the report of `template add --json`. */
export function addedJson(added: AddedTemplate): object {
  const { template, created, background, isTransparent, text, ...rest } = added;
  const { name, folder, fonts, placeholders, others, definition, themes, written, sheet } = rest;
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
    other_animations: others,
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
