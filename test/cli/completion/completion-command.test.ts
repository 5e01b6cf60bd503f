import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const root = makeRepository();

async function completed(...words: string[]): Promise<string[]> {
  const { stdout } = await reelform(root, ['completion', 'bash', '--', ...words]);
  return stdout.split('\n').slice(0, -1);
}

describe('reelform completion', () => {
  it.each([
    ['commands', ['pl'], ['plan']],
    ['commands below a command', ['template', 'l'], ['look']],
    ['options, also those of all commands', ['plan', '--d'], ['--detailed-exitcode', '--directory']],
    ['choices of an option', ['plan', '--format', 'm'], ['markdown']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['ids', ['render', ''], ['berlin', 'oslo', 'rome']],
    ['ids after other arguments', ['list', 'rome', '--json', 'o'], ['oslo']],
    ['ids of an option', ['apply', '--target', 'b'], ['berlin']],
    ['templates', ['template', 'look', ''], ['small']],
    ['nothing where a file stands', ['template', 'init', ''], []],
    ['nothing for an unknown word', ['nothing', ''], []],
  ])('completes %s', async (_, words, expected) => {
    expect(await completed(...words)).toEqual(expected);
  });

  it('completes in the folder of -C, and exits with 1 where it knows nothing', async () => {
    const elsewhere = await reelform('/', ['completion', 'fish', '--', '-C', root, 'show', 'ber']);
    expect(elsewhere).toMatchObject({ exitCode: 0, stdout: 'berlin\tBerlin\n' });
    expect(await reelform('/', ['completion', 'zsh', '--', 'show', ''])).toMatchObject({ exitCode: 1, stdout: '' });
    const { stdout } = await reelform('/', ['completion', 'zsh', '--', 'fm']);
    expect(stdout).toMatch(/^fmt:\w/);
  });

  it('prints scripts for every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { exitCode, stdout } = await reelform('/', ['completion', shell]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`reelform completion ${shell} -- `);
    }
    const unknown = await reelform('/', ['completion', 'cmd']);
    expect(unknown.exitCode).toBe(1);
  });

  it('prints a script that bash runs', async () => {
    const program = join(import.meta.dirname, '../../../dist/cli/main.js');
    const bin = makeRepository({ reelform: `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n` });
    chmodSync(join(bin, 'reelform'), 0o755);
    const script =
      'eval "$(reelform completion bash)"; COMP_WORDS=(reelform render r); COMP_CWORD=2; _reelform; echo "$COMPREPLY"';
    const { stdout } = await execa('bash', ['-c', script], {
      cwd: root,
      env: { PATH: `${bin}:${process.env.PATH ?? ''}` },
    });
    expect(stdout).toBe('rome');
  });
});
