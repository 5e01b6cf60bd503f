import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ReelformError, type Result, startOf } from '../../kernel/diagnostic.ts';
import { isRecord, parseRecord } from '../../kernel/json.ts';
import { type Config, parseConfig } from '../../reconciler/project/config.ts';
import { missingFonts, readFontsFolder } from '../../reconciler/project/load-templates.ts';
import { isArchivePath, readTemplateArchive, readTemplateFolder } from '../../reconciler/project/read-package.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { CONFIG_FILE, findRoot } from '../../reconciler/project/repository-layout.ts';
import { createChecks } from '../../reconciler/schema/create-checks.ts';

/** A template package that the command line names. */
export interface NamedPackage {
  /** Absolute. */
  readonly path: string;
  /** Path relative to the working directory, for messages. */
  readonly folder: string;
  /** Name of its folder or file, without extension. */
  readonly name: string;
  readonly files: Result<Map<string, Uint8Array>>;
  /** Returns the text of a file, by its path relative to the working directory. */
  readonly source: (file: string) => string | undefined;
}

/** Reads a package from a folder or a `.lottie` file, which may be outside of the repository. */
export function readNamedPackage(named: string, directory: string): NamedPackage {
  const path = resolve(directory, named);
  const folder = relative(directory, path).split(sep).join('/') || '.';
  const [root, below] = [dirname(path), basename(path)];
  const at = startOf(folder);
  const files = isArchivePath(path) ? readTemplateArchive(root, below, at) : readTemplateFolder(root, below, at);
  const source = (file: string): string | undefined => {
    try {
      return readFileSync(join(directory, file), 'utf8');
    } catch {
      return undefined;
    }
  };
  return { path, folder, name: below.replace(/\.lottie$/i, ''), files, source };
}

/**
 * Reads a file that the command line names.
 *
 * @throws ReelformError `missing_file`, `template_invalid` if it is too large
 */
export function readNamedFile(named: string, path: string, maxBytes: number): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ReelformError('missing_file', `${named} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (bytes.length <= maxBytes) return bytes;
  throw new ReelformError('template_invalid', `${named} is larger than ${maxBytes >> 20} MB`, {
    hint: 'Export it with smaller images',
  });
}

/**
 * Adds missing fonts from the surrounding repository to a package, as for rendering: all of them, or those that its
 * animation names. Returns the package unchanged if there is no repository or its configuration cannot be read.
 */
export function addRepositoryFonts(found: NamedPackage, which: 'all' | 'named'): NamedPackage {
  if (!found.files.ok) return found;
  const repository = repositoryAround(found.path);
  if (repository === null) return found;
  const fonts = readFontsFolder(repository.config.fonts, repository.files);
  if (!fonts.ok) return { ...found, files: fonts };
  const packed = found.files.value;
  const named = which === 'named' ? namedFonts(packed.get('animation.json')) : null;
  const wanted = new Map([...fonts.value].filter(([name]) => named === null || named.has(name)));
  const added = [...missingFonts(wanted, packed)].map(([path, { bytes }]) => [path, bytes] as const);
  return { ...found, files: { ok: true, value: new Map([...packed, ...added]) } };
}

/** Returns the configuration around a package; null if there is no repository or its configuration cannot be read. */
export function repositoryAround(path: string): { readonly files: RepositoryFiles; readonly config: Config } | null {
  const root = rootAround(path);
  if (root === null) return null;
  const files = new RepositoryFiles(root);
  const read = files.text(CONFIG_FILE);
  if (!read.ok) return null;
  return { files, config: parseConfig(CONFIG_FILE, read.text, createChecks().config, root).config };
}

function rootAround(path: string): string | null {
  try {
    return findRoot(path);
  } catch {
    return null;
  }
}

/** An invalid animation names no fonts; parsing the package reports the error. */
function namedFonts(animation: Uint8Array | undefined): ReadonlySet<string> {
  const fonts = parseRecord(new TextDecoder().decode(animation))?.fonts;
  const list = isRecord(fonts) && Array.isArray(fonts.list) ? fonts.list : [];
  const names = list.map((font: unknown) => (isRecord(font) ? font.fName : null));
  return new Set(names.filter((name) => typeof name === 'string'));
}
