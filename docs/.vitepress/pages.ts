import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Page {
  /** Below docs/, without extension. */
  readonly path: string;
  readonly title: string;
  readonly order: number;
  readonly description: string;
  /** Markdown without its front matter. */
  readonly body: string;
}

/** Kinds of pages in the order of the navigation. Each is a folder of docs/. */
export const KINDS = [
  { folder: 'start', title: 'Start' },
  { folder: 'guides', title: 'Guides' },
  { folder: 'reference', title: 'Reference' },
  { folder: 'explanation', title: 'Explanation' },
] as const;

/**
 * Reads the pages of a folder, sorted by `order` of their front matter, so that a new page appears without a change here.
 *
 * @param docs absolute path of docs/
 */
export function readPages(docs: string, folder: string): Page[] {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => readPage(docs, join(folder, name)))
    .sort((a, b) => a.order - b.order || a.title.localeCompare(b.title));
}

/** @param file below docs/ */
export function readPage(docs: string, file: string): Page {
  const text = readFileSync(join(docs, file), 'utf8');
  const [, frontMatter = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(frontMatter)?.[1];
  const title = field('title');
  if (title === undefined) throw new Error(`docs/${file} needs a title in its front matter`);
  return {
    path: file.replace(/\.md$/, ''),
    title,
    order: Number(field('order') ?? 1000),
    description: field('description') ?? '',
    body,
  };
}
