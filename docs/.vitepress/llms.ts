import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KINDS, readPage, readPages } from './pages.ts';

const SUMMARY =
  'Reelform renders videos from YAML definitions in git. A plan shows what would be rendered and why; apply renders only what changed.';

/**
 * Writes llms.txt, a list of all pages, and llms-full.txt with their text, for language models.
 *
 * @see https://llmstxt.org
 */
export async function writeLlmsTexts(docs: string, outDir: string, base: string): Promise<void> {
  const kinds = [
    ...KINDS.map(({ folder, title }) => ({ title, pages: readPages(docs, folder) })),
    { title: 'Other', pages: [readPage(docs, 'glossary.md'), readPage(docs, 'benchmarks.md')] },
  ];
  const lists = kinds.map(({ title, pages }) =>
    [`## ${title}`, ...pages.map((page) => `- [${page.title}](${base}${page.path}): ${page.description}`)].join('\n'),
  );
  await writeFile(join(outDir, 'llms.txt'), `# Reelform\n\n> ${SUMMARY}\n\n${lists.join('\n\n')}\n`);
  const texts = kinds.flatMap(({ pages }) =>
    pages.map(({ body }) => body.replaceAll(/<!--[\s\S]*?-->\n?/g, '').trim()),
  );
  await writeFile(join(outDir, 'llms-full.txt'), `# Reelform\n\n${SUMMARY}\n\n${texts.join('\n\n---\n\n')}\n`);
}
