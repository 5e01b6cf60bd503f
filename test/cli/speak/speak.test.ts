import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { pointerTo } from '../../support/lfs-pointer.ts';
import { definition } from '../../support/repository.ts';
import { makeSpeakingRepository, speaking } from '../../support/speaking-repository.ts';
import { reelform } from '../../support/test-io.ts';

const calls = (root: string): { text: string; locale: string | null; options: object; env: string[] }[] => {
  if (!existsSync(join(root, 'calls.log'))) return [];
  const lines = readFileSync(join(root, 'calls.log'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof calls>[number]);
};

async function plan(root: string): Promise<PlanDocument> {
  return JSON.parse((await reelform(root, ['plan', '--json'])).stdout) as PlanDocument;
}

const env = { PATH: process.env.PATH! };

describe('reelform speak', () => {
  it('makes what is missing once, and a changed word makes one file', async () => {
    const { root, speech, write } = makeSpeakingRepository({
      'videos/dune.yaml': speaking('Dune', 'Light that  lands\\nsoftly.'.replace('\\n', ' ')),
      'videos/reef.yaml': speaking('Reef', 'Second text'),
    });
    const first = await reelform(root, ['speak', '--json'], { env });
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    const { texts } = JSON.parse(first.stdout) as { texts: { sound: string; words_file: string; text: string }[] };
    expect(texts).toMatchObject([
      { text: 'Light that lands softly.', voice: 'anna', videos: ['dune'], state: 'made', seconds: 0.4, words: 4 },
      { text: 'Second text', state: 'made' },
    ]);
    const words = JSON.parse(readFileSync(join(root, texts[0]!.words_file), 'utf8')) as object;
    expect(words).toEqual({
      text: 'Light that lands softly.',
      voice: 'anna',
      seconds: 0.4,
      words: ['Light', 'that', 'lands', 'softly.'].map((text, at) => ({ text, start: at / 10, end: (at + 1) / 10 })),
    });
    expect(readFileSync(join(root, texts[0]!.sound)).toString('latin1', 0, 4)).toBe('fLaC');

    const kept = speech();
    expect(kept).toHaveLength(4);
    const again = await reelform(root, ['speak'], { env });
    expect(again).toMatchObject({ exitCode: 0, stdout: 'Every text is spoken (2 texts).\n' });
    // Another title, and the same text with other spaces.
    write('videos/dune.yaml', speaking('Desert', 'Light  that lands softly. '));
    expect(await reelform(root, ['speak', '--check'], { env })).toMatchObject({ exitCode: 0 });
    expect(calls(root)).toHaveLength(2);

    write('videos/dune.yaml', speaking('Desert', 'Light that falls softly.'));
    expect(await reelform(root, ['speak'], { env })).toMatchObject({ exitCode: 0 });
    expect(calls(root).map(({ text }) => text)).toHaveLength(3);
    expect(calls(root).at(-1)).toMatchObject({ text: 'Light that falls softly.' });
    expect(speech()).toHaveLength(6);
    expect(speech()).toEqual(expect.arrayContaining(kept));
  });

  it('checks without making anything, and names what is missing with its price', async () => {
    const { root, speech } = makeSpeakingRepository(
      { 'videos/dune.yaml': speaking('Dune', 'x'.repeat(400)), 'videos/reef.yaml': speaking('Reef', 'x'.repeat(400)) },
      'anna: {command: [./voice.mjs], price_per_1000_characters: 0.3}',
      'cost: {currency: EUR}\n',
    );
    const { exitCode, stdout } = await reelform(root, ['speak', '--check'], { env });
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(
      /^Missing: 1 text to speak, 400 characters, about €0\.12\.\n {2}"x+…" {2}anna, speech\/[0-9a-f]{32}\.flac\n/,
    );
    expect([speech(), calls(root)]).toEqual([[], []]);
    expect((await plan(root)).estimate).toEqual({
      renders: 3,
      seconds_of_video: expect.any(Number),
      segments: expect.anything(),
      speech: { texts: 1, characters: 400, cost: { amount: 0.12, currency: 'EUR' } },
    });
  });

  it('holds back only the videos without speech: they are neither rendered nor removed', async () => {
    const { root, write } = makeSpeakingRepository({
      'videos/dune.yaml': speaking('Dune', 'One'),
      'videos/reef.yaml': definition('Reef'),
    });
    await reelform(root, ['speak'], { env });
    expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    const lock = (): string => readFileSync(join(root, 'reelform.lock.json'), 'utf8');
    const before = lock();
    write('videos/dune.yaml', speaking('Dune', 'Two words'));
    const document = await plan(root);
    expect(document).toMatchObject({
      changes: [],
      waiting_videos: [{ id: 'dune', path: 'videos/dune.yaml', reason: 'speech of 1 text is missing' }],
      diagnostics: [
        { code: 'schema_outdated' },
        { code: 'speech_missing', severity: 'warning', file: 'videos/dune.yaml' },
      ],
    });
    const { stdout } = await reelform(root, ['plan']);
    expect(stdout).toContain(
      '1 video waits for speech · 1 text to speak, 9 characters · run reelform speak\n  ◌ speech of 1 text is missing: dune',
    );
    expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(lock()).toBe(before);
    const listed = JSON.parse((await reelform(root, ['list', '--json'])).stdout) as { videos: object[] };
    expect(listed.videos).toContainEqual(expect.objectContaining({ id: 'dune', state: 'waiting' }));
    const rendered = await reelform(root, ['render', 'dune']);
    expect(rendered.stderr).toContain('The video dune waits: speech of 1 text is missing. Run reelform speak dune');
    const explained = await reelform(root, ['explain', 'dune']);
    expect(explained.stdout).toMatch(
      /It waits: speech of 1 text is missing. Run reelform speak dune\.\n {4}"Two words" {2}anna, speech\/[0-9a-f]{32}\.flac\n/,
    );
    const { stdout: json } = await reelform(root, ['explain', 'dune', '--json']);
    expect(JSON.parse(json)).toMatchObject({ id: 'dune', missing_speech: [{ text: 'Two words', voice: 'anna' }] });
    await reelform(root, ['speak', 'dune'], { env });
    expect(await plan(root)).toMatchObject({
      changes: [{ id: 'dune', action: 'update', inputs: [{ spoken: { text: 'Two words', voice: 'anna' } }] }],
    });
    for (const args of [['plan'], ['explain', 'dune']]) {
      expect((await reelform(root, args)).stdout).toContain('"Two words" by anna');
    }
  });

  it('gives the command the text, its options and only the named variables', async () => {
    const { root } = makeSpeakingRepository(
      {
        'videos/dune.yaml': speaking('Dune', 'Hello', ', voice: anna, options: {speed: 2}'),
        'videos/rows.yaml': `${speaking('${name}', 'Dear ${name}', ', voice: "${voice}", level: -16')}each: {from: ../data.csv, id: "\${name}"}\n`,
        'data.csv': 'name,voice\nanna,anna\nben,ben\n',
      },
      'anna: {command: [./voice.mjs], options: {speed: 1, tone: low}, env: [VOICE_KEY]}\n  ben: {command: [./voice.mjs]}',
    );
    await reelform(root, ['speak'], { env: { ...env, VOICE_KEY: 'sesame', OTHER: 'x', HOME: '/home' } });
    const asked = calls(root).sort((a, b) => (a.text < b.text ? -1 : 1));
    expect(asked).toMatchObject([
      { text: 'Dear anna', locale: null, options: { speed: 1, tone: 'low' } },
      { text: 'Dear ben', options: {} },
      { text: 'Hello', options: { speed: 2, tone: 'low' }, env: ['HOME', 'PATH', 'REELFORM_WORDS', 'VOICE_KEY'] },
    ]);
  });

  it('tries again, and reports what fails at its place without secrets', async () => {
    const print = 'denied for $KEY (Basic $CODE)';
    const { root, speech } = makeSpeakingRepository(
      {
        'videos/good.yaml': speaking('Good', 'Good', ', options: {fail: 2}'),
        'videos/bad.yaml': speaking('Bad', 'Bad', `, options: {fail: 9, status: 65, print: "${print}"}`),
        'videos/wrong.yaml': speaking('Wrong', 'Wrong', ', options: {output: "<html>"}'),
      },
      'anna: {command: [./voice.mjs], env: [VOICE_KEY]}',
    );
    const { exitCode, stderr } = await reelform(root, ['speak'], { env: { ...env, VOICE_KEY: 'sesame123' } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /videos\/bad\.yaml:\d+:\d+\n {2}error {2}The command of the voice anna exited with 65: denied for \*\*\* \(Basic \*\*\*\) {2}speech_failed/,
    );
    expect(stderr).toContain(
      'The voice anna gave no usable speech: The sound of the voice is a web page, not a WAV sound  speech_failed',
    );
    expect(stderr).not.toMatch(/sesame|c2VzYW1l/);
    const counts = Object.fromEntries(
      ['Good', 'Bad', 'Wrong'].map((text) => [text, calls(root).filter((call) => call.text === text).length]),
    );
    expect(counts).toEqual({ Good: 3, Bad: 1, Wrong: 1 });
    expect(speech()).toHaveLength(2);
  });

  it('ends a command that takes too long, and a voice that only fails', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    const { root, speech } = makeSpeakingRepository(
      {
        'videos/slow.yaml': speaking('Slow', 'Slow', ', voice: slow'),
        ...Object.fromEntries(texts.map((text) => [`videos/${text}.yaml`, speaking(text, text, ', voice: bad')])),
      },
      'slow: {command: [./voice.mjs], timeout: 1, options: {hang: true}}\n  bad: {command: [./voice.mjs], options: {fail: 9, status: 65}}',
    );
    const { exitCode, stderr } = await reelform(root, ['speak'], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The command of the voice slow did not finish within 1 s');
    expect(calls(root).filter(({ text }) => text === 'Slow')).toHaveLength(3);
    expect(stderr).toContain('Not spoken, because the voice bad fails');
    expect(calls(root).filter(({ text }) => text !== 'Slow').length).toBeLessThan(texts.length);
    expect(speech()).toEqual([]);
  });

  it.each([
    ['{command: [./missing.mjs]}', 'could not be started (ENOENT, the program was not found)'],
    ['{command: [./voice.mjs], env: [VOICE_KEY]}', 'The voice anna needs the environment variable VOICE_KEY'],
    ['{command: [./voice.mjs], options: {late: 1}}', '"Hello" ends at 1.1 s, but the sound has 0.10 s'],
  ])('reports a voice that is %s', async (voice, message) => {
    const { root, speech } = makeSpeakingRepository(
      { 'videos/dune.yaml': speaking('Dune', 'Hello') },
      `anna: ${voice}`,
    );
    const { exitCode, stderr } = await reelform(root, ['speak'], { env });
    expect([exitCode, speech()]).toEqual([1, []]);
    expect(stderr).toContain(message);
  });

  it('stops at Ctrl-C, and keeps what is made', async () => {
    const { root, speech } = makeSpeakingRepository({
      'videos/dune.yaml': speaking('Dune', 'Hello', ', options: {hang: true}'),
      'videos/reef.yaml': speaking('Reef', 'Hello'),
    });
    let interrupted = false;
    const running = reelform(root, ['speak'], {
      env,
      onInterruptible: (interrupt) => {
        const timer = setInterval(() => {
          if (speech().length < 2 || interrupted) return;
          interrupted = true;
          clearInterval(timer);
          interrupt();
        }, 20);
      },
    });
    const { exitCode, stdout } = await running;
    expect([exitCode, speech().length]).toEqual([8, 2]);
    expect(stdout).toMatch(
      /^Spoke 1 text, 5 characters\. Interrupted: 1 text is missing\. Run reelform speak again\.\n {2}speech\//,
    );
  });

  it('takes speech in Git LFS for the speech, in a checkout without its content', async () => {
    const { root, speech } = makeSpeakingRepository({ 'videos/dune.yaml': speaking('Dune', 'Hello') });
    await reelform(root, ['speak'], { env });
    const fingerprints = async (): Promise<unknown> =>
      (await plan(root)).changes.map(({ after }) => after?.fingerprint);
    const before = await fingerprints();
    const sound = `speech/${speech().find((name) => name.endsWith('.flac'))!}`;
    writeFileSync(join(root, sound), pointerTo(readFileSync(join(root, sound))));
    expect(await reelform(root, ['speak', '--check'], { env })).toMatchObject({ exitCode: 0 });
    expect(await reelform(root, ['speak'], { env })).toMatchObject({ stdout: 'Every text is spoken (1 text).\n' });
    expect(calls(root)).toHaveLength(1);
    expect(await fingerprints()).toEqual(before);
    const { exitCode, stderr } = await reelform(root, ['apply', '--auto-approve'], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`"${sound}" is a Git LFS pointer`);
    expect(stderr).toMatch(/videos\/dune\.yaml:\d+:\d+/);
  });

  it('lists and removes speech that no definition needs', async () => {
    const { root, speech } = makeSpeakingRepository({
      'videos/dune.yaml': speaking('Dune', 'One'),
      'videos/reef.yaml': speaking('Reef', 'Two'),
    });
    await reelform(root, ['speak'], { env });
    writeFileSync(join(root, 'speech/README.md'), 'Spoken texts');
    rmSync(join(root, 'videos/reef.yaml'));
    expect((await reelform(root, ['speak', '--prune'])).stdout).toContain('2 files of unused speech');
    expect(speech()).toHaveLength(5);
    expect((await reelform(root, ['speak', '--prune', '--yes'])).stdout).toContain('Removed 2 files');
    expect(speech()).toHaveLength(3);
    expect(await reelform(root, ['speak', '--check'])).toMatchObject({ exitCode: 0 });
  });

  it('reports options that exclude each other', async () => {
    const { root } = makeSpeakingRepository({});
    for (const flags of [['--yes'], ['--prune', '--check']]) {
      expect(await reelform(root, ['speak', ...flags])).toMatchObject({ exitCode: 1 });
    }
    const { stdout } = await reelform(root, ['speak']);
    expect(stdout).toBe('No definition has a spoken text.\n');
  });
});
