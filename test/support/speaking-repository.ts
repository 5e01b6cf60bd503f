import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG, definition, makeRepository } from './repository.ts';

/**
 * A voice: speaks 0.1 s a word and writes its times. It appends what it is asked to calls.log. Options: `words: false` writes no times,
 * `fail: n` fails the first n times, `status` is then its exit status, `print` is written to standard error with the value of VOICE_KEY for `$KEY` and in base64 for `$CODE`, `hang: true` never ends.
 */
const VOICE = `#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const request = JSON.parse(readFileSync(0, 'utf8'));
const { text, options } = request;
appendFileSync('calls.log', JSON.stringify({ ...request, env: Object.keys(process.env).sort() }) + '\\n');
const calls = readFileSync('calls.log', 'utf8').trim().split('\\n').filter((line) => JSON.parse(line).text === text).length;
if (options.print !== undefined) process.stderr.write(options.print.replace('$KEY', process.env.VOICE_KEY).replace('$CODE', btoa(process.env.VOICE_KEY)));
if (options.hang === true) setInterval(() => {}, 1000);
else if (calls <= (options.fail ?? 0)) process.exitCode = options.status ?? 1;
else if (options.output !== undefined) process.stdout.write(options.output);
else {
  const words = text.split(' ');
  const count = 1600 * words.length;
  const wave = Buffer.alloc(44 + 2 * count);
  wave.write('RIFF');
  wave.writeUInt32LE(36 + 2 * count, 4);
  wave.write('WAVEfmt ', 8);
  for (const [at, value] of [[16, 16], [24, 16000], [28, 32000], [40, 2 * count]]) wave.writeUInt32LE(value, at);
  for (const [at, value] of [[20, 1], [22, 1], [32, 2], [34, 16]]) wave.writeUInt16LE(value, at);
  wave.write('data', 36);
  for (let at = 0; at < count; at++) wave.writeInt16LE(Math.round(8000 * Math.sin(at / 10)), 44 + 2 * at);
  const late = options.late ?? 0;
  const times = words.map((word, at) => ({ text: word, start: at / 10, end: (at + 1) / 10 + late }));
  if (options.words !== false) writeFileSync(process.env.REELFORM_WORDS, JSON.stringify(times));
  process.stdout.write(wave);
}
`;

/** Definition of a video in which a voice speaks. */
export function speaking(title: string, text: string, fields = ''): string {
  return definition(title, `audio: {voice: {speak: ${JSON.stringify(text)}${fields}}}\n`);
}

/** @param voices of reelform.yaml, by default one with a command; @param changes further files */
export function makeSpeakingRepository(
  changes: Readonly<Record<string, string>>,
  voices = 'anna: {command: [./voice.mjs]}',
  settings = '',
) {
  const config = `${CONFIG}voices:\n  ${voices}\n${settings}`;
  const root = makeRepository({ 'reelform.yaml': config, 'voice.mjs': VOICE, ...changes });
  chmodSync(join(root, 'voice.mjs'), 0o755);
  return {
    root,
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
    /** Sorted names of the files of speech. */
    speech: () => (existsSync(join(root, 'speech')) ? readdirSync(join(root, 'speech')).sort() : []),
  };
}
