import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mediaFile, stereoWav } from '../../engine/media/media-files.ts';
import { keptRenderPool } from '../../support/kept-render-pools.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const wav = (seconds: number): Buffer => stereoWav(8000, new Float32Array(8000 * seconds));

/** A repository with a video as long as its voice. */
function repositoryWith(voice: Uint8Array) {
  const root = makeRepository({
    'videos/rome.yaml': `${definition('Rome')}audio: { voice: { source: ./voice.wav } }\nduration: content\n`,
    'videos/voice.wav': voice,
  });
  let decoded = 0;
  return {
    root,
    decodedFiles: () => decoded,
    plan: (...options: string[]) =>
      reelform(root, ['plan', '--json', ...options], {
        createRenderPool: (poolOptions) => {
          const pool = keptRenderPool(poolOptions);
          return {
            ...pool,
            run(kind, ...task) {
              if (kind === 'length') decoded += 1;
              return pool.run(kind, ...task);
            },
          };
        },
      }),
  };
}

describe('a plan of a video that is as long as its voice', () => {
  it('decodes the voice once, also after the plan cache was deleted, and again when it changes', async () => {
    const { root, plan, decodedFiles } = repositoryWith(wav(3));
    expect(await plan()).toMatchObject({ exitCode: 0 });
    expect(decodedFiles()).toBe(1);
    writeFileSync(join(root, '.reelform/plan-cache.json'), '');
    await plan();
    expect(decodedFiles()).toBe(1);
    writeFileSync(join(root, 'videos/voice.wav'), wav(4));
    await plan();
    expect(decodedFiles()).toBe(2);
    writeFileSync(join(root, 'videos/voice.wav'), wav(3));
    await plan();
    expect(decodedFiles()).toBe(2);
    const { sounds } = JSON.parse(readFileSync(join(root, '.reelform/sound-lengths.json'), 'utf8'));
    expect(sounds.map(([, samples, rate]: number[]) => [samples, rate])).toEqual([
      [24_000, 8000],
      [32_000, 8000],
    ]);
  });

  it.each([
    ['is no sound', Buffer.from('Hello, this is a text'), /"videos\/voice.wav" cannot be measured: The file is a text/],
    ['lacks its end', wav(3).subarray(0, 20_000), /"videos\/voice.wav" cannot be measured: The file is incomplete/],
  ])('reports a voice that %s once, in its line', async (_, voice, message) => {
    const { root, plan } = repositoryWith(voice);
    const { exitCode, stdout } = await plan('--no-lint');
    const { diagnostics } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(diagnostics.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([
      expect.objectContaining({
        code: 'sound_unreadable',
        message: expect.stringMatching(message),
        file: 'videos/rome.yaml',
        line: 6,
      }),
    ]);
    expect(existsSync(join(root, 'reelform.lock.json'))).toBe(false);
  });

  it('reports an empty voice once, in its line', async () => {
    const { exitCode, stdout } = await repositoryWith(Buffer.alloc(0)).plan('--no-lint');
    const errors = JSON.parse(stdout).diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
    expect([exitCode, errors]).toEqual([1, [expect.objectContaining({ code: 'missing_file', line: 6 })]]);
  });

  it('does not decode a sound that decides no length', async () => {
    const root = makeRepository({
      'videos/rome.yaml': `${definition('Rome')}audio: { voice: { source: ./voice.mp3 } }\n`,
      'videos/voice.mp3': mediaFile('beep.mp3'),
    });
    await reelform(root, ['plan', '--no-lint']);
    expect(existsSync(join(root, '.reelform/sound-lengths.json'))).toBe(false);
  });
});
