import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/diagnostic.ts';
import { SETTING_FLAGS } from '../../src/server/setting-flags.ts';
import { reelform } from '../support/test-io.ts';

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const COMMANDS = [
  ...['plan', 'apply', 'drift', 'explain'],
  'resolve',
  ...['show', 'output', 'lock merge', 'lock verify', 'lock migrate', 'mv', 'rm', 'import'],
  ...['validate', 'pull', 'fmt', 'doctor', 'template push'],
  ...['serve', 'token create', 'token list', 'token revoke'],
];
/** They stand in the reference of the service. */
const SETTINGS = new Set(SETTING_FLAGS.map(({ flag }) => flag));

/** @param command the program's own when empty */
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
  it('has every command', async () => {
    const commands: string[] = [];
    for (const name of await listed()) {
      const below = ['lock', 'template', 'token'].includes(name) ? await listed(name) : [];
      commands.push(...(below.length === 0 ? [name] : below.map((one) => `${name} ${one}`)));
    }
    expect(commands).toEqual(COMMANDS);
    for (const command of COMMANDS) expect(README).toContain(`| \`reelform ${command}`);
  });

  it('has every option, with the commands that take it', async () => {
    for (const command of ['', ...COMMANDS]) {
      const text = await help(command);
      for (const [, flag] of text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)) {
        if (command === 'serve' && SETTINGS.has(flag!)) continue;
        const row = README.split('\n').find((line) => line.startsWith('| `-') && line.includes(`\`${flag!}`));
        expect(row, `${command} ${flag}`).toBeDefined();
        if (command !== '' && flag !== '--help') expect(row?.split('|')[2], `${command} ${flag}`).toContain(command);
      }
    }
  });

  it('has no option that does not exist', async () => {
    const texts = await Promise.all(['', ...COMMANDS].map((command) => help(command)));
    const existing = new Set(texts.flatMap((text) => [...text.matchAll(/--[a-z-]+/g)].map((match) => match[0])));
    const table = README.split('\n').filter((line) => /^\| `-/.test(line));
    const documented = table.flatMap((line) =>
      [...line.split('|')[1]!.matchAll(/--[a-z-]+/g)].map((match) => match[0]),
    );
    expect(documented.filter((flag) => !existing.has(flag))).toEqual([]);
  });

  it('has every exit code that the program ends with', () => {
    const used: (keyof typeof EXIT)[] = [
      ...([
        'ok',
        'error',
        'changes',
        'authentication',
        'renderFailed',
        'refused',
        'stale',
        'interrupted',
        'deadline',
      ] as const),
    ];
    for (const name of used) expect(README).toMatch(new RegExp(`^\\| ${EXIT[name]} \\| `, 'm'));
  });
});
