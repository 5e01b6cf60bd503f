import { describe, expect, it } from 'vitest';
import { defined } from '../../src/kernel/defined.ts';
import { ReelformError } from '../../src/kernel/diagnostic.ts';
import { fileSystemError } from '../../src/kernel/file-system-error.ts';

const refused = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: refused, open`), { code, syscall: 'open', ...defined({ path }) });

describe('fileSystemError()', () => {
  it.each([
    [refused('ENOSPC'), 'disk_full', 'The disk is full (ENOSPC: refused, open)', 'Make room on the disk'],
    [refused('ENOSPC', '/a'), 'disk_full', 'The disk is full (open /a: ENOSPC)', 'Make room on the disk'],
    [
      refused('EDQUOT'),
      'disk_full',
      'The disk quota is used up (EDQUOT: refused, open)',
      'Make room, or have the quota raised',
    ],
    [
      refused('EROFS', '/a'),
      'file_system',
      'The file system is read-only (open /a: EROFS)',
      'Work in a folder that can be written to',
    ],
    [
      refused('EEXIST', '/a'),
      'file_system',
      'A file is in the way (open /a: EEXIST)',
      'Remove that file, or choose another path',
    ],
    [refused('ENOTDIR', '/a'), 'file_system', 'A part of the path is a file (open /a: ENOTDIR)', 'Check the path'],
    [
      refused('EACCES', '/a'),
      'file_system',
      'open /a: EACCES',
      'Check the path, the rights of its folder, and whether the file system is read-only',
    ],
    [
      new ReelformError('write_failed', '/a could not be written', { cause: refused('ENOSPC') }),
      'disk_full',
      'The disk is full (/a could not be written)',
      'Make room on the disk',
    ],
    [
      new Error('outer', { cause: new Error('inner', { cause: refused('EDQUOT', '/b') }) }),
      'disk_full',
      'The disk quota is used up (open /b: EDQUOT)',
      'Make room, or have the quota raised',
    ],
  ])('maps %o to %s: %s', (error, code, message, hint) => {
    expect(fileSystemError(error)).toMatchObject({ code, message, hint, cause: error });
  });

  it.each([
    new TypeError('x is undefined'),
    new ReelformError('write_failed', 'No', { cause: refused('EACCES') }),
    Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'ENOSPC',
    null,
  ])('returns null for %o', (error) => {
    expect(fileSystemError(error)).toBeNull();
  });

  it('terminates for an error that is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(fileSystemError(error)).toBeNull();
  });
});
