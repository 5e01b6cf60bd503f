import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

/** Plans, and returns the numbers of tasks that render processes were started for in advance. */
async function startedFor(root: string, ...options: string[]): Promise<number[]> {
  const started: number[] = [];
  const { exitCode } = await reelform(root, ['plan', ...options], {
    createRenderPool: (poolOptions) => ({ ...keptRenderPool(poolOptions), warm: (tasks) => void started.push(tasks) }),
  });
  expect(exitCode).toBe(0);
  return started;
}

describe('warmForNewContent() and warmForPlan()', () => {
  it('starts processes for the videos that were not linted yet, and none otherwise', async () => {
    const root = makeRepository();
    const config = join(root, 'reelform.yaml');
    const text = readFileSync(config, 'utf8');
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(config, text.replace(NO_LINT, ''));
    expect(await startedFor(root, '--no-lint')).toEqual([]);
    // Once before the videos are read, and once when they have to be linted, which uses the same process.
    expect(await startedFor(root)).toEqual([1, 1]);
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(await startedFor(root)).toEqual([1, 1]);
    expect(await startedFor(root, '--no-cache')).toEqual([1, 1]);
  });

  it('starts a process for files with other content, and not for files that were only touched', async () => {
    const root = makeRepository();
    writeFileSync(join(root, 'reelform.yaml'), readFileSync(join(root, 'reelform.yaml'), 'utf8').replace(NO_LINT, ''));
    expect(await startedFor(root)).toEqual([1, 1]);
    utimesSync(join(root, 'videos/rome.yaml'), new Date(), new Date());
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), `# Checked\n${definition('Rome')}`);
    expect(await startedFor(root, '--no-lint')).toEqual([]);
    expect(await startedFor(root)).toEqual([1]);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    // The plan cache knows the files, so the process starts before the definitions are read.
    expect(await startedFor(root)).toEqual([1, 1, 1]);
    expect(await startedFor(root)).toEqual([]);
  });
});
