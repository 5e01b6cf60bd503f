import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KeptFrame } from '../../../src/engine/lint/measured-frames.ts';
import type { TaskInput, TaskRunner } from '../../../src/service/sessions/processes/tasks.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

/** Plans, and returns the numbers of threads that render processes were started for in advance. */
async function startedFor(root: string, ...options: string[]): Promise<number[]> {
  const started: number[] = [];
  const { exitCode } = await reelform(root, ['plan', ...options], {
    createRenderPool: (poolOptions) => ({ ...keptRenderPool(poolOptions), warm: (tasks) => void started.push(tasks) }),
  });
  expect(exitCode).toBe(0);
  return started;
}

/** Plans, and returns the inputs of lint and what it found. */
async function lintedIn(root: string): Promise<{ inputs: TaskInput<'lint'>[]; found: unknown }> {
  const inputs: TaskInput<'lint'>[] = [];
  const { exitCode, stdout } = await reelform(root, ['plan', '--json'], {
    createRenderPool: (poolOptions) => {
      const pool = keptRenderPool(poolOptions);
      const run: TaskRunner['run'] = (kind, input, options) => {
        if (kind === 'lint') inputs.push(input as TaskInput<'lint'>);
        return pool.run(kind, input, options);
      };
      return { ...pool, run };
    },
  });
  expect(exitCode).toBe(0);
  return { inputs, found: (JSON.parse(stdout) as { diagnostics: unknown }).diagnostics };
}

describe('warmForNewContent() and prepareLint()', () => {
  it('starts processes for the videos that were not linted yet, and none otherwise', async () => {
    const root = makeRepository();
    const config = join(root, 'reelform.yaml');
    const text = readFileSync(config, 'utf8');
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(config, text.replace(NO_LINT, ''));
    expect(await startedFor(root, '--no-lint')).toEqual([]);
    // Each request for a process is for both threads. How many there are before the process runs depends on time.
    expect(new Set(await startedFor(root))).toEqual(new Set([2]));
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(new Set(await startedFor(root))).toEqual(new Set([2]));
    expect(new Set(await startedFor(root, '--no-cache'))).toEqual(new Set([2]));
  });

  it('starts a process for files with other content, and not for files that were only touched', async () => {
    const root = makeRepository();
    writeFileSync(join(root, 'reelform.yaml'), readFileSync(join(root, 'reelform.yaml'), 'utf8').replace(NO_LINT, ''));
    expect(new Set(await startedFor(root))).toEqual(new Set([2]));
    utimesSync(join(root, 'videos/rome.yaml'), new Date(), new Date());
    expect(await startedFor(root)).toEqual([]);
    writeFileSync(join(root, 'videos/rome.yaml'), `# Checked\n${definition('Rome')}`);
    expect(await startedFor(root, '--no-lint')).toEqual([]);
    expect(new Set(await startedFor(root))).toEqual(new Set([2]));
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    // The plan cache knows the files, so the process starts before the definitions are read.
    expect(new Set(await startedFor(root))).toEqual(new Set([2]));
    expect(await startedFor(root)).toEqual([]);
  });
});

describe('openLintCache()', () => {
  it('brings the measured frames of the template, and ignores a damaged file', async () => {
    const root = makeRepository();
    const [config, cache, video] = ['reelform.yaml', '.reelform/lint.json', 'videos/rome.yaml'].map((path) =>
      join(root, path),
    ) as [string, string, string];
    writeFileSync(config, readFileSync(config, 'utf8').replace(NO_LINT, ''));
    const first = await lintedIn(root);
    expect(first.inputs.map(({ measured }) => measured)).toEqual(first.inputs.map(() => []));
    const stored = JSON.parse(readFileSync(cache, 'utf8')) as { frames: { frame: KeptFrame }[] };
    expect(stored.frames.length).toBeGreaterThan(0);
    writeFileSync(video, definition('Roma'));
    const edited = await lintedIn(root);
    expect(edited.inputs.map(({ measured }) => measured)).toEqual([stored.frames.map(({ frame }) => frame)]);
    // A frame of an unexpected form.
    const damaged = stored.frames.map(({ frame, ...rest }) => ({ ...rest, frame: { ...frame, hasCuts: 'no' } }));
    for (const text of [
      JSON.stringify({ ...stored, frames: damaged }),
      '{"build":',
      '[]',
      JSON.stringify({ ...stored, build: 'other' }),
    ]) {
      writeFileSync(cache, text);
      const again = await lintedIn(root);
      expect(again.inputs.every(({ measured }) => measured?.length === 0)).toBe(true);
      expect(again.inputs).toHaveLength(first.inputs.length);
      expect(again.found).toEqual(edited.found);
    }
  });
});
