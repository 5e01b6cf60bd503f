import { describe, expect, it } from 'vitest';
import { hasErrors } from '../../../src/kernel/diagnostic.ts';
import { loadProject, type Project } from '../../../src/reconciler/project/load-project.ts';
import { CONFIG, definition } from '../../support/repository.ts';
import { placed } from '../../support/resolve.ts';
import { smallPackageFiles } from '../../support/small-package.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const COLUMNS = /:\d+:\d+$/;

async function load(output: string, definitions: Readonly<Record<string, string>>): Promise<Project> {
  const files: Record<string, string | Uint8Array> = { 'reelform.yaml': `${CONFIG}output: ${output}\n` };
  for (const [path, bytes] of smallPackageFiles()) files[`templates/small/${path}`] = bytes;
  for (const [name, own] of Object.entries(definitions)) {
    files[`videos/${name}.yaml`] = definition('Rome') + (own === '' ? '' : `output: ${own}\n`);
  }
  return loadProject({ cwd: temporaryRepository(files) });
}

const outputsOf = ({ videos }: Project): unknown => videos.map(({ id, output }) => [id, output]);
const problemsOf = ({ diagnostics, source }: Project): string[] =>
  diagnostics.filter((one) => hasErrors([one])).map((one) => placed(one, source));

describe('the output in reelform.yaml', () => {
  it('applies to every video, field by field, unless its definition overrides it', async () => {
    const project = await load('{format: webm, height: 18}', {
      a: '',
      b: '{fps: 5}',
      c: '{height: 36, quality: low}',
      d: '{format: mp4}',
    });
    expect(problemsOf(project)).toEqual([]);
    expect(outputsOf(project)).toEqual([
      ['a', { format: 'webm', height: 18 }],
      ['b', { format: 'webm', height: 18, fps: 5 }],
      ['c', { format: 'webm', height: 36, quality: 'low' }],
      ['d', { height: 18 }],
    ]);
  });

  it('and in definitions is checked against the size of the template', async () => {
    const wide = await load('{}', { a: '{height: 4096}' });
    expect(problemsOf(wide)).toEqual(['definition_invalid videos/a.yaml:6:18']);
    const all = await load('{height: 4096}', { a: '', b: '{height: 36}' });
    expect(problemsOf(all).map((problem) => problem.replace(COLUMNS, ''))).toEqual([
      'definition_invalid videos/a.yaml',
    ]);
    expect(all.diagnostics.find((one) => hasErrors([one]))?.hint).toContain('reelform.yaml');
    expect(outputsOf(all)).toEqual([['b', { height: 36 }]]);
  });
});
