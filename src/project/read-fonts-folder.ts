import { posix } from 'node:path';
import { type Diagnostic, errorAt, type Result } from '../diagnostic.ts';
import { fontProblem } from '../template/check-font.ts';
import type { Config } from './config.ts';
import { readTemplateFolder } from './read-package.ts';
import type { RepositoryFiles } from './repository-files.ts';

/** A font of the repository, which is added to every template package. */
export interface RepositoryFont {
  /** Repository-relative. */
  readonly path: string;
  /** Path in a package, `fonts/<name>.<extension>`. */
  readonly packagePath: string;
  readonly bytes: Uint8Array;
}

const WORDS = {
  missing: 'Create the folder, or write the path of your fonts folder, like ./fonts',
  tooLarge: 'Remove unused fonts; the fonts become part of every template package, which can have at most 50 MB',
};

const FONT_FILE = /^(.+)\.(ttf|otf|woff2|woff)$/i;

/**
 * Reads the fonts of the folder in reelform.yaml and its subfolders, by name. Ignores other files. Returns none if no folder
 * is configured.
 */
export function readFontsFolder(
  folder: Config['fonts'],
  files: Pick<RepositoryFiles, 'root' | 'log'>,
): Result<ReadonlyMap<string, RepositoryFont>> {
  const fonts = new Map<string, RepositoryFont>();
  if (folder === null) return { ok: true, value: fonts };
  const { path: root, at } = folder;
  const read = readTemplateFolder(files.root, root, at, files.log, WORDS);
  if (!read.ok) return read;
  const diagnostics: Diagnostic[] = [];
  const refuse = (message: string, hint: string): void => {
    diagnostics.push(errorAt('template_invalid', at, message, hint));
  };
  for (const [below, bytes] of read.value) {
    const [, name, ending = ''] = FONT_FILE.exec(posix.basename(below)) ?? [];
    if (name === undefined) continue;
    const path = posix.join(root, below);
    const other = fonts.get(name);
    const problem = fontProblem(bytes);
    if (problem !== null) refuse(`The file ${JSON.stringify(path)} ${problem}`, 'Replace the font file, or remove it');
    if (other !== undefined)
      refuse(`${JSON.stringify(path)} and ${JSON.stringify(other.path)} are the same font`, 'Remove one');
    fonts.set(name, { path, packagePath: `fonts/${name}.${ending.toLowerCase()}`, bytes });
  }
  return diagnostics.length > 0 ? { ok: false, diagnostics } : { ok: true, value: fonts };
}

/** Returns the fonts that a package lacks, by their path in the package. */
export function missingFonts(
  fonts: ReadonlyMap<string, RepositoryFont>,
  packageFiles: ReadonlyMap<string, Uint8Array>,
): Map<string, RepositoryFont> {
  const own = [...packageFiles.keys()].filter((path) => posix.dirname(path) === 'fonts');
  const names = new Set(own.flatMap((path) => FONT_FILE.exec(posix.basename(path))?.[1] ?? []));
  const missing = [...fonts].filter(([name]) => !names.has(name));
  return new Map(missing.map(([, font]) => [font.packagePath, font]));
}
