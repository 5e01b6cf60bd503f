import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fg from 'fast-glob';
import { actionSections } from './action-sections.ts';
import { commandSections } from './command-sections.ts';
import { errorSections } from './error-sections.ts';
import { fieldSections } from './field-sections.ts';
import { gallerySections } from './gallery-sections.ts';
import { schemaSections } from './schema-sections.ts';
import { serviceSections } from './service-sections.ts';

export interface ReferencePage {
  /** Absolute path. */
  readonly path: string;
  readonly current: string;
  /** The page with its generated sections up to date. */
  readonly text: string;
}

/** Matches `<!-- generated: NAME -->…<!-- end -->`. */
const SECTION = /(<!-- generated: ([\w./-]+) -->\n)([\s\S]*?)(<!-- end -->)/g;

/**
 * Returns the pages of docs/reference, and the guide to the gallery, with their generated sections up to date. The text between sections is written by hand.
 *
 * @throws Error for an unknown section, and for a section that no page contains
 */
export async function referencePages(root: string): Promise<ReferencePage[]> {
  const sections = new Map([
    ...commandSections(),
    ...errorSections(),
    ...fieldSections(),
    ...(await serviceSections()),
    ...(await schemaSections(root)),
    ...(await actionSections(root)),
    ...(await gallerySections(root)),
  ]);
  const unused = new Set(sections.keys());
  const pages: ReferencePage[] = [];
  for (const file of await fg(['docs/reference/*.md', 'docs/guides/gallery.md'], { cwd: root })) {
    const path = join(root, file);
    const current = await readFile(path, 'utf8');
    const text = current.replaceAll(SECTION, (_, begin: string, name: string, _old, end: string) => {
      const section = sections.get(name);
      if (section === undefined) throw new Error(`${file} has the unknown section ${name}`);
      unused.delete(name);
      return `${begin}\n${section.trim()}\n\n${end}`;
    });
    pages.push({ path, current, text });
  }
  if (unused.size > 0) throw new Error(`No page contains: ${[...unused].join(', ')}`);
  return pages;
}
