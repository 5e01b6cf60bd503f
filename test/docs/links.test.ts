import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { slugOf } from '../../docs/.vitepress/heading-slug.ts';
import { KINDS, readPages } from '../../docs/.vitepress/pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');

describe('the documentation', () => {
  it('links only to existing files and headings', () => {
    const files = fg.sync(['*.md', '{docs,deploy,gallery,schemas,src,templates}/**/*.md'], { cwd: ROOT });
    const dead = files.flatMap((file) =>
      linksOf(file)
        .filter((link) => !exists(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('has a title, an order and a description on every page', () => {
    const docs = join(ROOT, 'docs');
    const pages = KINDS.flatMap(({ folder }) => readPages(docs, folder));
    expect(pages.filter(({ order, description }) => order === 1000 || description === '')).toEqual([]);
  });
});

/** Returns the relative links and images of a document. */
function linksOf(file: string): string[] {
  const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function exists(file: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  if (!existsSync(join(ROOT, target))) return false;
  if (heading === undefined || !target.endsWith('.md')) return true;
  const headings = [...withoutCode(read(target)).matchAll(/^#+ (.*)$/gm)].map((match) => slugOf(match[1]!));
  return headings.includes(heading);
}
