import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseEncoder } from '../../../src/session/processes/choose-encoder.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-choose-'));
  program = join(folder, 'bin', 'ffmpeg');
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'folder', 'ffmpeg'), { recursive: true });
  await writeFile(program, '#!/bin/sh\n');
  await chmod(program, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

describe('chooseEncoder()', () => {
  test('takes the configured one, and before it that of the environment', () => {
    const PATH = join(folder, 'bin');
    expect(chooseEncoder('embedded', { PATH })).toEqual({ kind: 'embedded' });
    expect(chooseEncoder('ffmpeg', { PATH })).toEqual({ kind: 'ffmpeg', program });
    expect(chooseEncoder('embedded', { PATH, REELFORM_ENCODER: 'ffmpeg' })).toEqual({ kind: 'ffmpeg', program });
    expect(chooseEncoder('ffmpeg', { PATH: '', REELFORM_ENCODER: 'embedded' })).toEqual({ kind: 'embedded' });
  });

  test('finds ffmpeg on the PATH where it is a program, not a folder and not below the current one', () => {
    const PATH = ['.', '', 'bin', join(folder, 'folder'), join(folder, 'bin')].join(delimiter);
    expect(chooseEncoder('ffmpeg', { PATH })).toEqual({ kind: 'ffmpeg', program });
  });

  test('takes the program that the environment names', () => {
    expect(chooseEncoder('ffmpeg', { PATH: '', REELFORM_FFMPEG: program })).toEqual({ kind: 'ffmpeg', program });
  });

  test('says encoder_missing where it is not there, and settings_invalid for another name', () => {
    const refused = (code: string): object => expect.objectContaining({ code });
    expect(() => chooseEncoder('ffmpeg', { PATH: '/nonexistent' })).toThrow(refused('encoder_missing'));
    expect(() => chooseEncoder('ffmpeg', { REELFORM_FFMPEG: '/nonexistent' })).toThrow(refused('encoder_missing'));
    expect(() => chooseEncoder('embedded', { REELFORM_ENCODER: 'x265' })).toThrow(refused('settings_invalid'));
  });
});
