import { mkdir, writeFile } from 'node:fs/promises';
import { wavFile } from './wav-file.ts';

// `node templates/source/build.mjs write-music.ts` writes videos/sounds/tide.wav: a loop of two bars, plucked and slow like water.

const RATE = 24_000;
const BEAT_SECONDS = 0.4;
/** Semitones above A3 of what is plucked at each half beat: A minor 9, then F major 7. */
const NOTES = [0, 7, 12, 14, 15, 14, 12, 7, -4, 3, 8, 12, 15, 12, 8, 3];
const BASS = [-24, -28];

const samples = new Float64Array(Math.round(NOTES.length * (BEAT_SECONDS / 2) * RATE));

/** Adds a note that dies away; what sounds past the end sounds on at the beginning, so that the loop has no seam. */
function pluck(semitones: number, startSeconds: number, lengthSeconds: number, loudness: number): void {
  const frequency = 220 * 2 ** (semitones / 12);
  const start = Math.round(startSeconds * RATE);
  for (let index = 0; index < lengthSeconds * RATE; index++) {
    const seconds = index / RATE;
    const attack = Math.min(1, seconds / 0.006);
    const decay = Math.exp((-4 * seconds) / lengthSeconds) * Math.min(1, (lengthSeconds - seconds) / 0.05);
    const phase = 2 * Math.PI * frequency * seconds;
    const tone = Math.sin(phase) + 0.3 * Math.sin(2 * phase) * decay + 0.12 * Math.sin(3 * phase) * decay * decay;
    const at = (start + index) % samples.length;
    samples[at] = samples[at]! + loudness * attack * decay * tone;
  }
}

for (const [index, note] of NOTES.entries()) {
  const startSeconds = (index * BEAT_SECONDS) / 2;
  pluck(note, startSeconds, 1.6, 0.16);
  // An echo of a dotted beat.
  pluck(note + 12, startSeconds + BEAT_SECONDS * 0.75, 0.9, 0.035);
}
for (const [index, note] of BASS.entries()) pluck(note + 12, (index * samples.length) / BASS.length / RATE, 1.6, 0.25);

const wav = wavFile(RATE, [
  Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)),
]);
await mkdir('videos/sounds', { recursive: true });
await writeFile('videos/sounds/tide.wav', wav);
