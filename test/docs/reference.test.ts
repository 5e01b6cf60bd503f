import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../docs/reference-generator/reference-pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Variables that terminals set. */
const TERMINAL = new Set(['COLORTERM', 'STY', 'TERM', 'TMUX', 'XTERM_VERSION']);

describe('docs/reference', () => {
  it('is up to date: npm run docs:reference', async () => {
    for (const { path, current, text } of await referencePages(ROOT)) expect(current, path).toBe(text);
  });

  it('lists every environment variable that the commands read', () => {
    const reference = read('docs/reference/cli.md');
    const files = fg.sync('src/{cli,reconciler,report,studio}/**/*.ts', { cwd: ROOT });
    const variables = files.flatMap((file) => [...read(file).matchAll(/\benv\.([A-Z][A-Z_]+)/g)]);
    const names = new Set(variables.map((match) => match[1]!).filter((name) => !TERMINAL.has(name)));
    expect([...names].filter((name) => !new RegExp(`^\\| .*\`${name}\``, 'm').test(reference))).toEqual([]);
  });
});
