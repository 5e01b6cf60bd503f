import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { slugOf } from '../../docs/.vitepress/heading-slug.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The package as the build writes it. */
const PACKAGE = join(ROOT, 'packages/reelform');
const JOURNAL = readFileSync(join(ROOT, 'docs/reference/files.md'), 'utf8');

describe('docs/reference/files.md', () => {
  it('lists every type of journal line', () => {
    const text = readFileSync(join(ROOT, 'src/reconciler/lock/journal.ts'), 'utf8');
    const types = [...text.matchAll(/readonly type: '(\w+)'/g)].map((match) => match[1]!);
    expect(types.filter((type) => !JOURNAL.includes(`\`${type}\``))).toEqual([]);
  });
});

describe('the documents of the package', () => {
  it('link only to existing files and headings of the package', async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await execa('npm', args, { cwd: PACKAGE });
    const packed = new Set((JSON.parse(stdout) as [{ files: { path: string }[] }])[0].files.map(({ path }) => path));
    const folders = new Set([...packed].map(dirname));
    const documents = [...packed].filter((path) => path.endsWith('.md'));
    expect(documents).toContain('docs/reference/cli.md');
    const dead = documents.flatMap((document) =>
      linksOf(document)
        .filter((link) => {
          const [path = '', heading] = link.split('#');
          const target = path === '' ? document : join(dirname(document), path).replace(/\/$/, '');
          if (!packed.has(target) && !folders.has(target)) return true;
          return heading !== undefined && !headingsOf(target).has(heading);
        })
        .map((link) => `${document}: ${link}`),
    );
    expect(dead).toEqual([]);
  });
});

/** Returns the relative links and images of a document. */
function linksOf(document: string): string[] {
  const text = readFileSync(join(PACKAGE, document), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

/** Returns the anchors that GitHub gives to headings. */
function headingsOf(document: string): Set<string> {
  const text = readFileSync(join(PACKAGE, document), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return new Set(headings.map(slugOf));
}
