import { describe, expect, it } from 'vitest';
import { encodeFlac } from '../../../src/engine/codec/flac-encoder.ts';
import { soundLength } from '../../../src/engine/media/sound-length.ts';
import { encodeSpeech } from '../../../src/engine/speech/speech-sound.ts';
import { wavFile } from '../../../templates/source/wav-file.ts';
import { toneWav } from '../../support/tone.ts';

describe('encodeFlac()', () => {
  it('writes the number of samples and their MD5, so that other programs can verify the file', async () => {
    const samples = Int16Array.from({ length: 5000 }, (_, at) => 1000 * Math.sin(at));
    const flac = Buffer.from(await encodeFlac({ samples, channels: 2, rate: 22_050 }));
    expect(flac.toString('latin1', 0, 4)).toBe('fLaC');
    // STREAMINFO: 20 bits of rate, 3 of channels, 5 of sample size, 36 of samples.
    const facts = flac.readBigUInt64BE(18);
    expect([facts >> 44n, (facts >> 41n) & 7n, (facts >> 36n) & 31n, facts & 0xfffffffffn]).toEqual([
      22_050n,
      1n,
      15n,
      2500n,
    ]);
    const { hash } = await import('node:crypto');
    expect(flac.toString('hex', 26, 42)).toBe(hash('md5', new Uint8Array(samples.buffer)));
  });
});

describe('encodeSpeech()', () => {
  it('keeps the samples and the rate of a voice', async () => {
    const { flac, seconds } = await encodeSpeech(toneWav(1.5, 440, 16_000));
    expect(seconds).toBe(1.5);
    expect(await soundLength(flac, 'speech')).toEqual({ samples: 24_000, rate: 16_000 });
  });

  it('reads the WAV of a pipe, whose sizes are not known', async () => {
    const wave = Buffer.from(toneWav(0.5, 440, 16_000));
    wave.writeUInt32LE(0x7fff_f024, 4);
    wave.writeUInt32LE(0x7fff_f000, 40);
    expect((await encodeSpeech(wave)).seconds).toBe(0.5);
  });

  it.each([
    ['silence', wavFile(16_000, [new Int16Array(100)]), 'is silent'],
    ['nothing', new Uint8Array(0), 'is empty'],
    ['text', Buffer.from('{"error": "quota"}'), 'is a JSON document, not a WAV sound'],
    ['half a header', toneWav(1).slice(0, 30), 'cannot be read'],
  ])('refuses %s', async (_, bytes, message) => {
    await expect(encodeSpeech(bytes)).rejects.toMatchObject({
      code: 'speech_failed',
      message: expect.stringContaining(message),
    });
  });
});
