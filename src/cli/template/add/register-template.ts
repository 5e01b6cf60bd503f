import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { isSlotKind, type SlotKind } from '../../../contract/fields/editable-kinds.ts';
import {
  formatGradient,
  formatNumbers,
  type GradientStop,
  normalizeSlotText,
} from '../../../contract/wire/slot-text.ts';
import { formatList } from '../../../kernel/hints.ts';
import { isRecord, parseRecord } from '../../../kernel/json.ts';
import { idMatcher } from '../../../reconciler/plan/select-changes.ts';
import type { Config } from '../../../reconciler/project/config.ts';
import { CONFIG_FILE, GITIGNORE, schemaPath } from '../../../reconciler/project/repository-layout.ts';
import { schemaFiles, writeSchemaFiles } from '../../../reconciler/project/schema-files.ts';
import { writeFileAtomic } from '../../../reconciler/project/write-file.ts';
import { formatColor } from '../../../template/color.ts';
import type { FoundEditable, InitNote } from '../../../template/init/editable-targets.ts';
import type { TemplatePackage } from '../../../template/template-package.ts';

/** A new template of a repository. */
export interface NewTemplate {
  readonly name: string;
  /** Title of the first video. */
  readonly title: string;
  /** Repository-relative. */
  readonly folder: string;
  readonly template: TemplatePackage;
  /** Text of the first definition; derived from the examples of the editables when absent. */
  readonly definition?: string | undefined;
  /** Named sets of values. */
  readonly themes?: readonly Theme[];
}

/** Named values of editables, as a theme of a dotLottie file sets them. */
interface Theme {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Height in pixels from which an animation is large enough for a video. */
const MIN_HEIGHT = 480;
const USUAL_SIDE = 1080;

const NEW_CONFIG = `# yaml-language-server: $schema=./node_modules/reelform/schemas/reelform-config.schema.json
service: embedded
templates: {}
videos: videos/**/*.yaml
`;

/**
 * Creates the configuration of a folder that has none, so that a template can be added to it.
 *
 * @returns the written files
 */
export async function createConfig(root: string): Promise<string[]> {
  const files: [string, string][] = [
    [CONFIG_FILE, NEW_CONFIG],
    ['.gitignore', GITIGNORE],
  ];
  const written = files.filter(([path]) => !existsSync(join(root, path)));
  for (const [path, text] of written) await writeFileAtomic(join(root, path), text);
  return written.map(([path]) => path);
}

/**
 * Registers a package in reelform.yaml, writes its schemas, and writes a first definition and fragments with its themes.
 * Existing definitions and fragments are kept.
 *
 * @param root absolute
 * @returns the written files and the definition
 */
export async function registerTemplate(
  root: string,
  added: NewTemplate,
  config: Pick<Config, 'videos'>,
): Promise<{ readonly written: string[]; readonly definition: string; readonly themes: string[] }> {
  const { name, folder, template } = added;
  const configPath = join(root, CONFIG_FILE);
  // Loaded on demand: a process draws meanwhile, and waits for nothing here.
  const { editYaml } = await import('../../../kernel/yaml/edit-yaml.ts');
  const edit = { path: ['templates', name], value: `./${folder}` };
  const text = editYaml(await readFile(configPath, 'utf8'), [edit]);
  await writeFileAtomic(configPath, text);
  const schemas = schemaFiles(name, template.spec);
  await writeSchemaFiles(root, schemas);
  const definition = definitionPath(name, config.videos);
  const videos = posix.dirname(definition);
  const themes = (added.themes ?? []).map((theme) => ({ theme, path: `${videos}/_${name}-${theme.name}.yaml` }));
  const files: [string, string][] = [
    [definition, added.definition ?? definitionText(added, definition)],
    ...themes.map(({ theme, path }): [string, string] => [path, themeText(theme)]),
  ];
  const missing = files.filter(([path]) => !existsSync(join(root, path)));
  for (const [path, content] of missing) await writeFileAtomic(join(root, path), content);
  return {
    written: [CONFIG_FILE, ...schemas.map(({ path }) => path), ...missing.map(([path]) => path)],
    definition,
    themes: themes.map(({ path }) => path),
  };
}

/** Returns a path that the glob of the definitions matches, in the folder where it starts. */
function definitionPath(name: string, videos: string): string {
  const fixed = videos.replace(/[*?[{(!+@].*$/s, '');
  const folder = fixed.endsWith('/') ? fixed.slice(0, -1) : posix.dirname(fixed);
  const candidates = [posix.join('videos', `${name}.yaml`), posix.join(folder, `${name}.yaml`)];
  return candidates.find(idMatcher([videos])) ?? candidates[0]!;
}

/** Returns the text of a first definition at a path of the repository, with the template's own texts and colours. */
export function definitionText(
  { name, title, template }: Pick<NewTemplate, 'name' | 'title' | 'template'>,
  path: string,
): string {
  const up = posix.relative(dirname(path), '.') || '.';
  const { editables } = template.spec;
  const values = Object.entries(editables).flatMap(([key, { input_type, example_text, label }]) => {
    // Only these kinds have an example.
    if (example_text === undefined) return [];
    const value = JSON.stringify(input_type === 'color' ? `#${example_text}` : example_text);
    return [
      `  ${key}: ${value}${label === undefined || label === example_text ? '' : `  # ${label.replaceAll(/\s+/g, ' ')}`}`,
    ];
  });
  const { width, height } = template;
  const scale = USUAL_SIDE / Math.min(width, height);
  const output =
    Math.min(width, height) >= MIN_HEIGHT
      ? []
      : [
          `output: { height: ${2 * Math.round((height * scale) / 2)} }  # the animation has ${width} × ${height} pixels`,
        ];
  return [
    `# yaml-language-server: $schema=${posix.join(up, schemaPath(name))}`,
    `template: ${name}`,
    `title: ${JSON.stringify(title)}`,
    ...output,
    values.length === 0 ? 'resources: {}' : 'resources:',
    ...values,
    '',
  ].join('\n');
}

function themeText({ values }: Theme): string {
  const lines = [...values].map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return `# To use it, write in a definition: extends: ./FILE, with the name of this file\nresources:\n${lines.join('\n')}\n`;
}

/**
 * Reads the themes of a dotLottie file as values of editables. Leaves out rules for slots that no editable has, and of values
 * that change over time.
 *
 * @returns the themes, and a note about each theme with rules that were left out
 * @see https://dotlottie.io/spec/2.0/#themes
 */
export function readThemes(
  files: ReadonlyMap<string, Uint8Array>,
  editables: readonly Pick<FoundEditable, 'key' | 'kind' | 'origin' | 'sourceName'>[],
): { readonly themes: Theme[]; readonly notes: InitNote[] } {
  const notes: InitNote[] = [];
  const bySlot = new Map(
    editables.flatMap((editable) => (editable.origin === 'slot' ? [[editable.sourceName, editable] as const] : [])),
  );
  const themes = [...files].flatMap(([path, bytes]): Theme[] => {
    const [, name] = /^(?:t|themes)\/([^/]+)\.json$/.exec(path) ?? [];
    const theme = name === undefined ? null : parseRecord(new TextDecoder().decode(bytes));
    if (name === undefined || theme === null || !Array.isArray(theme.rules)) return [];
    const left: string[] = [];
    const values = theme.rules.filter(isRecord).flatMap(({ id, type, value }): [string, string][] => {
      const editable = typeof id === 'string' ? bySlot.get(id) : undefined;
      const text = editable === undefined ? null : ruleText(editable.kind, type, value);
      if (editable !== undefined && text !== null) return [[editable.key, text]];
      left.push(JSON.stringify(id));
      return [];
    });
    if (left.length > 0) {
      const which = `The theme ${JSON.stringify(name)} also sets ${formatList(left)}`;
      const message = `${which}, as values that change over time, or of slots that are not editable`;
      notes.push({ kind: 'skipped', message });
    }
    return values.length === 0
      ? []
      : [{ name: name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-'), values: new Map(values) }];
  });
  return { themes, notes };
}

/** Returns the value of a rule as the text of a definition; null for another kind than the editable's. */
function ruleText(kind: FoundEditable['kind'], type: unknown, value: unknown): string | null {
  if (isSlotKind(kind)) {
    const text = THEME_TEXTS[kind](type, value);
    return text === null ? null : normalizeSlotText(kind, text);
  }
  switch (kind) {
    case 'color':
      return type === 'Color' && Array.isArray(value) ? `#${formatColor(value.map(Number))}` : null;
    case 'text': {
      const text = isRecord(value) ? value.text : value;
      return type === 'Text' && typeof text === 'string' ? text : null;
    }
    default:
      return null;
  }
}

/** Texts of the values of rules, by the kind of the editable. */
const THEME_TEXTS: Readonly<Record<SlotKind, (type: unknown, value: unknown) => string | null>> = {
  number: (type, value) => (type === 'Scalar' && typeof value === 'number' ? formatNumbers([value]) : null),
  point: (type, value) =>
    (type === 'Position' || type === 'Vector') && Array.isArray(value)
      ? formatNumbers(value.slice(0, 2).map(Number))
      : null,
  gradient: (type, value) =>
    type === 'Gradient' && Array.isArray(value) ? formatGradient(value.filter(isRecord).flatMap(themeStop)) : null,
};

function themeStop({ color, offset }: Record<string, unknown>): GradientStop[] {
  return Array.isArray(color) ? [{ color: formatColor(color.map(Number)), offset: Number(offset) }] : [];
}
