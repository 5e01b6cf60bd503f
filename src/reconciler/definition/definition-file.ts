import { posix } from 'node:path';
import { captionFormat } from '../../contract/captions/caption-file.ts';
import { type Check, type Code, type Diagnostic, errorAt, type Span, startOf } from '../../kernel/diagnostic.ts';
import { pointerError } from '../../kernel/file-kind.ts';
import type { PropertyOrder } from '../../kernel/yaml/format-yaml.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, locateIn, type MapNode, type TreeNode, toJson } from '../../kernel/yaml/tree.ts';
import { isStyleText } from './caption-styles.ts';

/** Text of a repository file, or the reason why it cannot be read. */
export type FileText =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly reason:
        | 'missing'
        | 'folder'
        | 'outside'
        | 'forbidden'
        | 'lfs_pointer'
        | 'not_text'
        | 'utf_16'
        | 'too_large';
    };

/** A parsed file with a definition or a fragment, alone or merged with the fragments that it extends. */
export interface DefinitionFile {
  /** `null` if the text is not a map. */
  readonly root: MapNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns whether the scalar at a path is used as written, rather than as its YAML value. Exceptions are `protect`, the
 * numbers of an output, lengths, sizes and rates, and the transform of a resource or track.
 */
export function isTextPath(path: readonly string[]): boolean {
  // By index, because a plan asks for each value, and a pattern of a list calls an iterator.
  const { 0: property, 1: name, 2: field, 3: inner } = path;
  switch (property) {
    case 'protect':
    case 'duration':
    case 'size':
    case 'rate':
    case 'loudness':
      return false;
    case 'transition':
      return name === undefined || name === 'color';
    case 'output':
      return name !== 'height' && name !== 'fps';
    case 'outputs':
      return field !== 'height' && field !== 'fps';
    case 'captions':
      return isCaptionsText(name, field, inner);
    case 'resources':
    case 'audio':
      return field === undefined || TEXT_FIELDS.includes(field) || inner === 'background';
    default:
      return true;
  }
}

/** Styles have texts and numbers, and cues have times. */
function isCaptionsText(name: string | undefined, field: string | undefined, inner: string | undefined): boolean {
  if (name === 'burn' || name === 'embed') return false;
  if (name === 'from') return inner !== 'start' && inner !== 'end';
  return name !== 'style' || field === undefined || isStyleText(field);
}
/** Fields of resources and tracks that are texts. */
const TEXT_FIELDS = ['source', 'speak', 'voice', 'caption'];

/** Parses a file and checks its properties as far as possible before it is merged and filled in. */
export function readDefinitionFile(path: string, file: FileText, check: Check): DefinitionFile {
  const start = startOf(path);
  if (!file.ok) return { root: null, diagnostics: [unreadable(path, file.reason, start)] };
  const parsed = parseYaml(path, file.text);
  if (!parsed.ok) return { root: null, diagnostics: parsed.diagnostics };
  const root = parsed.value;
  if (root === null) {
    const hint = 'Add template, title and resources, or start the file name of a fragment with _';
    return {
      root,
      diagnostics: [errorAt('definition_empty', start, `${path} contains no definition`, hint)],
    };
  }
  if (root.kind !== 'map') {
    const message = `A definition must be a map of properties, not a ${root.kind === 'list' ? 'list' : 'single value'}`;
    return {
      root: null,
      diagnostics: [errorAt('definition_invalid', root.span, message, 'Write property: value')],
    };
  }
  return { root, diagnostics: check(toJson(root, isTextPath), locateIn(root)) };
}

/**
 * Describes why the file that is referenced at `at` cannot be used.
 *
 * @param tried files of parent locales that do not exist either
 */
export function unreadable(
  path: string,
  reason: Exclude<FileText, { ok: true }>['reason'],
  at: Span,
  tried: readonly string[] = [],
): Diagnostic {
  const name = JSON.stringify(path);
  switch (reason) {
    case 'missing':
      return errorAt('missing_file', at, `The file ${name} does not exist${neither(tried)}`, MISSING_HINT);
    case 'folder':
      return errorAt('missing_file', at, `${name} is a folder, not a file`, 'Rename the folder, or name a file in it');
    case 'outside':
      return errorAt(
        'path_outside',
        at,
        `${name} is a link to a location outside the repository`,
        'Copy the file into the repository',
      );
    case 'forbidden':
      return errorAt('missing_file', at, `${name} cannot be read: permission denied`, 'Check its permissions');
    case 'lfs_pointer':
      return pointerError(path, at);
    case 'not_text': {
      const hint = /\.csv$/i.test(path)
        ? 'Save it as UTF-8; in Excel, as "CSV UTF-8"'
        : `Save it as UTF-8${captionFormat(path) === null ? '' : WITH_ICONV}`;
      return errorAt('definition_invalid', at, `${name} is not valid UTF-8`, hint);
    }
    case 'utf_16':
      return errorAt(
        'definition_invalid',
        at,
        `${name} is UTF-16, not UTF-8`,
        'Save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8',
      );
    case 'too_large':
      return errorAt('yaml_too_complex', at, `${name} is too large`, 'Split it');
  }
}

const WITH_ICONV =
  ', for example with iconv -f ENCODING -t UTF-8; older programs use WINDOWS-1252 in the West, and SHIFT_JIS in Japan';

function neither(tried: readonly string[]): string {
  return tried.map((path) => `, nor does ${JSON.stringify(path)}`).join('');
}

const MISSING_HINT =
  'Paths are relative to the root of the repository, or with ./ to the folder of the file that contains them';

/** Order of the properties in a formatted scene. */
const SCENE_ORDER: PropertyOrder = {
  names: [
    'id',
    'template',
    'extends',
    'each',
    'when',
    'duration',
    'transition',
    'fit',
    'background',
    'shorten',
    'resources',
    'audio',
    'captions',
    'fonts',
  ],
};

/** Order of the properties in a formatted definition. */
export const PROPERTY_ORDER: PropertyOrder = {
  names: [
    'template',
    'extends',
    'each',
    'when',
    'locales',
    'variants',
    'id',
    'title',
    'description',
    'labels',
    'protect',
    'size',
    'rate',
    'duration',
    'transition',
    'fit',
    'background',
    'shorten',
    'poster',
    'resources',
    'scenes',
    'audio',
    'loudness',
    'captions',
    'fonts',
    'output',
    'outputs',
    'deliver',
  ],
  inside: { scenes: SCENE_ORDER },
};

type RepositoryPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string };

/**
 * Resolves a path in a file to a normalised repository-relative path with `/`. `./` and `../` are relative to the folder of
 * that file, other paths to the root. Does not check that the file exists.
 *
 * @param baseFile file that contains the path, repository-relative
 */
export function resolvePath(written: string, baseFile: string): RepositoryPath {
  const name = JSON.stringify(written);
  if (written.includes('\\')) {
    const hint = `Write ${written.replaceAll('\\', '/')}`;
    return { ok: false, code: 'definition_invalid', message: `The path ${name} contains a backslash`, hint };
  }
  if (written.startsWith('/') || /^[a-z]:/i.test(written)) {
    const hint = 'Write it relative to the root of the repository, or with ./ relative to the folder of this file';
    return { ok: false, code: 'path_outside', message: `The path ${name} is absolute`, hint };
  }
  const relative = written.startsWith('./') || written.startsWith('../');
  const path = posix.normalize(relative ? posix.join(posix.dirname(baseFile), written) : written);
  if (path === '..' || path.startsWith('../')) {
    const message = `The path ${name} leads out of the repository`;
    return { ok: false, code: 'path_outside', message, hint: 'Copy the file into the repository' };
  }
  if (path === '.' || path.endsWith('/')) {
    const message = `The path ${name} is a folder, not a file`;
    return { ok: false, code: 'definition_invalid', message, hint: 'Write the path of a file' };
  }
  return { ok: true, path };
}

/**
 * Returns the location of a value in a definition file, or of the innermost enclosing value that the file contains. The
 * result is the start of the file if the value comes from a fragment or a data row.
 *
 * @param path keys, from the outermost
 */
export function definitionSpan(file: string, text: string, path: readonly string[]): Span {
  const start = startOf(file);
  const parsed = parseYaml(file, text);
  let node: TreeNode | null = parsed.ok ? (parsed.value ?? null) : null;
  let span = start;
  for (const key of path) {
    node = child(node, key);
    if (node === null) break;
    if (node.span.file === file) span = node.span;
  }
  return span;
}
