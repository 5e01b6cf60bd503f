import type { ScalarNode, TreeNode } from '../../kernel/yaml/tree.ts';
import { resolvePath } from './definition-file.ts';

/** Where the files of a locale are found. */
export interface LocalFiles {
  /** Returns whether the repository has a file; required where definitions have locales. */
  readonly hasFile?: (path: string) => boolean;
  /** Receives each file and font that a locale does not have and a parent locale has. */
  readonly onFallback?: (fallback: Fallback) => void;
}

/** A file or font of a parent locale that is used in place of that of the locale. */
export interface Fallback {
  readonly node: ScalarNode;
  /** As the locale would have it. */
  readonly name: string;
  /** Path of the file, repository-relative, or name of the font. */
  readonly used: string;
}

/** A file as a locale has it. */
interface LocalFile {
  readonly path: string;
  /** Paths of parent locales that do not exist, if the locale has no file. */
  readonly tried?: readonly string[];
}

/**
 * Returns the file of a locale: that of its nearest parent if it has none, by the parents of Unicode CLDR.
 *
 * @param node with the path as written
 * @param path of the locale, repository-relative
 */
export function localFile(node: TreeNode, path: string, { hasFile, onFallback }: LocalFiles): LocalFile {
  if (node.kind !== 'scalar' || node.inParents === undefined || hasFile === undefined || hasFile(path)) return { path };
  const tried: string[] = [];
  for (const { text } of node.inParents) {
    const parent = resolvePath(text, node.baseFile);
    if (!parent.ok) continue;
    if (hasFile(parent.path)) {
      onFallback?.({ node, name: path, used: parent.path });
      return { path: parent.path };
    }
    tried.push(parent.path);
  }
  return { path, tried };
}

/**
 * Returns a node whose font is that of the nearest parent locale if the template has none of the locale.
 *
 * @param fonts of the template; null if unknown
 */
export function localFont(node: TreeNode, fonts: readonly string[] | null, { onFallback }: LocalFiles): TreeNode {
  if (node.kind !== 'scalar' || node.inParents === undefined || fonts === null || fonts.includes(node.text))
    return node;
  const parent = node.inParents.find(({ text }) => fonts.includes(text));
  if (parent === undefined) return node;
  onFallback?.({ node, name: node.text, used: parent.text });
  return { ...node, value: parent.text, text: parent.text };
}
