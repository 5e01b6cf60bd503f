import { isRecord, parseRecord } from '../../kernel/json.ts';
import type { Config } from '../../reconciler/project/config.ts';
import { missingFonts, readFontsFolder } from '../../reconciler/project/load-templates.ts';
import { parseConfig } from '../../reconciler/project/parse-config.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { CONFIG_FILE, findRoot } from '../../reconciler/project/repository-layout.ts';
import { createChecks } from '../../reconciler/schema/create-checks.ts';
import type { NamedPackage } from './named-package.ts';

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
