import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureSounds, type SoundToMeasure } from '../../../src/cli/state/measure-sounds.ts';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import { contentSha256 } from '../../../src/kernel/file-kind.ts';
import type { TaskRunner } from '../../../src/service/sessions/processes/tasks.ts';
import { mediaFile } from '../../engine/media/media-files.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';

const MP3 = mediaFile('beep.mp3');

/** A repository with sounds. Each is named at another place of a definition. */
function repositoryOf(files: Readonly<Record<string, Uint8Array>>) {
  const root = temporaryRepository(files);
  const sounds = Object.entries(files).map(([path, bytes], index): SoundToMeasure => {
    return { path, digest: contentSha256(bytes), at: { file: 'videos/a.yaml', start: index, end: index + 1 } };
  });
  let decoded = 0;
  const openPool = async (): Promise<TaskRunner<'length'>> => {
    const pool = keptRenderPool({ size: 2 });
    return {
      run(...task) {
        decoded += 1;
        return pool.run(...task);
      },
    };
  };
  return {
    root,
    sounds,
    measure: (cache = true) => measureSounds(root, sounds, { cache, openPool }),
    decodedFiles: () => decoded,
  };
}

describe('measureSounds()', () => {
  it('measures sounds by their content, and decodes each content once', async () => {
    const { root, measure, decodedFiles } = repositoryOf({
      'voice/a.mp3': MP3,
      'voice/copy.mp3': MP3,
      'voice/b.flac': mediaFile('beep.flac'),
    });
    for (const [isCached, decoded] of [
      [true, 2],
      [true, 2],
      [false, 4],
    ] as const) {
      const { lengths, diagnostics } = await measure(isCached);
      expect(diagnostics).toEqual([]);
      for (const path of ['voice/a.mp3', 'voice/copy.mp3', 'voice/b.flac']) {
        expect(lengths(path)).toEqual({ samples: 22_050, rate: 44_100 });
      }
      expect(lengths('voice/c.mp3')).toBeNull();
      expect(decodedFiles()).toBe(decoded);
    }
    writeFileSync(join(root, '.reelform/sound-lengths.json'), '{"epoch":0,"sounds":[["x",1]');
    await measure();
    expect(decodedFiles()).toBe(6);
  });

  it('stores a length under the digest of the bytes that were read', async () => {
    const { root, measure } = repositoryOf({ 'a.mp3': MP3 });
    writeFileSync(join(root, 'a.mp3'), mediaFile('beep.ogg'));
    expect((await measure()).lengths('a.mp3')).toBeNull();
    const stored = readFileSync(join(root, '.reelform/sound-lengths.json'), 'utf8');
    expect(stored).toContain(contentSha256(mediaFile('beep.ogg')));
    expect(stored).not.toContain(contentSha256(MP3));
  });

  it('reports each file that cannot be measured once, where it is named', async () => {
    const { measure } = repositoryOf({
      'a.mp3': MP3,
      'cut.flac': mediaFile('beep.flac').subarray(0, 5000),
      'empty.wav': Buffer.alloc(0),
      'pointer.mp3': pointerTo(mediaFile('beep.ogg')),
    });
    const { lengths, diagnostics } = await measure();
    expect(lengths('a.mp3')).not.toBeNull();
    expect(diagnostics.map(({ code, severity, message, at }) => [code, severity, at?.start, message])).toEqual([
      [
        'sound_unreadable',
        'error',
        1,
        expect.stringMatching(/^The length of "cut\.flac" cannot be measured: The file is (incomplete|damaged)/),
      ],
      [
        'sound_unreadable',
        'error',
        2,
        'The length of "empty.wav" cannot be measured: The file is empty, not a supported sound; convert it to MP3, WAV, or AAC in M4A',
      ],
      ['lfs_pointer', 'error', 3, '"pointer.mp3" is a Git LFS pointer; its content was not fetched'],
    ]);
  });

  it('knows the length of a Git LFS pointer whose content was measured', async () => {
    const { root, measure } = repositoryOf({ 'a.mp3': MP3 });
    await measure();
    writeFileSync(join(root, 'a.mp3'), pointerTo(MP3));
    const { lengths, diagnostics } = await measure();
    expect(lengths('a.mp3')).toEqual({ samples: 22_050, rate: 44_100 });
    expect(diagnostics).toEqual([]);
  });

  it('leaves new lengths unknown without the engine, and uses stored ones', async () => {
    const { root, sounds, measure } = repositoryOf({ 'a.mp3': MP3, 'b.ogg': mediaFile('beep.ogg') });
    const missing = new ReelformError('engine_missing', 'It needs the engine', { hint: 'Run npm install' });
    const openPool = (): Promise<never> => Promise.reject(missing);
    const before = await measureSounds(root, sounds, { cache: true, openPool });
    expect(sounds.map(({ path }) => before.lengths(path))).toEqual([null, null]);
    expect(before.diagnostics).toEqual([
      {
        code: 'engine_missing',
        severity: 'warning',
        message: 'The length of "a.mp3", "b.ogg" is not known. It needs the engine',
        hint: 'Run npm install',
        at: sounds[0]!.at,
      },
    ]);
    await measure();
    const after = await measureSounds(root, sounds, { cache: true, openPool });
    expect(after.diagnostics).toEqual([]);
    expect(after.lengths('b.ogg')).toEqual({ samples: 24_000, rate: 48_000 });
  });

  it('keeps a bounded number of the most recently used lengths', async () => {
    const { root, measure } = repositoryOf({ 'a.mp3': MP3 });
    await measure();
    const path = join(root, '.reelform/sound-lengths.json');
    const { epoch, sounds } = JSON.parse(readFileSync(path, 'utf8'));
    const others = Array.from({ length: 12_000 }, (_, index) => [`other${index}`, 1, 1]);
    writeFileSync(path, JSON.stringify({ epoch, sounds: [...sounds, ...others] }));
    // A second file, so that the lengths are stored again.
    writeFileSync(join(root, 'b.ogg'), mediaFile('beep.ogg'));
    const at = { file: 'videos/a.yaml', start: 0, end: 1 };
    const files = [
      { path: 'a.mp3', digest: contentSha256(MP3), at },
      { path: 'b.ogg', digest: contentSha256(mediaFile('beep.ogg')), at },
    ];
    await measureSounds(root, files, { cache: true, openPool: async () => keptRenderPool({ size: 2 }) });
    const kept = JSON.parse(readFileSync(path, 'utf8')).sounds as [string][];
    expect(kept).toHaveLength(10_000);
    expect(kept.slice(-2).map(([digest]) => digest)).toEqual(files.map(({ digest }) => digest));
  });
});
