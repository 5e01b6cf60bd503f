import { wavFile } from '../../templates/source/wav-file.ts';

/** Returns a mono WAV file of a sine. */
export function toneWav(seconds: number, hertz = 440, sampleRate = 48_000): Uint8Array {
  const samples = Int16Array.from({ length: Math.round(seconds * sampleRate) }, (_, at) =>
    Math.round(8_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)),
  );
  return wavFile(sampleRate, [samples]);
}
