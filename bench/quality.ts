import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { frameRateOf } from '../src/contract/timeline/frame-rate.ts';
import type { LottieDocument, RenderInput } from '../src/template/render-input.ts';
import { type Composition, launch, simple } from './peers/composition.ts';
import { hyperframes } from './peers/hyperframes.ts';
import { type Measured, measureCommand, type Program } from './peers/program.ts';
import { reelform, writeTemplate } from './peers/reelform.ts';
import { remotion } from './peers/remotion.ts';
import { recordFigure } from './record-figure.ts';
import { drawFrames, median } from './render-stages.ts';
import { templateInput } from './template-input.ts';

/**
 * Compares time, size and SSIM with ffmpeg and with other programs, as tables in Markdown: whole commands from their start to the
 * file, in turns, each program with the browser that it uses by default. Needs ffmpeg and chromium-headless-shell.
 * `npm run bench:quality [-- --no-peers --rounds 3 --peer-rounds 1]`
 */
const { values } = parseArgs({
  options: {
    'no-peers': { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    'peer-rounds': { type: 'string', default: '1' },
  },
});

/** Frames of a peer whose SSIM is measured: its reference is a second render, without loss. */
const PEER_FRAMES = 90;
const FFMPEG = 'ffmpeg alone, with our frames';

interface Contest {
  readonly title: string;
  readonly composition: Composition;
  readonly template: string;
  readonly peers: (composition: Composition) => readonly Program[];
}

interface Row {
  readonly name: string;
  readonly times: readonly Measured[];
  readonly bytes: number;
  readonly ssim: string;
}

const folder = await mkdtemp(join(tmpdir(), 'rf-quality-'));
try {
  const simpleTemplate = join(folder, 'simple-template');
  await writeTemplate(simple, simpleTemplate);
  const animation = await animationOfLaunch();
  const contests: readonly Contest[] = [
    {
      title: 'launch, the template',
      composition: launch,
      template: 'templates/launch',
      peers: (composition) => [remotion(composition, animation), remotion(composition), hyperframes(composition)],
    },
    {
      title: 'simple: two texts, a picture and a background',
      composition: simple,
      template: simpleTemplate,
      peers: (composition) => [remotion(composition), hyperframes(composition)],
    },
  ];
  for (const contest of contests) printRows(contest, await measure(contest, join(folder, contest.composition.name)));
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Returns the animation of launch with its own pictures and fonts inside, as a web page loads it. */
async function animationOfLaunch(): Promise<string> {
  const base = 'templates/launch';
  const dataUrl = async (path: string): Promise<string> => {
    const type = { '.jpg': 'image/jpeg', '.png': 'image/png', '.ttf': 'font/ttf' }[extname(path)];
    return `data:${type};base64,${await readFile(join(base, path), 'base64')}`;
  };
  const { chars: _outlines, ...document } = JSON.parse(
    await readFile(join(base, 'animation.json'), 'utf8'),
  ) as LottieDocument & { readonly chars?: unknown };
  const assets = (document.assets ?? []) as { readonly u?: string; readonly p?: string }[];
  const { list = [] } = (document.fonts ?? {}) as { list?: { fName: string }[] };
  return JSON.stringify({
    ...document,
    assets: await Promise.all(
      assets.map(async (asset) =>
        asset.p === undefined ? asset : { ...asset, u: '', e: 1, p: await dataUrl(`${asset.u}${asset.p}`) },
      ),
    ),
    fonts: {
      list: await Promise.all(
        list.map(async (font) => ({ ...font, origin: 3, fPath: await dataUrl(`fonts/${font.fName}.ttf`) })),
      ),
    },
  });
}

async function measure({ composition, template, peers }: Contest, place: string): Promise<Row[]> {
  await mkdir(place, { recursive: true });
  const input = { ...templateInput(template, {}), stills: [] };
  const raw = join(place, 'frames.yuv');
  await writeFrames(input, raw);
  const frames = rawFrames(input, raw);
  const encoded = join(place, 'ffmpeg.mp4');
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20'];
  const colors = ['-color_range', 'tv', '-colorspace', 'bt709'];
  const ffmpeg = ['ffmpeg', '-v', 'error', '-y', ...frames, ...encoder, ...colors, '-an', encoded];

  const programs = [reelform(template), ...(values['no-peers'] ? [] : peers(composition))];
  const folders = programs.map((_, index) => join(place, String(index)));
  const times = new Map<string, Measured[]>(['Reelform', FFMPEG].map((name) => [name, []]));
  for (const [index, program] of programs.entries()) {
    await mkdir(folders[index]!);
    const failure = await program.prepare(folders[index]!);
    if (failure === null) times.set(program.name, []);
    else console.log(`SKIPPED: ${program.name}: ${failure}`);
  }
  for (let round = 0; round < Number(values.rounds); round++) {
    times.get(FFMPEG)!.push(await measureCommand(ffmpeg, place));
    for (const [index, { name, command, environment }] of programs.entries()) {
      if (!times.has(name) || (index > 0 && round >= Number(values['peer-rounds']))) continue;
      times.get(name)!.push(await measureCommand(command(false), folders[index]!, environment));
    }
  }

  const rows: Row[] = [];
  const add = async (name: string, file: string, reference: readonly string[], count: number): Promise<void> => {
    const ssim = await ssimOf(file, reference, count, composition.fps);
    rows.push({ name, times: times.get(name)!, bytes: (await stat(file)).size, ssim });
  };
  await add('Reelform', join(folders[0]!, programs[0]!.output), frames, composition.frameCount);
  await add(FFMPEG, encoded, frames, composition.frameCount);
  const start = values['no-peers'] ? [] : peers({ ...composition, frameCount: PEER_FRAMES });
  for (const [index, short] of start.entries()) {
    const own = folders[index + 1]!;
    if (!times.has(short.name)) continue;
    const video = join(place, `${index}.mp4`);
    await execa('mv', [join(own, short.output), video]);
    await short.prepare(own);
    await measureCommand(short.command(true), own, short.environment);
    await add(short.name, video, ['-i', join(own, short.output)], PEER_FRAMES);
  }
  return rows;
}

async function writeFrames(input: RenderInput, path: string): Promise<void> {
  const stream = createWriteStream(path);
  await drawFrames(input, async (pixels) => {
    await new Promise((resolve) => stream.write(pixels.slice(), resolve));
  });
  stream.end();
  await finished(stream);
}

function rawFrames({ width, height, fps }: RenderInput, path: string): string[] {
  const { numerator, denominator } = frameRateOf(fps);
  const format = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`];
  return [...format, '-r', `${numerator}/${denominator}`, '-i', path];
}

/** SSIM of all planes, by ffmpeg's filter. @param reference input arguments @param count first frames that are compared */
async function ssimOf(file: string, reference: readonly string[], count: number, fps: number): Promise<string> {
  // In one time base and pixel format: the filter compares frames of equal time.
  const numbered = `trim=end_frame=${count},format=yuv420p,settb=1/${fps},setpts=N`;
  const filter = `[0:v]${numbered}[a];[1:v]${numbered}[b];[a][b]ssim`;
  const { stderr } = await execa('ffmpeg', [
    '-hide_banner',
    '-i',
    file,
    ...reference,
    '-lavfi',
    filter,
    '-f',
    'null',
    '-',
  ]);
  const found = /All:0(\.\d{5})/.exec(stderr)?.[1];
  if (found === undefined) throw new Error(`ffmpeg printed no SSIM: ${stderr.slice(-300)}`);
  return found;
}

function printRows({ title, composition: { width, height, frameCount } }: Contest, rows: readonly Row[]): void {
  const heading = `${title}, ${frameCount} frames of ${width} × ${height}`;
  console.log(`\n| ${heading} | processor s | wall s | kB | SSIM | runs |\n|---|---|---|---|---|---|`);
  for (const { name, times, bytes, ssim } of rows) {
    const seconds = (figure: keyof Measured): string => median(times.map((time) => time[figure])).toFixed(1);
    const [processor, wall] = [seconds('processor'), seconds('wall')];
    const kilobytes = (bytes / 1000).toFixed(0);
    recordFigure(
      heading,
      name,
      `${processor} s of processor time, ${wall} s, ${kilobytes} kB, SSIM ${ssim}`,
      1000 * Number(wall),
    );
    console.log(`| ${name} | ${processor} | ${wall} | ${kilobytes} | ${ssim} | ${times.length} |`);
  }
}
