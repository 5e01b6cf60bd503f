import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDesiredState } from '../../../src/cli/state/load-desired-state.ts';
import { loadProject } from '../../../src/reconciler/project/load-project.ts';
import { CONFIG, definition } from '../../support/repository.ts';
import { placed } from '../../support/resolve.ts';
import { smallPackageFiles, TEST_FONT } from '../../support/small-package.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a repository with the small package, one definition, and a folder of fonts. */
function repository(fonts: Files, changes: Files = {}, own: Readonly<Record<string, null>> = {}): string {
  const files: Record<string, string | Uint8Array> = {
    'reelform.yaml': `${CONFIG}fonts: ./fonts\n`,
    'videos/rome.yaml': definition('Rome'),
  };
  for (const [path, bytes] of smallPackageFiles(own)) files[`templates/small/${path}`] = bytes;
  for (const [name, bytes] of Object.entries(fonts)) files[`fonts/${name}`] = bytes;
  return temporaryRepository({ ...files, ...changes });
}

const problemsOf = async (root: string): Promise<string[]> => {
  const { diagnostics, source } = await loadProject({ cwd: root });
  return diagnostics.filter(({ severity }) => severity === 'error').map((one) => placed(one, source));
};

describe('the fonts folder', () => {
  it('adds its fonts to every package that lacks a font of that name', async () => {
    const root = repository({
      'Extra-Bold.TTF': TEST_FONT,
      'brand/Brand-Regular.ttf': TEST_FONT,
      'Test-Regular.otf': TEST_FONT,
      'OFL.txt': 'free',
    });
    const { templates, diagnostics } = await loadProject({ cwd: root });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { spec, package: own, files, paths } = templates.get('small')!;
    expect(spec.fonts).toEqual(['Test-Regular']);
    expect(spec.available_fonts).toEqual(['Test-Regular', 'Brand-Regular', 'Extra-Bold']);
    expect(own?.fonts.get('Test-Regular')?.path).toBe('fonts/Test-Regular.ttf');
    expect([...files!.keys()].filter((path) => path.startsWith('fonts/')).sort()).toEqual([
      'fonts/Brand-Regular.ttf',
      'fonts/Extra-Bold.ttf',
      'fonts/Test-Regular.ttf',
    ]);
    expect(paths).toEqual(expect.arrayContaining(['fonts/brand/Brand-Regular.ttf', 'fonts/Extra-Bold.TTF']));
    expect(paths).not.toContain('fonts/Test-Regular.otf');
  });

  it('provides a font that a package references but does not include', async () => {
    const lacking = { 'fonts/Test-Regular.ttf': null };
    expect(await problemsOf(repository({}, {}, lacking))).not.toEqual([]);
    expect(await problemsOf(repository({ 'Test-Regular.ttf': TEST_FONT }, {}, lacking))).toEqual([]);
  });

  it('lets a definition name only its fonts', async () => {
    const named = (font: string): Files => ({
      'videos/rome.yaml': `${definition('Rome')}fonts: {Test-Regular: ${font}}\n`,
    });
    const fonts = { 'Extra-Bold.ttf': TEST_FONT };
    expect(await problemsOf(repository(fonts, named('Extra-Bold')))).toEqual([]);
    expect(await problemsOf(repository(fonts, named('Extra-Blod')))).toEqual(['unknown_font videos/rome.yaml:6:23']);
  });

  it.each<[string, Files]>([
    ['is missing', {}],
    ['contains a file that is not a font', { 'Broken.ttf': 'no font' }],
    ['contains a name twice', { 'A.ttf': TEST_FONT, 'b/A.otf': TEST_FONT }],
  ])('is refused at its location in the configuration when it %s', async (_, fonts) => {
    expect(await problemsOf(repository(fonts))).toEqual([
      expect.stringMatching(/^template_invalid reelform.yaml:\d+:8$/),
    ]);
  });

  it('is tracked by the plan cache: a new font changes the style version', async () => {
    const root = repository({ 'Extra-Bold.ttf': TEST_FONT });
    const fingerprint = async (): Promise<string> => {
      const { stdout } = await reelform(root, ['plan', '--json']);
      return (JSON.parse(stdout) as { changes: { after: { fingerprint: string } }[] }).changes[0]!.after.fingerprint;
    };
    const before = await fingerprint();
    expect(await fingerprint()).toBe(before);
    writeFileSync(join(root, 'fonts/Extra-Black.ttf'), TEST_FONT);
    const after = await fingerprint();
    expect(after).not.toBe(before);
    for (const cache of [true, false]) {
      const { desired, dependenciesOf } = await loadDesiredState(root, { cache });
      expect(desired[0]!.fingerprint).toBe(after);
      expect(dependenciesOf(desired[0]!)).toContain('fonts/Extra-Black.ttf');
    }
  });
});
