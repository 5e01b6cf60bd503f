import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { animations } from '../../templates/source/animations.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the example templates', () => {
  it.each(Object.keys(animations))('%s matches its source', (name) => {
    expect(readFileSync(join(ROOT, 'templates', name, 'animation.json'), 'utf8')).toBe(animations[name]);
  });

  it('have valid videos and current schemas', async () => {
    const { diagnostics, videos } = await loadProject({ cwd: ROOT });
    expect(diagnostics).toEqual([]);
    expect(videos.length).toBeGreaterThanOrEqual(6);
  });
});
