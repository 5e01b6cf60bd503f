import type { Check, Diagnostic, Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { locateIn, type MapNode, toJson } from '../yaml/tree.ts';

/** The text of a file of the repository, or why there is none. */
export type FileText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'missing' | 'outside' | 'forbidden' | 'not_text' | 'too_large' };

/** One file with a definition or with a part of one. */
export interface DefinitionFile {
  readonly path: string;
  /** `null` where the text cannot be read as a map. */
  readonly root: MapNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Everything in a definition is a text by its source, save `protect`, the numbers of an output, and what stands beside the
 * source of a resource or a track: its transform, or the fields of one.
 */
export function isTextPath([property, name, field, inner]: readonly string[]): boolean {
  switch (property) {
    case 'protect':
      return false;
    case 'output':
      return name !== 'height' && name !== 'fps';
    case 'resources':
    case 'audio':
      return field === undefined || field === 'source' || inner === 'background';
    default:
      return true;
  }
}

/** Reads one file and checks what can be checked before it is merged and filled in: its properties and their form. */
export function readDefinitionFile(path: string, file: FileText, check: Check): DefinitionFile {
  const start = { file: path, start: 0, end: 0 };
  if (!file.ok) return { path, root: null, diagnostics: [unreadable(path, file.reason, start)] };
  const parsed = parseYaml(path, file.text);
  if (!parsed.ok) return { path, root: null, diagnostics: parsed.diagnostics };
  const root = parsed.value;
  if (root === null) {
    const hint = 'Write template, title and resources, or let the name of a part begin with _';
    return {
      path,
      root,
      diagnostics: [
        { code: 'definition_empty', severity: 'error', message: `${path} holds no definition`, hint, at: start },
      ],
    };
  }
  if (root.kind !== 'map') {
    const message = `A definition is a map of properties, not a ${root.kind === 'list' ? 'list' : 'single value'}`;
    return {
      path,
      root: null,
      diagnostics: [
        { code: 'definition_invalid', severity: 'error', message, hint: 'Write property: value', at: root.span },
      ],
    };
  }
  return { path, root, diagnostics: check(toJson(root, isTextPath), locateIn(root)) };
}

/** Says at `at` why a file that is named there cannot be used. */
export function unreadable(path: string, reason: Exclude<FileText, { ok: true }>['reason'], at: Span): Diagnostic {
  const name = JSON.stringify(path);
  switch (reason) {
    case 'missing':
      return { code: 'missing_file', severity: 'error', message: `There is no file ${name}`, hint: MISSING_HINT, at };
    case 'outside':
      return {
        code: 'path_outside',
        severity: 'error',
        message: `${name} is a link out of the repository`,
        hint: 'Copy the file into the repository',
        at,
      };
    case 'forbidden':
      return {
        code: 'missing_file',
        severity: 'error',
        message: `${name} may not be read`,
        hint: 'Look at its rights',
        at,
      };
    case 'not_text':
      return {
        code: 'definition_invalid',
        severity: 'error',
        message: `${name} is not a text in UTF-8`,
        hint: 'Save it as UTF-8',
        at,
      };
    case 'too_large':
      return {
        code: 'yaml_too_complex',
        severity: 'error',
        message: `${name} is too large to be read`,
        hint: 'Split it',
        at,
      };
  }
}

const MISSING_HINT = 'Paths start at the root of the repository, or with ./ at the folder of the file that says them';

/** The order in which a definition is written: where it comes from, what it is, what fills it. */
export const PROPERTY_ORDER = [
  'template',
  'extends',
  'each',
  'id',
  'title',
  'description',
  'labels',
  'protect',
  'resources',
  'audio',
  'fonts',
  'output',
  'deliver',
] as const;
