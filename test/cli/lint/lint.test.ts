import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

/** White on a light ground cannot be read; on a dark one it can. */
const LIGHT = definition('Rome');
const DARK = definition('Oslo').replace('#EEADA7', '#202040');
/** The small template's headline stands at the very edge: nobody is to look at that. */
const LOOKING = CONFIG.replace(NO_LINT, 'lint: {text_overflow: off}\n');

function repository(config = LOOKING, videos = { 'videos/rome.yaml': LIGHT, 'videos/oslo.yaml': DARK }): string {
  return makeRepository({ 'reelform.yaml': config, 'videos/berlin.yaml': DARK.replace('Oslo', 'Berlin'), ...videos });
}

interface Document {
  readonly valid?: boolean;
  readonly diagnostics: { code: string; severity: string; file: string; line: number; message: string; hint: string }[];
}

function found(stdout: string): Document['diagnostics'] {
  return (JSON.parse(stdout) as Document).diagnostics.filter(({ code }) => code !== 'schema_outdated');
}

describe('reelform lint', () => {
  it('tells what a viewer would notice, where the definition says it, with the moment and the still', async () => {
    const root = repository();
    const { exitCode, stdout } = await reelform(root, ['lint', '--json']);
    expect(exitCode).toBe(0);
    expect(found(stdout)).toMatchObject([
      {
        ...{ code: 'low_contrast', severity: 'warning', file: 'videos/rome.yaml', line: 4 },
        message: expect.stringMatching(/^t_01 of rome has a contrast of 1\.\d\d:1 .* at 0\.5 s \(stillcut_01\)/),
        hint: 'To see it: reelform render rome --frame 5',
      },
    ]);
    expect(existsSync(join(root, '.reelform/lint.json'))).toBe(true);
    expect(found((await reelform(root, ['lint', '--json'])).stdout)).toHaveLength(1);
    // What it remembers is worth no failure: a checkout may be for reading alone.
    rmSync(join(root, '.reelform/lint.json'));
    mkdirSync(join(root, '.reelform/lint.json'));
    expect(found((await reelform(root, ['lint', '--json'])).stdout)).toHaveLength(1);
  });

  it('looks at those that are asked for, and says when nothing was found', async () => {
    const { exitCode, stdout } = await reelform(repository(), ['lint', 'o*']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '1 video looked at, and nothing was found.\n' });
  });

  it('fails for what reelform.yaml calls an error', async () => {
    const { exitCode, stderr } = await reelform(repository(LOOKING.replace('off}', 'off, low_contrast: error}')), [
      'lint',
      'rome',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('low_contrast');
  });

  it('says why a video cannot be looked at, and goes on with the others', async () => {
    const broken = `${LIGHT}  (Footage)/USER/photo.png: ./images/broken.png\n`;
    const root = makeRepository({
      ...{ 'reelform.yaml': LOOKING, 'videos/rome.yaml': broken, 'videos/oslo.yaml': LIGHT.replace('Rome', 'Oslo') },
      'videos/images/broken.png': 'no image',
    });
    const { exitCode, stdout } = await reelform(root, ['lint', 'rome', 'oslo', '--json']);
    expect(exitCode).toBe(1);
    expect(found(stdout)).toMatchObject([
      { code: 'low_contrast', file: 'videos/oslo.yaml' },
      {
        ...{ code: 'lint_failed', file: 'videos/rome.yaml', severity: 'error', line: 6 },
        message: expect.stringMatching(
          /^rome cannot be looked at: \(Footage\)\/USER\/photo\.png: The file is not a PNG/,
        ),
      },
    ]);
  });
});

describe('reelform plan', () => {
  it('shows what a viewer would notice of the videos that it renders', async () => {
    const { exitCode, stderr, stdout } = await reelform(repository(), ['plan']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/t_01 of rome has a contrast/);
    expect(stdout).toContain('2 renders');
  });

  it('looks away when it is told to', async () => {
    expect((await reelform(repository(), ['plan', '--no-lint', '--json'])).stdout).not.toContain('low_contrast');
    const away = repository(CONFIG);
    expect((await reelform(away, ['plan', '--json'])).stdout).not.toContain('low_contrast');
  });
});
