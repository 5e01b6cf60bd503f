import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { VideoDetail } from '../src/studio/protocol.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures when Chromium shows each frame of a video of scenes on the preview page: while its draft is rendered, and
 * again afterwards. A frame is late if it is shown more than one frame after its time, counted from the frame before it.
 * `npm run bench:playback [-- --rounds 3 --scenes 12 --program dist/cli/main.js]`
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    /** Of three seconds each. */
    scenes: { type: 'string', default: '12' },
    /** The program to measure, such as that of another checkout. */
    program: { type: 'string' },
    chromium: { type: 'string', default: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  },
});
const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = values.program ?? join(ROOT, 'dist/cli/main.js');
const ID = 'campaign/twelve';
/** Frames before and after a scene's start or transition that count as near it. */
const NEAR = 3;

/** A frame that the browser has shown. */
interface ShownFrame {
  /** Seconds in the video. */
  readonly mediaTime: number;
  /** Milliseconds. */
  readonly shownAt: number;
  /** Frames shown so far; the callback misses some if the page is busy. */
  readonly count: number;
}

interface Playback {
  readonly frames: readonly ShownFrame[];
  /** Times that playback stopped because the next segment was not there. */
  readonly waits: number;
}

/** Runs in the page: records each frame that a video shows. */
const RECORD_FRAMES = `
  // The wait for the first frame is none.
  globalThis.playback = { frames: [], waits: -1 };
  const known = new Set();
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    if (!known.has(this)) {
      known.add(this);
      this.addEventListener('waiting', () => playback.waits++);
      const record = (_, { mediaTime, presentationTime, presentedFrames }) => {
        playback.frames.push({ mediaTime, shownAt: presentationTime, count: presentedFrames });
        this.requestVideoFrameCallback(record);
      };
      this.requestVideoFrameCallback(record);
    }
    return play.call(this);
  };
`;

await measure();

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-playback-'));
  cpSync(join(ROOT, 'gallery'), folder, { recursive: true });
  cpSync(join(ROOT, 'videos/sounds/tide.wav'), join(folder, 'campaign/tide.wav'));
  writeFileSync(join(folder, `${ID}.yaml`), definition());
  const server = spawn(process.execPath, [PROGRAM, 'preview', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let browser: Browser | null = null;
  try {
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: server.stdout }).on('line', (line) => {
        const found = /http:\S+/.exec(line)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'];
    browser = await chromium.launch({ executablePath: values.chromium, args });
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript({ content: RECORD_FRAMES });
    await page.goto(`${url}#/video/${ID}`);
    await page.locator('.scene-block').first().waitFor();
    const detail = await page.evaluate<VideoDetail>(`fetch('api/video?id=${ID}').then((answer) => answer.json())`);
    for (let round = 0; round <= Number(values.rounds); round++) {
      report(round === 0 ? 'while the draft is rendered' : `rendered, round ${round}`, await play(page), detail);
    }
  } finally {
    await browser?.close();
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Scenes of three seconds with a sound: cuts, fades and slides by turns. */
function definition(): string {
  const transitions = [
    '',
    '    transition: { type: fade, duration: 0.4 }\n',
    '    transition: { type: slide, duration: 0.4 }\n',
  ];
  const scenes = Array.from({ length: Number(values.scenes) }, (_, index) => {
    const transition = index === 0 ? '' : transitions[index % transitions.length]!;
    const texts = `t_01: Lamp ${index + 1}, t_02: € ${90 + index}, t_03: Light for the evening`;
    return `  - id: scene-${index + 1}\n    template: campaign-product\n    duration: 3\n${transition}    resources: { ${texts} }\n`;
  });
  return `title: Twelve\naudio: { music: { source: campaign/tide.wav, loop: true } }\nscenes:\n${scenes.join('')}`;
}

/** Plays the whole video. @returns its frames, and how often it waited for the draft */
async function play(page: Page): Promise<Playback> {
  await page.locator('.film input').fill('0');
  await page.evaluate('playback = { frames: [], waits: -1 }');
  await page.locator('button.play').click();
  const playing = page.locator('button.play', { hasText: 'Pause' });
  await playing.waitFor();
  await playing.waitFor({ state: 'detached', timeout: 600_000 });
  return page.evaluate<Playback>('playback');
}

function report(group: string, { frames: shown, waits }: Playback, { card, scenes }: VideoDetail): void {
  const { fps, frameCount } = card.picture!;
  const frames = shown.map((frame) => ({ ...frame, index: Math.round(frame.mediaTime * fps) }));
  const cuts = scenes
    .slice(1)
    .map(({ first, transition }) => [first - NEAR, (transition?.end ?? first) + NEAR] as const);
  const isNear = (index: number): boolean => cuts.some(([from, to]) => index >= from && index <= to);
  const late = frames.flatMap(({ index, shownAt }, at) => {
    const before = frames[at - 1] ?? frames[0]!;
    const by = ((shownAt - before.shownAt) * fps) / 1000 - (index - before.index);
    return by > 1 ? [{ index, by }] : [];
  });
  const [first, last] = [frames[0]!, frames.at(-1)!];
  // The first frame is shown before the clock starts.
  const behind = (from: number): number => {
    const offsets = frames
      .filter(({ mediaTime }) => mediaTime >= from && mediaTime < from + 1)
      .map(({ shownAt, mediaTime }) => shownAt - mediaTime * 1000);
    return offsets.toSorted((a, b) => a - b)[offsets.length >> 1]!;
  };
  const missed = last.count - first.count + 1 - frames.length;
  const worst = (list: typeof late): string =>
    list.length === 0 ? '0' : `${list.length}, at most by ${Math.max(...list.map(({ by }) => by)).toFixed(1)} frames`;
  tell(group, 'frames shown', `${frames.length + missed} of ${frameCount}, ${missed} of them between callbacks`);
  tell(group, 'late by more than one, near a cut', worst(late.filter(({ index }) => isNear(index))));
  tell(group, 'late by more than one, elsewhere', worst(late.filter(({ index }) => !isNear(index))));
  const seconds = Math.floor(frameCount / fps) - 2;
  tell(
    group,
    'drift against the clock',
    `${(behind(seconds) - behind(1)).toFixed(0)} ms in ${seconds - 1} s, ${waits} waits`,
  );
}

function tell(group: string, name: string, value: string): void {
  recordFigure(group, name, value);
  console.log(`${group.padEnd(28)} ${name.padEnd(50)} ${value}`);
}
