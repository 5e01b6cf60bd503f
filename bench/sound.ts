import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSound } from '../src/engine/media/make-sound.ts';
import { openMix } from '../src/engine/media/mix-sounds.ts';
import { SoundFile } from '../src/engine/sound/sound-file.ts';
import type { InputSound, RenderInput } from '../src/template/render-input.ts';
import { wavFile } from '../templates/source/wav-file.ts';
import { timedCommand } from './felt/timed-command.ts';
import { recordFigure } from './record-figure.ts';
import { median } from './render-stages.ts';

/**
 * Measures the processor time of sound: five tracks of ten minutes, two of them lowered under two voices, mixed and measured, then
 * encoded at a loudness; beside an uncached render of the gallery's campaign at 1080p30, in turns.
 * `npm run bench:sound [-- --minutes 10 --rounds 3]`
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rounds: { type: 'string', default: '3' } },
});
const [minutes, rounds] = [Number(values.minutes), Number(values.rounds)];
const ROOT = join(import.meta.dirname, '../..');
const RATE = 48_000;
const AIM = 0.1;

/** Returns a WAV: words of a third of a second with pauses, or a chord. */
function soundFile(kind: 'voice' | 'music', hertz: number): Uint8Array {
  const samples = Int16Array.from({ length: minutes * 60 * RATE }, (_, at) => {
    const seconds = at / RATE;
    const isSpoken = seconds % 5 < 3 && seconds % 0.45 < 0.33;
    const tone = Math.sin(2 * Math.PI * hertz * seconds) + 0.4 * Math.sin(2 * Math.PI * 2.01 * hertz * seconds);
    return (kind === 'voice' && !isSpoken ? 0 : tone) * 6000;
  });
  return wavFile(RATE, [samples, samples]);
}

function inputOf(sounds: readonly InputSound[]): RenderInput {
  const frameCount = minutes * 60 * 30;
  const animation = { v: '5.11.0', w: 64, h: 36, fr: 30, ip: 0, op: frameCount, assets: [], layers: [] };
  const file = {
    output: { format: 'mp4', quality: 'high', fingerprint: null } as const,
    width: 64,
    height: 36,
    fps: 30,
    frameCount,
  };
  return {
    ...file,
    animation,
    fonts: [],
    images: [],
    clips: [],
    sounds,
    stills: [],
    loudness: { target: -14, truePeak: -1 },
  } as const;
}

function trackOf(name: string, bytes: Uint8Array, changes: Partial<InputSound> = {}): InputSound {
  return { bytes, name, startSeconds: 0, endSeconds: minutes * 60, transform: {}, optional: false, ...changes };
}

const voice = soundFile('voice', 180);
const music = soundFile('music', 330);
const input = inputOf([
  trackOf('voice', voice, { transform: { level: -16 } }),
  trackOf('guest', voice, { transform: { level: -16, trim_start_time: 2.5 } }),
  trackOf('music', music, { duckedBy: [0, 1], transform: { volume: 0.5, fade_out: 3 } }),
  trackOf('room', music, { duckedBy: [0, 1], transform: { volume: 0.1 } }),
  trackOf('effects', voice, { transform: { volume: 0.2, fade_in: 1 } }),
]);

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Mixes and measures, as a render does before it encodes. */
async function mixAndMeasure(): Promise<void> {
  const mix = (await openMix(input))!;
  const file = new SoundFile();
  for await (const block of mix.blocks()) await file.append(block);
  if (!Number.isFinite(file.integrated)) throw new Error('nothing was mixed');
  file.close();
  await mix.close();
}

async function encode(): Promise<void> {
  (await makeSound(input, 'aac'))!.packets.close();
}

/** Renders the campaign without any cache. */
async function renderCampaign(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rf-sound-'));
  cpSync(join(ROOT, 'gallery'), folder, { recursive: true });
  const program = join(ROOT, 'dist/cli/main.js');
  const target = ['apply', '--auto-approve', '--no-lint', '--target', 'campaign/**'];
  const { processor } = await timedCommand([program, ...target], folder);
  rmSync(folder, { recursive: true });
  return processor;
}

const turns: { campaign: number; mixed: number; encoded: number }[] = [];
await mixAndMeasure();
for (let round = 0; round < rounds; round++) {
  turns.push({
    campaign: await renderCampaign(),
    mixed: await processorMs(mixAndMeasure),
    encoded: await processorMs(encode),
  });
}

function tell(name: string, value: string, ms?: number): void {
  recordFigure('', name, value, ms);
  console.log(`${name.padEnd(52)} ${value}`);
}

function of(name: 'campaign' | 'mixed' | 'encoded'): number {
  return median(turns.map((turn) => turn[name]));
}

const length = `${minutes} minutes of five tracks`;
const isMet = of('mixed') / of('campaign') <= AIM * 1.0005;
const show = (name: 'campaign' | 'mixed' | 'encoded'): string => {
  const share = name === 'campaign' ? '' : `, ${((of(name) / of('campaign')) * 100).toFixed(1)} % of the campaign`;
  return `${(of(name) / 1000).toFixed(2)} s of processor time${share}`;
};
tell('render of the campaign, without a cache', show('campaign'), of('campaign'));
tell(`${length}, mixed and measured`, `${show('mixed')}; aim ${AIM * 100} %, ${isMet ? 'met' : 'missed'}`, of('mixed'));
tell(`${length}, all of it with AAC at -14 LUFS`, show('encoded'), of('encoded'));
