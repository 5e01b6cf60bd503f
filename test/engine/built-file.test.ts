import { describe, expect, test } from 'vitest';
import { builtFile } from '../../src/engine/built-file.ts';

describe('builtFile()', () => {
  test.each([
    ['file:///home/me/reelform/src/engine/render-file.ts', 'file:///home/me/reelform/dist/engine/worker.js'],
    [
      'file:///home/me/src/app/node_modules/reelform/dist/index.js',
      'file:///home/me/src/app/node_modules/reelform/dist/engine/worker.js',
    ],
    ['file:///w/dist/reelform/dist/chunks/pool-A1.js', 'file:///w/dist/reelform/dist/engine/worker.js'],
    ['file:///C:/a%20b/reelform/dist/cli/main.js', 'file:///C:/a%20b/reelform/dist/engine/worker.js'],
  ])('resolves from %s', (from, to) => {
    expect(builtFile(from, 'engine/worker.js').href).toBe(to);
  });

  test('rejects a module outside the package', () => {
    expect(() => builtFile('file:///tmp/bundle.js', 'engine/worker.js')).toThrow('Internal error');
  });
});
