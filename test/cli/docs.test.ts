import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { execa } from 'execa';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/diagnostic.ts';
import { SETTING_FLAGS } from '../../src/server/settings/settings-table.ts';
import { reelform } from '../support/test-io.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const REFERENCE = readFileSync(join(ROOT, 'schemas/README.md'), 'utf8');
/** Variables that terminals set. */
const TERMINAL = new Set(['COLORTERM', 'STY', 'TERM', 'TMUX', 'XTERM_VERSION']);
const COMMANDS = [
  'init',
  ...['plan', 'apply', 'drift', 'explain', 'render'],
  ...['comment github', 'comment gitlab'],
  'resolve',
  ...['show', 'output', 'lock merge', 'lock verify', 'lock migrate', 'mv', 'rm', 'import'],
  ...['validate', 'lint', 'pull', 'fmt', 'cache', 'doctor'],
  ...['template init', 'template check', 'template pack', 'template push'],
  ...['serve', 'worker', 'token create', 'token list', 'token revoke'],
];
/** Documented in the reference of the service. */
const SETTINGS = new Set(SETTING_FLAGS.map(({ flag }) => flag));

/** @param command empty for the program itself */
async function help(command = ''): Promise<string> {
  const args = command === '' ? [] : command.split(' ');
  return (await reelform('/', [...args, '--help'])).stdout;
}

async function listed(command = ''): Promise<string[]> {
  return [...(await help(command)).matchAll(/^ {2}([a-z]+) .*$/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== 'help');
}

describe('README.md', () => {
  it('lists every command', async () => {
    const commands: string[] = [];
    for (const name of await listed()) {
      const below = ['lock', 'template', 'token', 'comment'].includes(name) ? await listed(name) : [];
      commands.push(...(below.length === 0 ? [name] : below.map((one) => `${name} ${one}`)));
    }
    expect(commands).toEqual(COMMANDS);
    for (const command of COMMANDS) expect(README).toContain(`| \`reelform ${command}`);
  });

  it('lists every option with the commands that accept it', async () => {
    for (const command of ['', ...COMMANDS]) {
      const text = await help(command);
      for (const [, flag] of text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)) {
        if (['serve', 'worker'].includes(command) && SETTINGS.has(flag!)) continue;
        const named = new RegExp(`\`${flag!}[ \`]`);
        const row = README.split('\n').find((line) => line.startsWith('| `-') && named.test(line.split('|')[1]!));
        expect(row, `${command} ${flag}`).toBeDefined();
        if (command !== '' && flag !== '--help') expect(row?.split('|')[2], `${command} ${flag}`).toContain(command);
      }
    }
  });

  it('lists no option that does not exist', async () => {
    const texts = await Promise.all(['', ...COMMANDS].map((command) => help(command)));
    const existing = new Set(texts.flatMap((text) => [...text.matchAll(/--[a-z-]+/g)].map((match) => match[0])));
    const table = README.split('\n').filter((line) => /^\| `-/.test(line));
    const documented = table.flatMap((line) =>
      [...line.split('|')[1]!.matchAll(/--[a-z-]+/g)].map((match) => match[0]),
    );
    expect(documented.filter((flag) => !existing.has(flag))).toEqual([]);
  });

  it('lists every exit code', () => {
    for (const code of Object.values(EXIT)) expect(README).toMatch(new RegExp(`^\\| ${code} \\| `, 'm'));
  });
});

describe('schemas/README.md', () => {
  it('lists every environment variable that the commands read', () => {
    const files = fg.sync('src/{cli,project}/**/*.ts', { cwd: ROOT, absolute: true });
    const read = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\benv\.([A-Z][A-Z_]+)/g)]);
    const names = new Set(read.map((match) => match[1]!).filter((name) => !TERMINAL.has(name)));
    expect([...names].filter((name) => !new RegExp(`^\\| .*\`${name}\``, 'm').test(REFERENCE))).toEqual([]);
  });

  it('lists every property of reelform.yaml', () => {
    const { properties } = JSON.parse(readFileSync(join(ROOT, 'schemas/reelform-config.schema.json'), 'utf8')) as {
      properties: Record<string, unknown>;
    };
    expect(Object.keys(properties).filter((name) => !REFERENCE.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('lists every type of journal line', () => {
    const text = readFileSync(join(ROOT, 'src/lock/journal.ts'), 'utf8');
    const types = [...text.matchAll(/readonly type: '(\w+)'/g)].map((match) => match[1]!);
    expect(types.filter((type) => !REFERENCE.includes(`\`${type}\``))).toEqual([]);
  });
});

describe('the documents of the package', () => {
  it('link only to existing files and headings of the package', async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await execa('npm', args, { cwd: ROOT });
    const packed = new Set((JSON.parse(stdout) as [{ files: { path: string }[] }])[0].files.map(({ path }) => path));
    const folders = new Set([...packed].map(dirname));
    const documents = [...packed].filter((path) => path.endsWith('.md'));
    expect(documents).toContain('schemas/README.md');
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
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

/** Returns the anchors that GitHub gives to headings. */
function headingsOf(document: string): Set<string> {
  const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
