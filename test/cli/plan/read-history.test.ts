import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneOf, newRemote } from '../../support/git-repository.ts';
import { CONFIG, definition } from '../../support/repository.ts';
import { smallPackageFiles } from '../../support/small-package.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const CODE = 'history_unsearched';

async function remoteWithHistory() {
  const remote = await newRemote();
  const person = await cloneOf(remote);
  writeFiles(
    person.root,
    Object.fromEntries([...smallPackageFiles()].map(([path, bytes]) => [`templates/small/${path}`, bytes])),
  );
  await person.commit({ 'reelform.yaml': CONFIG, '.gitignore': '.reelform/\nrenders/\n' });
  await person.commit({ 'videos/rome.yaml': definition('Rome') });
  await person.git('push', '--quiet', 'origin', 'main');
  return { remote, person };
}

async function planned(root: string, ...flags: string[]): Promise<Ran> {
  const ran = await reelform(root, ['plan', ...flags]);
  expect(ran).toMatchObject({ exitCode: 0 });
  return ran;
}

describe('a plan that renders without the history of the lockfile', () => {
  it('reports a shallow clone in text, JSON and Markdown', async () => {
    const { remote, person } = await remoteWithHistory();
    expect((await planned(person.root)).stderr).not.toContain(CODE);
    const { root } = await cloneOf(remote, '--depth=1');
    const { stderr } = await planned(root);
    expect(stderr).toMatch(/was not searched completely, .*: this clone is shallow {2}history_unsearched/);
    expect(stderr).toContain('git fetch --unshallow, or "fetch-depth: 0" for actions/checkout');
    // Also with the plan cache of the first plan.
    const { diagnostics } = JSON.parse((await planned(root, '--json')).stdout) as { diagnostics: object[] };
    expect(diagnostics).toContainEqual(expect.objectContaining({ code: CODE, severity: 'warning' }));
    expect((await planned(root, '--markdown')).stdout).toContain('this clone is shallow');
    // A plan without renders needs no history.
    expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect((await planned(root)).stderr).not.toContain(CODE);
  });

  it('reports a repository that git refuses or cannot read, and nothing without a repository', async () => {
    const { person } = await remoteWithHistory();
    process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = '1';
    try {
      const { stderr } = await planned(person.root);
      expect(stderr).toContain(CODE);
      expect(stderr).toContain(`git config --global --add safe.directory ${person.root}`);
      const { stdout } = await reelform(person.root, ['doctor']);
      expect(stdout).toContain(`git config --global --add safe.directory ${person.root}`);
    } finally {
      delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER;
    }
    rmSync(join(person.root, '.git'), { recursive: true });
    expect((await planned(person.root)).stderr).not.toContain(CODE);
    writeFileSync(join(person.root, '.git'), 'gitdir: /nowhere/at/all\n');
    expect((await planned(person.root)).stderr).toContain(CODE);
  });
});
