import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { makeSpeakingRepository } from '../../support/speaking-repository.ts';
import { reelform } from '../../support/test-io.ts';

async function voicesOf(root: string, env: Record<string, string> = {}): Promise<Record<string, string>> {
  const { stdout } = await reelform(root, ['doctor', '--json'], { env: { PATH: process.env.PATH!, ...env } });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
  const ofVoices = checks.filter(({ name }) => name.startsWith('Voice '));
  return Object.fromEntries(ofVoices.map(({ name, status, message }) => [name, `${status}: ${message}`]));
}

it('doctor finds the commands of voices and their variables, and calls none', async () => {
  const voices = [
    'anna: {command: [./voice.mjs], version: 3}',
    'keyed: {command: [./voice.mjs], env: [VOICE_KEY]}',
    'reader: {builtin: slt}',
    'system: {command: [node, speak.mjs]}',
    'gone: {command: [./gone.sh]}',
    'unknown: {command: [no-such-voice]}',
  ].join('\n  ');
  const { root } = makeSpeakingRepository({}, voices);
  expect(await voicesOf(root)).toEqual({
    'Voice anna': 'ok: ./voice.mjs, version 3',
    'Voice keyed': 'warning: the environment variable VOICE_KEY is not set',
    'Voice reader': 'ok: built in, slt',
    'Voice system': 'ok: node',
    'Voice gone': 'warning: ./gone.sh is not an executable file',
    'Voice unknown': 'warning: no-such-voice is not on the PATH',
  });
  expect((await voicesOf(root, { VOICE_KEY: 'k' }))['Voice keyed']).toBe('ok: ./voice.mjs');
  chmodSync(join(root, 'voice.mjs'), 0o644);
  expect((await voicesOf(root))['Voice anna']).toBe('warning: ./voice.mjs is not an executable file');
});

it('doctor lists no voices where there are none', async () => {
  expect(await voicesOf(makeRepository())).toEqual({});
});
