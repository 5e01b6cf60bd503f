import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FULL_ONLY } from './support/full-run.ts';
import { temporaryRepository } from './support/temporary-repository.ts';
import { testLanes } from './support/test-lanes.ts';

const lanes = (files: Readonly<Record<string, string>>) => testLanes(temporaryRepository(files));

describe('testLanes()', () => {
  it.each([
    ["import { spawn } from 'node:child_process';", 'at once'],
    ["import '../src/start.ts';", 'through another file'],
    ["export {\n  start,\n} from '../src/start.ts';", 'through what it exports again'],
    ["const { start } = await import('../src/start.ts');", 'when it asks for it'],
    ["import { PGlite } from '@electric-sql/pglite/worker';", 'from below a package'],
    ["import { createCanvas } from '@napi-rs/canvas';", 'when it draws'],
  ])('assigns %j to the integration lane', (text) => {
    const files = { 'test/a.test.ts': text, 'src/start.ts': "import { execa } from 'execa';\n" };
    expect(lanes(files)).toEqual({ unit: [], integration: ['test/a.test.ts'] });
  });

  it.each([
    "import type { ChildProcess } from 'node:child_process';",
    "import { parse } from 'yaml';\nimport { b } from './b.ts';",
    "import { missing } from './missing.ts';",
    "const text = `\n  import { execa } from 'execa';`;",
  ])('assigns %j to the unit lane', (text) => {
    const files = { 'test/a.test.ts': text, 'test/b.ts': "import { a } from './a.test.ts';\n" };
    expect(lanes(files)).toEqual({ unit: ['test/a.test.ts'], integration: [] });
  });

  it('assigns every test file to one lane, except e2e and field tests', () => {
    const files = {
      'test/a.test.ts': '',
      'test/b.test.ts': "import 'got';",
      'test/e2e/c.test.ts': '',
      'test/d.ts': '',
    };
    expect(lanes(files)).toEqual({ unit: ['test/a.test.ts'], integration: ['test/b.test.ts'] });
  });
});

it('FULL_ONLY names test files of the integration lane', () => {
  const { integration } = testLanes(join(import.meta.dirname, '..'));
  expect(FULL_ONLY.filter((file) => !integration.includes(file))).toEqual([]);
});
