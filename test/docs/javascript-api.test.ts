import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { emptyLock } from '../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../src/reconciler/lock/lock-format.ts';
import { makeFolder } from '../support/repository.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/guides/javascript-api.md'), 'utf8');
const EXAMPLES = [...GUIDE.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1]!);

describe('docs/guides/javascript-api.md', () => {
  it('has examples that run with the built package', async () => {
    const root = makeFolder({
      'reelform.yaml': 'service: embedded\ntemplates: { card: ./templates/card }\n',
      'reelform.lock.json': serialiseLock(emptyLock),
      ...Object.fromEntries(EXAMPLES.map((example, index) => [`example-${index}.mjs`, example])),
    });
    cpSync(join(ROOT, 'starter/templates/card'), join(root, 'templates/card'), { recursive: true });
    mkdirSync(join(root, 'node_modules/reelform'), { recursive: true });
    writeFileSync(
      join(root, 'node_modules/reelform/package.json'),
      JSON.stringify({ name: 'reelform', type: 'module', exports: './index.js' }),
    );
    const built = JSON.stringify(join(ROOT, 'dist/index.js'));
    writeFileSync(join(root, 'node_modules/reelform/index.js'), `export * from ${built};\n`);
    expect(EXAMPLES).toHaveLength(2);
    const [render, lock] = await Promise.all(
      EXAMPLES.map((_, index) => execa(process.execPath, [`example-${index}.mjs`], { cwd: root })),
    );
    expect(render!.stdout).toMatch(/^\d{4,} bytes, 3 seconds$/);
    expect(readFileSync(join(root, 'hello.mp4')).subarray(4, 8).toString()).toBe('ftyp');
    expect(readFileSync(join(root, 'stillcut_01.jpg')).length).toBeGreaterThan(1_000);
    expect(lock!.stdout).toBe('');
  });

  it('lists every exported value', async () => {
    const exported = Object.keys((await import('../../src/index.ts')) as object);
    expect(exported.filter((name) => !GUIDE.includes(`\`${name}\``) && !GUIDE.includes(`\`${name}()\``))).toEqual([]);
  });
});
