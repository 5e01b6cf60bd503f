import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cloneOf, GIT_ENVIRONMENT, type GitRepository, newRemote } from '../support/git-repository.ts';
import { writeKeptProgram } from '../support/kept-program.ts';
import { writeFiles } from '../support/temporary-repository.ts';
import { reelform } from '../support/test-io.ts';

interface Job {
  readonly extends?: string;
  readonly resource_group: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
}

const jobsOf = (root: string) => parse(readFileSync(join(root, '.gitlab-ci.yml'), 'utf8')) as Record<string, Job>;

/** Runs the lines of a job's script in a clone of the remote, as a runner does: in a single shell that ends at an error. */
async function run({ script, variables }: Job, remote: GitRepository): Promise<void> {
  const { root } = await cloneOf(remote);
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  await writeKeptProgram(join(root, 'node_modules/.bin/reelform'));
  const env = { ...process.env, ...GIT_ENVIRONMENT, ...variables, CI_DEFAULT_BRANCH: 'main' };
  await promisify(execFile)('bash', ['-e', '-c', script.join('\n')], { cwd: root, env });
}

describe('the job translations of .gitlab-ci.yml', () => {
  it('opens a merge request for texts that the catalogues lack, and none for complete catalogues', async () => {
    const remote = await newRemote();
    await remote.git('config', 'receive.advertisePushOptions', 'true');
    writeFiles(remote.root, {
      'hooks/pre-receive': '#!/bin/sh\nset | grep ^GIT_PUSH_OPTION_ >>"$PWD/options" || true\n',
    });
    chmodSync(join(remote.root, 'hooks/pre-receive'), 0o755);
    const person = await cloneOf(remote);
    expect((await reelform(person.root, ['init', '--yes', '--ci', 'gitlab', '--locales', 'de,ja'])).stderr).toBe('');
    await person.commit({});
    await person.git('push', '--quiet', 'origin', 'main');
    const job = jobsOf(person.root).translations!;

    await run(job, remote);
    expect(await remote.git('branch', '--format=%(refname:short)')).toBe('main\nreelform/translations');
    // The pictures are new: `init` writes none.
    const changed = (await remote.git('diff', '--name-only', 'main', 'reelform/translations')).split('\n');
    expect(changed).toEqual(expect.arrayContaining(['locales/de.po', 'locales/ja.po']));
    expect(changed.filter((path) => path.startsWith('locales/stills/')).length).toBeGreaterThan(0);
    const options = readFileSync(join(remote.root, 'options'), 'utf8');
    for (const option of ['create', 'target=main', 'title=Texts to translate'])
      expect(options).toContain(`merge_request.${option}`);
    // Lines of a block of code, as GitLab reads them.
    const description = /merge_request\.description=(.*?)'?\n/.exec(options)![1]!.split('\\n');
    expect(description.join('\n')).toMatch(/^ {4}.*de.*3/m);
    expect(description.every((line) => line.startsWith('    '))).toBe(true);

    // Once merged, a second run changes nothing.
    await remote.git('branch', '--force', 'main', 'reelform/translations');
    await remote.git('branch', '-D', 'reelform/translations');
    await run(job, remote);
    expect(await remote.git('branch', '--format=%(refname:short)')).toBe('main');
  });

  it('has names of its own in a folder', async () => {
    const { root } = await cloneOf(await newRemote());
    await reelform(root, ['init', 'ads', '--yes', '--template', 'none', '--ci', 'gitlab', '--locales', 'de']);
    const job = jobsOf(join(root, 'ads'))['translations-ads']!;
    expect([job.extends, job.resource_group, job.variables.BRANCH]).toEqual([
      '.reelform-ads',
      'reelform-translations-ads',
      'reelform/translations-ads',
    ]);
  });

  it('is left out without languages', async () => {
    const { root } = await cloneOf(await newRemote());
    await reelform(root, ['init', '--yes', '--template', 'none', '--ci', 'gitlab']);
    expect(Object.keys(jobsOf(root))).not.toContain('translations');
  });
});
