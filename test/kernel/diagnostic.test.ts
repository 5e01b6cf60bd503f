import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { SESSION_CODES } from '../../src/contract/service-error.ts';
import { CODES, EXIT, hasErrors, ReelformError } from '../../src/kernel/diagnostic.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe.each([
  ['CODES', CODES],
  ['SESSION_CODES', SESSION_CODES],
])('%s', (_, codes) => {
  it('are each covered by a test', () => {
    const files = fastGlob.sync('test/**/*.test.ts', { cwd: ROOT, ignore: ['test/kernel/diagnostic.test.ts'] });
    const tests = files.map(read).join('\n');
    const untested = Object.keys(codes).filter((code) => !new RegExp(`\\b${code}\\b`).test(tests));
    expect(untested).toEqual([]);
  });

  it('are each used by the program', () => {
    const tables = ['src/kernel/diagnostic.ts', 'src/contract/service-error.ts'];
    const files = fastGlob.sync('src/**/*.ts', { cwd: ROOT, ignore: tables });
    const sources = files.map(read).join('\n');
    expect(Object.keys(codes).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
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
