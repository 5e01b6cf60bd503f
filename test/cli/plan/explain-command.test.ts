import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

interface Explained {
  readonly id: string;
  readonly action: string;
  readonly reason: string | null;
  readonly files: readonly string[];
}

async function explained(root: string, id: string): Promise<Explained> {
  const { exitCode, stdout, stderr } = await reelform(root, ['explain', id, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Explained;
}

async function rendered(): Promise<string> {
  const root = makeRepository();
  await reelform(root, ['apply', '--auto-approve']);
  return root;
}

describe('reelform explain', () => {
  it('reports why a video would be rendered and which files it depends on', async () => {
    const root = makeRepository();
    expect(await explained(root, 'berlin')).toMatchObject({
      format_version: '1.0',
      id: 'berlin',
      path: 'videos/berlin.yaml',
      action: 'create',
      reason: 'new',
      service: 'embedded',
      values: { t_01: 'Berlin', c_01: 'EEADA7' },
      rendered_at: null,
      in_flight: null,
    });
    const { files } = await explained(root, 'berlin');
    expect(files).toContain('videos/berlin.yaml');
    expect(files).toContain('videos/images/photo.png');
    expect(files).toContain('reelform.yaml');
    expect(files.some((file) => file.startsWith('templates/small/'))).toBe(true);
    const { exitCode, stdout } = await reelform(root, ['explain', 'berlin']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('It would be rendered: new');
  });

  it('reports unchanged, changed and removed videos', async () => {
    const root = await rendered();
    expect(await explained(root, 'rome')).toMatchObject({ action: 'noop', reason: null });
    expect((await reelform(root, ['explain', 'rome'])).stdout).toContain('Up to date');
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(await explained(root, 'rome')).toMatchObject({
      action: 'update',
      reason: 'input_changed',
      inputs: [{ key: 't_01', before: 'Rome', after: 'Roma' }],
    });
    rmSync(join(root, 'videos/rome.yaml'));
    expect(await explained(root, 'rome')).toMatchObject({ action: 'forget', files: [], service: 'embedded' });
  });

  it('finds a moved video by either of its ids', async () => {
    const root = await rendered();
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    for (const id of ['rome', 'roma']) {
      expect(await explained(root, id)).toMatchObject({ id: 'roma', previous_id: 'rome', action: 'move' });
    }
  });

  it('is not limited by max_renders', async () => {
    const root = makeRepository({ 'videos/row.yaml': definition('Row') });
    writeFileSync(
      join(root, 'reelform.yaml'),
      'service: embedded\ntemplates: {small: ./templates/small}\nmax_renders: 1\n',
    );
    expect(await explained(root, 'row')).toMatchObject({ action: 'create' });
  });

  it.each([
    ['romme', 'Did you mean rome?'],
    ['b', 'Did you mean berlin?'],
    ['quite-something-else', 'reelform plan --verbose'],
  ])('refuses %j with a suggestion', async (id, hint) => {
    const { exitCode, stdout, stderr } = await reelform(makeRepository(), ['explain', id]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('unknown_video');
    expect(stderr).toContain(hint);
  });

  it('shows the errors of a repository that cannot be planned', async () => {
    const { exitCode, stderr } = await reelform(makeRepository({ 'videos/bad.yaml': '[' }), ['explain', 'rome']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('yaml_syntax');
    expect(await reelform('/', ['explain'])).toMatchObject({ exitCode: 1 });
  });
});
