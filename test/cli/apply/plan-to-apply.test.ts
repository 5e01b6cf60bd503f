import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

interface PlanJson {
  readonly plan_id: string;
  readonly complete: boolean;
  readonly changes: readonly { readonly id: string; readonly action: string }[];
}

function planIn(root: string, file = 'plan.json'): PlanJson {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as PlanJson;
}

function lockedIds(root: string): string[] {
  const file = join(root, 'reelform.lock.json');
  return existsSync(file) ? Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { videos: object }).videos) : [];
}

const SAVE = ['plan', '--out', 'plan.json'];
const APPLY_SAVED = ['apply', 'plan.json'];

describe('reelform plan --out', () => {
  it('saves the document that --json prints, and prints the plan as usual', async () => {
    const root = makeRepository();
    const { exitCode, stdout } = await reelform(root, [...SAVE, '--detailed-exitcode']);
    expect({ exitCode, first: stdout.split('\n')[0] }).toEqual({
      exitCode: 2,
      first: 'Plan: 3 to create · 3 renders, 3.0 s of video, 3 of 3 segments',
    });
    expect(`${JSON.stringify(planIn(root), null, 2)}\n`).toBe((await reelform(root, ['plan', '--json'])).stdout);
  });

  it('does not save a plan that could not be applied', async () => {
    const root = makeRepository({ 'videos/rome.yaml': 'template: [' });
    expect(await reelform(root, SAVE)).toMatchObject({ exitCode: 1 });
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Rome'));
    expect(await reelform(root, [...SAVE, '--max-renders', '2'])).toMatchObject({ exitCode: 5 });
    expect(existsSync(join(root, 'plan.json'))).toBe(false);
  });

  it('reports a file that cannot be written', async () => {
    const { exitCode, stderr } = await reelform(makeRepository(), ['plan', '--out', 'videos/rome.yaml/plan.json']);
    expect(exitCode).toBe(1);
    expect(stderr).not.toContain('Internal error');
  });
});

describe('reelform apply PLANFILE', () => {
  it('applies the saved plan without asking, and does nothing the second time', async () => {
    const root = makeRepository();
    await reelform(root, [...SAVE, '--target', 'rome']);
    expect(await reelform(root, APPLY_SAVED)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1 rendered'),
    });
    expect(lockedIds(root)).toEqual(['rome']);
    const lock = readFileSync(join(root, 'reelform.lock.json'), 'utf8');
    const again = await reelform(root, APPLY_SAVED);
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
    expect(again.stderr).toContain('No changes. 1 video is up to date.');
    expect(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).toBe(lock);
  });

  it('exits with 6 for a stale plan, naming each video, without effect', async () => {
    const root = makeRepository();
    await reelform(root, SAVE);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    rmSync(join(root, 'videos/oslo.yaml'));
    const { exitCode, stderr } = await reelform(root, APPLY_SAVED);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('"rome" is stale: its definition has changed');
    expect(stderr).toContain('"oslo" is stale: its definition was removed');
    expect(lockedIds(root)).toEqual([]);
  });

  it('renders requested videos once', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    await reelform(root, [...SAVE, '--replace', 'rome']);
    expect(planIn(root).changes).toMatchObject([{ id: 'rome', action: 'update', reason: 'requested' }]);
    expect((await reelform(root, APPLY_SAVED)).stdout).toMatch(/1 rendered/);
    expect(await reelform(root, APPLY_SAVED)).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('applies saved moves', async () => {
    const root = makeRepository();
    await reelform(root, ['apply', '--auto-approve']);
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    await reelform(root, SAVE);
    expect((await reelform(root, APPLY_SAVED)).stdout).toMatch(/0 rendered, 1 recorded/);
    expect(lockedIds(root)).toEqual(['berlin', 'oslo', 'roma']);
  });

  it('refuses options that select what to plan', async () => {
    const root = makeRepository();
    await reelform(root, SAVE);
    const { exitCode, stderr } = await reelform(root, [...APPLY_SAVED, '--target', 'rome', '--allow-empty']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('options_conflict: A saved plan cannot be combined with --target, --allow-empty');
    expect(await reelform(root, [...APPLY_SAVED, '--expect-plan', 'x'])).toMatchObject({ exitCode: 1 });
  });

  it.each([
    ['is missing', null],
    ['is not JSON', 'plan'],
    ['is of another version', JSON.stringify({ format_version: '2.0' })],
  ])('refuses a file that %s', async (_, text) => {
    const root = makeRepository(text === null ? {} : { 'plan.json': text });
    const { exitCode, stderr } = await reelform(root, APPLY_SAVED);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('plan_invalid');
  });

  it('refuses an edited plan', async () => {
    const root = makeRepository();
    await reelform(root, SAVE);
    const edited = readFileSync(join(root, 'plan.json'), 'utf8').replace(/"id": "rome"/, '"id": "oslo"');
    writeFileSync(join(root, 'plan.json'), edited);
    expect((await reelform(root, APPLY_SAVED)).stderr).toContain('plan_invalid');
  });
});

describe('reelform apply --expect-plan', () => {
  it('applies the expected plan', async () => {
    const root = makeRepository();
    const { plan_id: id } = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as PlanJson;
    expect(await reelform(root, ['apply', '--auto-approve', '--expect-plan', id])).toMatchObject({ exitCode: 0 });
    expect(lockedIds(root)).toHaveLength(3);
  });

  it('exits with 6 for any other plan, and lists its changes', async () => {
    const root = makeRepository();
    const { plan_id: id } = JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as PlanJson;
    rmSync(join(root, 'videos/oslo.yaml'));
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve', '--expect-plan', id]);
    expect(exitCode).toBe(6);
    expect(stderr).toContain('plan_stale');
    expect(stderr).toMatch(/The current plan is sha256:[0-9a-f]{64} \(2 to create\), not sha256:/);
    expect(lockedIds(root)).toEqual([]);
  });
});
