import { type Check, type Diagnostic, errorAt, type Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { locateIn, type MapNode, toJson } from '../yaml/tree.ts';

/** Text of a repository file, or the reason why it cannot be read. */
export type FileText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'missing' | 'outside' | 'forbidden' | 'not_text' | 'too_large' };

/** A parsed file with a definition or a fragment. */
export interface DefinitionFile {
  readonly path: string;
  /** `null` if the text is not a map. */
  readonly root: MapNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns whether the scalar at a path is used as written, rather than as its YAML value. Exceptions are `protect`, the
 * numbers of an output, and the transform of a resource or track.
 */
export function isTextPath([property, name, field, inner]: readonly string[]): boolean {
  switch (property) {
    case 'protect':
      return false;
    case 'output':
      return name !== 'height' && name !== 'fps';
    case 'outputs':
      return field !== 'height' && field !== 'fps';
    case 'resources':
    case 'audio':
      return field === undefined || field === 'source' || inner === 'background';
    default:
      return true;
  }
}

/** Parses a file and checks its properties as far as possible before it is merged and filled in. */
export function readDefinitionFile(path: string, file: FileText, check: Check): DefinitionFile {
  const start = { file: path, start: 0, end: 0 };
  if (!file.ok) return { path, root: null, diagnostics: [unreadable(path, file.reason, start)] };
  const parsed = parseYaml(path, file.text);
  if (!parsed.ok) return { path, root: null, diagnostics: parsed.diagnostics };
  const root = parsed.value;
  if (root === null) {
    const hint = 'Add template, title and resources, or start the file name of a fragment with _';
    return {
      path,
      root,
      diagnostics: [errorAt('definition_empty', start, `${path} contains no definition`, hint)],
    };
  }
  if (root.kind !== 'map') {
    const message = `A definition must be a map of properties, not a ${root.kind === 'list' ? 'list' : 'single value'}`;
    return {
      path,
      root: null,
      diagnostics: [errorAt('definition_invalid', root.span, message, 'Write property: value')],
    };
  }
  return { path, root, diagnostics: check(toJson(root, isTextPath), locateIn(root)) };
}

/** Describes why the file that is referenced at `at` cannot be used. */
export function unreadable(path: string, reason: Exclude<FileText, { ok: true }>['reason'], at: Span): Diagnostic {
  const name = JSON.stringify(path);
  switch (reason) {
    case 'missing':
      return errorAt('missing_file', at, `The file ${name} does not exist`, MISSING_HINT);
    case 'outside':
      return errorAt(
        'path_outside',
        at,
        `${name} is a link to a location outside the repository`,
        'Copy the file into the repository',
      );
    case 'forbidden':
      return errorAt('missing_file', at, `${name} cannot be read: permission denied`, 'Check its permissions');
    case 'not_text':
      return errorAt('definition_invalid', at, `${name} is not valid UTF-8`, 'Save it as UTF-8');
    case 'too_large':
      return errorAt('yaml_too_complex', at, `${name} is too large`, 'Split it');
  }
}

const MISSING_HINT =
  'Paths are relative to the root of the repository, or with ./ to the folder of the file that contains them';

/** Order of the properties in a formatted definition. */
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
  'outputs',
  'deliver',
] as const;
