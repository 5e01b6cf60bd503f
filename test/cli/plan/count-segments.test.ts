import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform, type TestIoOptions } from '../../support/test-io.ts';

async function planned(root: string, options: readonly string[] = [], io: TestIoOptions = {}) {
  return JSON.parse((await reelform(root, ['plan', '--json', ...options], io)).stdout) as {
    estimate: { segments?: object };
    changes: { id: string; segments?: object }[];
  };
}

describe('reelform plan', () => {
  it('counts the segments to render per video and in total', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome') });
    const { estimate, changes } = await planned(root);
    expect(changes.length).toBeGreaterThan(1);
    expect(changes.map(({ segments }) => segments)).toEqual(changes.map(() => ({ render: 1, total: 1 })));
    expect(estimate.segments).toEqual({ render: changes.length, total: changes.length });
    expect((await reelform(root, ['plan'])).stdout).toContain(', 3 of 3 segments');
    expect((await reelform(root, ['plan'])).stdout).toContain('· new · 1 of 1 segment\n');
    expect((await reelform(root, ['plan', '--format', 'markdown'])).stdout).toContain('| new<br>1 of 1 segment |');
  });

  it('does not count cached segments', async () => {
    const root = makeRepository({ 'videos/rome.yaml': definition('Rome') });
    expect((await reelform(root, ['apply', '--auto-approve'])).exitCode).toBe(0);
    const { estimate, changes } = await planned(root, ['--replace', 'rome']);
    expect(changes).toMatchObject([{ id: 'rome', action: 'update', segments: { render: 0, total: 1 } }]);
    expect(estimate.segments).toEqual({ render: 0, total: 1 });
  });

  it('counts them however long it takes and however many there are', async () => {
    const many = Array.from({ length: 298 }, (_, index) => [`videos/v${index}.yaml`, definition(`Text ${index}`)]);
    const root = makeRepository(Object.fromEntries(many));
    let now = 0;
    const monotonicNow = (): number => (now += 60_000);
    const { estimate, changes } = await planned(root, ['--no-lint'], { monotonicNow });
    expect(estimate.segments).toEqual({ render: changes.length, total: changes.length });
    expect(changes.length).toBeGreaterThanOrEqual(300);
  });

  it('counts nothing if the cache is off', async () => {
    const root = makeRepository();
    const config = join(root, 'reelform.yaml');
    writeFileSync(config, `${readFileSync(config, 'utf8')}cache: {max_gb: 0}\n`);
    const { estimate, changes } = await planned(root);
    expect(changes.length).toBeGreaterThan(0);
    expect([estimate.segments, ...changes.map(({ segments }) => segments)].every((count) => count === undefined)).toBe(
      true,
    );
  });
});
