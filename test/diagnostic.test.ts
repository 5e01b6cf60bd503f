import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { CODES, EXIT, hasErrors, ReelformError } from '../src/diagnostic.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('CODES', () => {
  it('stand in the reference, each with its meaning, and nothing else does', () => {
    const [, reference = ''] = read('schemas/README.md').split('## Error codes');
    const documented = [...reference.matchAll(/^\| `(\w+)` \| (.*?) \| .+ \|$/gm)].map(([, code, meaning]) => [
      code,
      meaning,
    ]);
    expect(Object.fromEntries(documented)).toEqual(CODES);
    expect(documented).toHaveLength(Object.keys(CODES).length);
  });

  it('are each provoked by a test', () => {
    const files = fastGlob.sync('test/**/*.test.ts', { cwd: ROOT, ignore: ['test/diagnostic.test.ts'] });
    const tests = files.map(read).join('\n');
    const untested = Object.keys(CODES).filter((code) => !new RegExp(`\\b${code}\\b`).test(tests));
    expect(untested).toEqual([]);
  });

  it('are each used by the program', () => {
    const files = fastGlob.sync('src/**/*.ts', { cwd: ROOT, ignore: ['src/diagnostic.ts'] });
    const sources = files.map(read).join('\n');
    expect(Object.keys(CODES).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});

describe('ReelformError', () => {
  it('carries its code, hint, cause and exit code', () => {
    const cause = new Error('full');
    const error = new ReelformError('write_failed', 'No', { hint: 'Make room', cause });
    expect(error).toMatchObject({
      name: 'ReelformError',
      code: 'write_failed',
      hint: 'Make room',
      cause,
      exitCode: EXIT.error,
    });
    expect(new ReelformError('not_approved', 'No', { exitCode: EXIT.refused }).exitCode).toBe(5);
  });
});

describe('hasErrors()', () => {
  it('does not count warnings', () => {
    const warning = { code: 'no_videos', severity: 'warning', message: '' } as const;
    expect(hasErrors([warning])).toBe(false);
    expect(hasErrors([warning, { ...warning, severity: 'error' }])).toBe(true);
  });
});
