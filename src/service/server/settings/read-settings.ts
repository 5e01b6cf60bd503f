import { resolve } from 'node:path';
import { type Diagnostic, errorAt, failure, type Result, type Span } from '../../../kernel/diagnostic.ts';
import { didYouMean } from '../../../kernel/hints.ts';
import { maskText, secretSpans } from '../../../kernel/yaml/mask-text.ts';
import { parseYaml } from '../../../kernel/yaml/parse-yaml.ts';
import type { MapEntry, TreeNode } from '../../../kernel/yaml/tree.ts';
import { FILE_SETTINGS, type FileSetting, readDeliverySettings } from './delivery-settings.ts';
import type { Machine, SettingRow } from './setting-row.ts';
import { FOLDER, SETTING_ROWS, type Settings } from './settings-table.ts';

export interface SettingsInput {
  /** Flag (`--port`) → its values in order; `true` or `false` for a switch. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `name` as shown to the user; `directory` absolute. */
  readonly file: { readonly name: string; readonly text: string; readonly directory: string } | null;
  /** Base of relative folders in flags and environment variables. */
  readonly cwd: string;
  readonly machine: Machine;
}

/** A setting as given by the user. */
interface Written {
  readonly texts: readonly string[];
  /** Name for messages. */
  readonly name: string;
  readonly at?: Span;
  /** Base of relative folders. */
  readonly directory: string;
}

/**
 * Reads the settings of a server. Flags override environment variables, which override the file, which overrides the
 * defaults. Reports all mistakes at once, including those of overridden values.
 */
export function readSettings(input: SettingsInput): Result<Settings> {
  const file = readFile(input);
  const diagnostics = [...file.diagnostics];
  const settings: Record<string, unknown> = {};
  for (const [key, row] of SETTING_ROWS) {
    const sources = [fromFlags(row, input), fromEnvironment(row, input), file.settings.get(row.name) ?? null];
    const values = sources
      .filter((source): source is Written => source !== null)
      .map((written) => readWritten(row, written));
    diagnostics.push(...values.flatMap((value) => (value.ok ? [] : value.diagnostics)));
    const first = values.find((value) => value.ok);
    settings[key] = first === undefined ? row.defaultOn(input.machine) : first.value;
  }
  const { diagnostics: mistakes, ...delivery } = readDeliverySettings(file.trees, input.file?.directory ?? input.cwd);
  diagnostics.push(...mistakes);
  Object.assign(settings, delivery);
  // The table has a row for every setting, as its type requires.
  if (diagnostics.length === 0) return { ok: true, value: settings as unknown as Settings };
  // Mistakes without a source location come first, then those of the file from top to bottom.
  return { ok: false, diagnostics: diagnostics.sort((a, b) => (a.at?.start ?? -1) - (b.at?.start ?? -1)) };
}

/**
 * Masks secrets in the text of a settings file for error messages: a connection string contains a password, and users
 * may write secrets into credentials by mistake.
 *
 * @returns undefined when the secrets cannot be located
 */
export function redactSettings(name: string, text: string): string | undefined {
  const parsed = parseYaml(name, text);
  if (!parsed.ok) return MAY_HOLD_SECRETS.test(text) ? undefined : text;
  const root = parsed.value;
  if (root === null) return text;
  const spans = [
    ...SECRETS.flatMap((secret) => (root.kind === 'map' ? (root.entries.get(secret)?.value.span ?? []) : [])),
    ...secretSpans(root),
  ];
  return maskText(text, spans);
}

const MAY_HOLD_SECRETS = /credent|secret|key|database|:\/\/[^\s/]*@/i;
const SECRETS = SETTING_ROWS.flatMap(([, { flag, name }]) => (flag === null ? [name] : []));

function fromFlags(row: SettingRow, { flags, cwd }: SettingsInput): Written | null {
  const texts = row.flag === null ? undefined : flags.get(row.flag);
  return texts === undefined || texts.length === 0 ? null : { texts, name: row.flag!, directory: cwd };
}

function fromEnvironment({ environment, kind }: SettingRow, { env, cwd }: SettingsInput): Written | null {
  const written = env[environment]?.trim() ?? '';
  if (written === '') return null;
  const texts = kind.shape === 'single' ? [written] : written.split(',').map((part) => part.trim());
  return { texts: texts.filter((part) => part !== ''), name: environment, directory: cwd };
}

function readWritten(row: SettingRow, { texts, name, at, directory }: Written): Result<unknown> {
  const read = row.kind.read(texts);
  if ('value' in read) {
    return { ok: true, value: row.name === FOLDER ? resolve(directory, read.value as string) : read.value };
  }
  const shown = row.flag === null ? '' : `, not ${JSON.stringify(texts.join(', '))}`;
  const message = read.problem ?? `${name} must be ${row.kind.expected}${shown}`;
  return failure('settings_invalid', at, message);
}

interface SettingsFile {
  readonly settings: ReadonlyMap<string, Written>;
  /** Values of settings with more structure than text. */
  readonly trees: ReadonlyMap<FileSetting, TreeNode>;
  readonly diagnostics: readonly Diagnostic[];
}

function readFile({ file }: SettingsInput): SettingsFile {
  const settings = new Map<string, Written>();
  const trees = new Map<FileSetting, TreeNode>();
  if (file === null) return { settings, trees, diagnostics: [] };
  const parsed = parseYaml(file.name, file.text);
  if (!parsed.ok) return { settings, trees, diagnostics: parsed.diagnostics };
  const root = parsed.value;
  if (root === null) return { settings, trees, diagnostics: [] };
  if (root.kind !== 'map') {
    const message = `${file.name} must be a map of setting names and values`;
    return { settings, trees, diagnostics: [errorAt('settings_invalid', root.span, message)] };
  }
  const diagnostics: Diagnostic[] = [];
  for (const [name, entry] of root.entries) {
    const row = SETTING_ROWS.find(([, candidate]) => candidate.name === name)?.[1];
    const tree = FILE_SETTINGS.find((setting) => setting === name);
    if (tree !== undefined) {
      if (!isNothing(entry.value)) trees.set(tree, entry.value);
    } else if (row === undefined) diagnostics.push(unknownSetting(name, entry));
    else if (!isNothing(entry.value)) {
      const texts = textsOf(entry.value, row.kind.shape);
      if (texts === null) diagnostics.push(wrongShape(name, row, entry.value.span));
      else settings.set(name, { texts, name, at: entry.value.span, directory: file.directory });
    }
  }
  return { settings, trees, diagnostics };
}

function isNothing(node: TreeNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Converts a node to the values that a flag would have. */
function textsOf(node: TreeNode, shape: SettingRow['kind']['shape']): string[] | null {
  if (node.kind === 'scalar') return shape === 'map' ? null : [node.text];
  if (node.kind === 'list' && shape === 'list') {
    return node.items.every((item) => item.kind === 'scalar') ? node.items.map((item) => item.text) : null;
  }
  if (node.kind !== 'map' || shape !== 'map') return null;
  const members = [...node.entries].map(([name, { value }]) =>
    value.kind === 'scalar' ? `${name}=${value.text}` : null,
  );
  return members.every((member) => member !== null) ? members : null;
}

function wrongShape(name: string, { kind }: SettingRow, at: Span): Diagnostic {
  const forms = { single: 'a single value', list: 'a list', map: 'a map' };
  return errorAt('settings_invalid', at, `${name} must be ${kind.expected}, written as ${forms[kind.shape]}`);
}

function unknownSetting(name: string, { keySpan }: MapEntry): Diagnostic {
  const names = [...SETTING_ROWS.map(([, row]) => row.name), ...FILE_SETTINGS];
  const hint = didYouMean(name, names) ?? `The settings are ${names.join(', ')}`;
  return errorAt('unknown_property', keySpan, `There is no setting ${JSON.stringify(name)}`, hint);
}
