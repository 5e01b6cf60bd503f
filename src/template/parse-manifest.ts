import { EDITABLE_KIND_NAMES, type EditableKind } from '../contract/fields/editable-kinds.ts';
import { type Diagnostic, errorAt, failure, hasErrors, type Result, type Span, startOf } from '../kernel/diagnostic.ts';
import { didYouMean } from '../kernel/hints.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import { child, type MapEntry, type TreeNode, textOf } from '../kernel/yaml/tree.ts';
import { readFontSettings, SETTINGS_FIELDS } from './font-settings.ts';
import { LINT_CODES, LINT_SEVERITIES, type LintSettings, SAFE_AREA_NAMES } from './lint-severities.ts';
import { type ManifestPlace, parseTiming } from './parse-timing.ts';
import type { FontSettings } from './render-input.ts';

/** Limit in UTF-16 code units: enough for more than a thousand editables. */
export const MAX_MANIFEST_LENGTH = 256 * 1024;

const FIELDS = ['name', 'description', 'stillcuts', 'editables', 'fonts', 'fallback_fonts', 'lint', 'timing'];
const EDITABLE_FIELDS = ['label', 'kind', 'stillcut', 'required', 'max_length'];
const FONT_ENTRY_FIELDS = ['file', ...SETTINGS_FIELDS];
const FONT_FIELDS = ['replaces', 'texts', 'allowed_fonts'];

/** Parses `template.yaml`. Returns the manifest, or all problems. */
export function parseManifest(file: string, text: string): Result<Manifest> {
  if (text.length > MAX_MANIFEST_LENGTH) {
    const message = `The file has ${text.length} characters, but at most ${MAX_MANIFEST_LENGTH} are supported`;
    return failure('template_invalid', startOf(file), message);
  }
  const parsed = parseYaml(file, text);
  if (!parsed.ok) return parsed;
  if (parsed.value?.kind !== 'map') {
    return failure('template_invalid', startOf(file), 'The file must be a map with name, stillcuts and editables');
  }
  const reader = new ManifestReader(parsed.value.span);
  const manifest = reader.read(parsed.value);
  return hasErrors(reader.problems) ? { ok: false, diagnostics: reader.problems } : { ok: true, value: manifest };
}

class ManifestReader {
  readonly problems: Diagnostic[] = [];
  readonly #fileStart: Span;

  constructor(fileSpan: Span) {
    this.#fileStart = { ...fileSpan, end: fileSpan.start };
  }

  read(root: TreeNode): Manifest {
    this.#checkFields(root, FIELDS, 'template.yaml');
    const name = textOf(child(root, 'name'));
    if (name === null) this.#add('name must be a string', this.#at(root, 'name'));
    const stillcuts = new Map<string, { timeSeconds: number; at: Span }>();
    for (const [still, entry] of this.#entries(root, 'stillcuts')) {
      const timeSeconds = entry.value.kind === 'scalar' ? entry.value.value : null;
      if (!/^[\w-]+$/.test(still))
        this.#add(`The name of the stillcut ${still} may only contain letters, digits, _ and -`, entry.keySpan);
      if (typeof timeSeconds === 'number' && timeSeconds >= 0)
        stillcuts.set(still, { timeSeconds, at: entry.value.span });
      else this.#add(`The stillcut ${still} needs a time in seconds from the start, like 2.5`, entry.keySpan);
    }
    const editables = new Map<string, ManifestEditable>();
    for (const [key, entry] of this.#entries(root, 'editables')) {
      const editable = this.#editable(key, entry);
      if (editable !== null) editables.set(key, editable);
    }
    const fallbacks = child(root, 'fallback_fonts');
    const isDisabled = fallbacks?.kind === 'list' && fallbacks.items.length === 0;
    const fallbackFonts = isDisabled ? new Map() : (this.#names(root, 'fallback_fonts', 'fonts') ?? new Map());
    const description = textOf(child(root, 'description'));
    const fonts = this.#fonts(root);
    const lint = this.#lint(root);
    const timing = parseTiming(root, (...problem) => this.#add(...problem));
    return { name: name ?? '', description, stillcuts, editables, fonts, fallbackFonts, lint, timing };
  }

  #fonts(root: TreeNode): Map<string, ManifestFont> {
    const fonts = new Map<string, ManifestFont>();
    if (child(root, 'fonts') === null) return fonts;
    for (const [name, { keySpan, value }] of this.#entries(root, 'fonts')) {
      const owner = `the font ${name}`;
      this.#checkFields(value, FONT_ENTRY_FIELDS, owner);
      const file = child(value, 'file');
      if (value.kind !== 'map') {
        this.#add(`${name} of fonts must be a map like { axes: { wght: 650 } }`, keySpan);
      } else if (file !== null && textOf(file) === null) {
        this.#add(`file of ${owner} must be the name of a font file in fonts/, without extension`, file.span);
      } else {
        const settings = readFontSettings(value, owner, this.problems);
        fonts.set(name, { ...settings, file: textOf(file) ?? name, at: keySpan });
      }
    }
    return fonts;
  }

  #lint(root: TreeNode): LintSettings {
    const node = child(root, 'lint');
    if (node === null) return {};
    if (node.kind !== 'map') this.#add('lint must be a map', node.span, 'Write it like lint: { low_contrast: error }');
    this.#checkFields(node, [...LINT_CODES, 'safe_area'], 'lint');
    const settings: Record<string, string> = {};
    for (const [code, { keySpan, value }] of node.kind === 'map' ? node.entries : []) {
      const choices: readonly string[] = code === 'safe_area' ? SAFE_AREA_NAMES : LINT_SEVERITIES;
      const choice = choices.find((candidate) => candidate === textOf(value));
      if (choice !== undefined) settings[code] = choice;
      else this.#add(`${code} of lint must be one of ${choices.join(', ')}`, keySpan);
    }
    return settings;
  }

  #editable(key: string, { keySpan, value }: MapEntry): ManifestEditable | null {
    if (value.kind !== 'map') {
      this.#add(`${key} must be a map like { label: Headline, kind: text, stillcut: stillcut_01 }`, keySpan);
      return null;
    }
    this.#checkFields(value, [...EDITABLE_FIELDS, ...FONT_FIELDS, ...SETTINGS_FIELDS], key);
    const kind = textOf(child(value, 'kind')) as EditableKind | null;
    const label = textOf(child(value, 'label'));
    const stillcut = textOf(child(value, 'stillcut'));
    const required = child(value, 'required');
    const maxLength = child(value, 'max_length');
    if (label === null) this.#add(`${key} needs a label, its display name`, keySpan);
    if (stillcut === null) this.#add(`${key} needs a stillcut, the name of the stillcut that shows it`, keySpan);
    if (kind === null || !EDITABLE_KIND_NAMES.includes(kind)) {
      this.#add(
        `The kind of ${key} must be one of ${EDITABLE_KIND_NAMES.join(', ')}`,
        child(value, 'kind')?.span ?? keySpan,
      );
      return null;
    }
    if (required !== null && !(required.kind === 'scalar' && typeof required.value === 'boolean')) {
      this.#add(`required of ${key} must be true or false`, required.span);
    }
    if (
      maxLength !== null &&
      !(maxLength.kind === 'scalar' && Number.isInteger(maxLength.value) && Number(maxLength.value) > 0)
    ) {
      this.#add(`max_length of ${key} must be a whole number of characters`, maxLength.span);
    }
    if (kind === 'captions') {
      if (required?.kind === 'scalar' && required.value === true)
        this.#add(`${key} cannot be required, because captions fill it`, required.span, 'Remove required');
      if (maxLength !== null)
        this.#add(`${key} has max_length, but captions fill it`, maxLength.span, 'Remove max_length');
    }
    return {
      kind,
      label: label ?? key,
      stillcut: stillcut ?? '',
      required: !(required?.kind === 'scalar' && required.value === false),
      maxLength: maxLength?.kind === 'scalar' ? Number(maxLength.value) : null,
      font: kind === 'font' ? this.#font(key, keySpan, value) : this.#only('font', FONT_FIELDS, key, value),
      settings:
        (kind === 'text' || kind === 'captions' || kind === 'font'
          ? readFontSettings(value, key, this.problems)
          : this.#only('text, captions or font', SETTINGS_FIELDS, key, value)) ?? {},
      at: keySpan,
    };
  }

  #font(key: string, keySpan: Span, node: TreeNode): FontSlot {
    const replaces = textOf(child(node, 'replaces'));
    if (replaces === null) this.#add(`${key} needs "replaces", the name of the font that it replaces`, keySpan);
    const [texts, allowed] = [this.#names(node, 'texts', 'texts'), this.#names(node, 'allowed_fonts', 'fonts')];
    return {
      replaces: replaces ?? '',
      texts: texts === null ? null : [...texts.keys()],
      allowedFonts: allowed === null ? null : [...allowed.keys()],
    };
  }

  #only(kind: string, fields: readonly string[], key: string, node: TreeNode): null {
    for (const field of fields) {
      if (child(node, field) !== null)
        this.#add(`${key} has ${field}, which is only for the kind ${kind}`, this.#at(node, field));
    }
    return null;
  }

  /** Reads a list of distinct names; null if the field is absent. */
  #names(node: TreeNode, field: string, what: string): Map<string, Span> | null {
    const list = child(node, field);
    if (list === null) return null;
    const names = new Map<string, Span>();
    const items = list.kind === 'list' ? list.items : [];
    if (items.length === 0) this.#add(`${field} must be a list of ${what}, like [a, b]`, list.span);
    for (const item of items) {
      const name = textOf(item);
      if (name === null) this.#add(`${field} must be a list of ${what}, like [a, b]`, item.span);
      else if (names.has(name)) this.#add(`${field} contains ${name} twice`, item.span);
      else names.set(name, item.span);
    }
    return names;
  }

  #entries(root: TreeNode, field: string): ReadonlyMap<string, MapEntry> {
    const node = child(root, field);
    if (node?.kind === 'map' && node.entries.size > 0) return node.entries;
    this.#add(`${field} must be a map with at least one entry`, this.#at(root, field));
    return new Map();
  }

  #checkFields(node: TreeNode, fields: readonly string[], owner: string): void {
    if (node.kind !== 'map') return;
    for (const [field, { keySpan }] of node.entries) {
      if (fields.includes(field)) continue;
      const hint = didYouMean(field, fields) ?? `Its properties are ${fields.join(', ')}`;
      this.#add(`${owner} has no property ${field}`, keySpan, hint);
    }
  }

  #at(root: TreeNode, field: string): Span {
    return (root.kind === 'map' ? root.entries.get(field)?.keySpan : undefined) ?? this.#fileStart;
  }

  #add(message: string, at: Span, hint?: string): void {
    this.problems.push(errorAt('template_invalid', at, message, hint));
  }
}

/** The font that a font editable replaces, and the texts in which it does. */
export interface FontSlot {
  /** `fName` of the animation's font. */
  readonly replaces: string;
  /** Keys of the texts in which to replace it; null for all. */
  readonly texts: readonly string[] | null;
  /** Fonts to choose from; null for all fonts of the package. */
  readonly allowedFonts: readonly string[] | null;
}

/** An editable of `template.yaml`. */
export interface ManifestEditable {
  readonly kind: EditableKind;
  readonly label: string;
  /** Name of the still that shows it. */
  readonly stillcut: string;
  readonly required: boolean;
  /** Limit in Unicode code points; null for no limit, and for other kinds than text. */
  readonly maxLength: number | null;
  /** Null for other kinds than font. */
  readonly font: FontSlot | null;
  /** For kind text, settings of the text's font; for kind font, settings of the chosen font. */
  readonly settings: FontSettings;
  /** Location of the key in the manifest. */
  readonly at: Span;
}

/** An entry of `fonts`: a name for a font file of the package with settings. */
interface ManifestFont extends FontSettings {
  /** Name of the file in `fonts/`, without extension. */
  readonly file: string;
  readonly at: Span;
}

/** The contents of `template.yaml`: the editables of an animation and the frames that show them. */
export interface Manifest {
  readonly name: string;
  readonly description: string | null;
  /** Name → time of the still. */
  readonly stillcuts: ReadonlyMap<string, { readonly timeSeconds: number; readonly at: Span }>;
  /** In the order in which users fill them. */
  readonly editables: ReadonlyMap<string, ManifestEditable>;
  /** Fonts with settings, by the name that texts use. */
  readonly fonts: ReadonlyMap<string, ManifestFont>;
  /** Names of the preferred fallback fonts for missing glyphs, in order. */
  readonly fallbackFonts: ReadonlyMap<string, Span>;
  /** Severities of findings for this template; reelform.yaml can override them. */
  readonly lint: LintSettings;
  /** Where the template can become longer or shorter, in order of priority; null for the default. */
  readonly timing: readonly ManifestPlace[] | null;
}
