import { isRecord } from '../../json.ts';
import { parseConfig } from '../../project/config.ts';
import { missingFonts, readFontsFolder } from '../../project/read-fonts-folder.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { CONFIG_FILE, findRoot } from '../../project/repository-layout.ts';
import { createChecks } from '../../schema/create-checks.ts';
import type { NamedPackage } from './read-package.ts';

/**
 * A package with the fonts of the repository around it that it lacks, as its videos are rendered with it: all of them, or
 * those that its animation names. As it is where there is no repository, or its configuration cannot be read.
 */
export function withRepositoryFonts(found: NamedPackage, which: 'all' | 'named'): NamedPackage {
  if (!found.files.ok) return found;
  const root = rootAround(found.path);
  if (root === null) return found;
  const files = new RepositoryFiles(root);
  const read = files.text(CONFIG_FILE);
  if (!read.ok) return found;
  const { config } = parseConfig(CONFIG_FILE, read.text, createChecks().config, root);
  const fonts = readFontsFolder(config.fonts, files);
  if (!fonts.ok) return { ...found, files: fonts };
  const own = found.files.value;
  const named = which === 'named' ? namedFonts(own.get('animation.json')) : null;
  const wanted = new Map([...fonts.value].filter(([name]) => named === null || named.has(name)));
  const added = [...missingFonts(wanted, own)].map(([path, { bytes }]) => [path, bytes] as const);
  return { ...found, files: { ok: true, value: new Map([...own, ...added]) } };
}

function rootAround(path: string): string | null {
  try {
    return findRoot(path);
  } catch {
    return null;
  }
}

/** What is no animation names none; why it is none is told by whoever parses the package. */
function namedFonts(animation: Uint8Array | undefined): ReadonlySet<string> {
  try {
    const document: unknown = JSON.parse(new TextDecoder().decode(animation));
    const list = isRecord(document) && isRecord(document.fonts) ? document.fonts.list : null;
    const names = Array.isArray(list) ? list.map((font: unknown) => (isRecord(font) ? font.fName : null)) : [];
    return new Set(names.filter((name) => typeof name === 'string'));
  } catch {
    return new Set();
  }
}
