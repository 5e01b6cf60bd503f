import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execaNode } from 'execa';
import { type CaptionStyle, plainCaptionStyle } from '../src/contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../src/contract/captions/caption-styles.ts';
import type { Cue } from '../src/contract/captions/cue.ts';
import type { FrameRange } from '../src/engine/frame-rate.ts';
import { freeBuffers } from '../src/engine/free-buffers.ts';
import { lintCaptions } from '../src/engine/lint/lint-captions.ts';
import { openRasterizer } from '../src/engine/raster/rasterizer.ts';
import { drawingsOf, segmentKeysOf } from '../src/engine/segments/drawings.ts';
import { segmentRanges } from '../src/engine/segments/segment.ts';
import { FolderSegmentStore } from '../src/service/sessions/segments/folder-segment-store.ts';
import type { ScenesInput } from '../src/template/render-input.ts';
import { captioned } from '../test/support/captioned-inputs.ts';
import { sceneVideo } from '../test/support/scene-videos.ts';
import { renderCached } from './cached-render.ts';
import { recordFigure } from './record-figure.ts';
import { median } from './render-stages.ts';
import { templateInput } from './template-input.ts';

/**
 * Measures captions above the scenes of the gallery's campaign at 1080p30, word by word: processor time and memory of drawing some
 * segments of a long video, beside the same segments without captions, in turns and each in a process of its own; lint of its
 * captions; and an edit of one cue of 40.
 * `npm run bench:captions [-- --minutes 10 --cues 300 --segments 20 --rounds 3]`
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    cues: { type: 'string', default: '300' },
    segments: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    child: { type: 'string' },
  },
});
const [minutes, cueCount, rounds] = [Number(values.minutes), Number(values.cues), Number(values.rounds)];
const ROOT = join(import.meta.dirname, '../..');

/** Styles by name; null without captions. Those with a shadow come last. */
const STYLES: Readonly<Record<string, CaptionStyle | null>> = {
  none: null,
  karaoke: CAPTION_STYLES.karaoke,
  highlight: CAPTION_STYLES.highlight,
  box: { ...CAPTION_STYLES.box, active_color: 'FFE600' },
  bold: CAPTION_STYLES.bold,
  clean: { ...CAPTION_STYLES.clean, active_color: 'FFE600' },
};
/** Letters that a picture may make illegible, so that lint draws what is behind each cue. */
const FAINT: CaptionStyle = { color: 'CCCCCC' };
const WORDS = 'Light that lands softly on every table and in every room of the house'.split(' ');

/** Returns scenes of the campaign, one after the other, with captions that fill them. */
function campaign(seconds: number, count: number, style: CaptionStyle | null, edited = -1): ScenesInput {
  const title = templateInput(join(ROOT, 'gallery/campaign/title'), {
    t_01: 'Spring',
    t_02: 'Light that lands softly',
  });
  const product = templateInput(join(ROOT, 'gallery/campaign/product'), {
    t_01: 'Dune',
    t_02: '€ 129',
    t_03: 'A lamp for every room',
  });
  const scenes = Array.from({ length: Math.round(seconds / 5) }, (_, index) => ({
    id: `scene-${index}`,
    of: index % 5 === 0 ? title : product,
    duration: 5,
    ...(index % 5 !== 0 && { transition: { type: 'slide' as const, duration: 0.4 } }),
  }));
  const video = sceneVideo(scenes);
  if (style === null) return video;
  const length = seconds / count;
  const cues = Array.from({ length: count }, (_, index): Cue => {
    const spoken = Array.from({ length: 5 }, (__, word) => WORDS[(index * 3 + word) % WORDS.length]!);
    if (index === edited) spoken[0] = 'Edited';
    const start = index * length;
    const words = spoken.map((text, word) => ({
      text,
      start: start + (word * length) / 5,
      end: start + ((word + 1) * length) / 5,
    }));
    return { start, end: start + length, text: spoken.join(' '), words };
  });
  return captioned(video, { cues, style: plainCaptionStyle(style) });
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Drawn {
  /** Milliseconds of processor time. */
  readonly ms: number;
  readonly frames: number;
  readonly megabytes: number;
}

/** Draws segments that are spread over the video. */
async function draw(style: CaptionStyle | null): Promise<Drawn> {
  const video = campaign(minutes * 60, cueCount, style);
  const all = segmentRanges(video);
  const step = Math.max(1, Math.floor(all.length / Number(values.segments)));
  // Code and fonts are loaded once for all segments of a video.
  await drawRanges(video, all.slice(1, 2));
  const before = cpuMs();
  const frames = await drawRanges(
    video,
    all.filter((_, index) => index % step === 0),
  );
  return { ms: cpuMs() - before, frames, megabytes: process.resourceUsage().maxRSS / 1024 };
}

/** Draws segments one after the other, each from an input of its own, and returns the number of their frames. */
async function drawRanges(video: ScenesInput, ranges: readonly FrameRange[]): Promise<number> {
  let frames = 0;
  for (const range of ranges) {
    for (const { renderInput, ranges: parts, span } of drawingsOf(video, [range])) {
      const rasterizer = await openRasterizer(renderInput);
      for (const { first, end } of parts) {
        for (let frame = first - span.offset; frame < end - span.offset; frame++, frames++) {
          await rasterizer.prepare(frame);
          rasterizer.draw(frame);
          freeBuffers();
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      rasterizer.close();
    }
  }
  return frames;
}

function tell(name: string, value: string): void {
  recordFigure('', name, value);
  console.log(`${name.padEnd(52)} ${value}`);
}

async function measureDrawing(): Promise<void> {
  const drawn = new Map<string, Drawn[]>(Object.keys(STYLES).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, all] of drawn) {
      const args = [...process.argv.slice(2), '--child', name];
      const { stdout } = await execaNode(process.argv[1]!, args, { nodeOptions: ['--expose-gc'] });
      all.push(JSON.parse(stdout) as Drawn);
    }
  }
  const plain = drawn.get('none')!;
  for (const [name, all] of drawn) {
    const [ms, megabytes] = [median(all.map((one) => one.ms)), median(all.map((one) => one.megabytes))];
    // Of the same turn, because the load of the machine changes.
    const ratio = median(all.map((one, turn) => one.ms / plain[turn]!.ms));
    const frame = `${(ms / all[0]!.frames).toFixed(1)} ms a frame`;
    tell(name === 'none' ? 'without captions' : name, `${frame}, × ${ratio.toFixed(2)}, ${megabytes.toFixed(0)} MB`);
  }
}

async function measureLint(): Promise<void> {
  await lintCaptions(campaign(10, 4, FAINT), []);
  for (const [name, style] of Object.entries({ ...STYLES, faint: FAINT })) {
    if (style === null) continue;
    const video = campaign(minutes * 60, cueCount, style);
    const before = cpuMs();
    const findings = await lintCaptions(video, []);
    tell(
      `lint of ${cueCount} cues, ${name}`,
      `${((cpuMs() - before) / 1000).toFixed(2)} s, ${findings.length} findings`,
    );
  }
}

async function measureEdit(): Promise<void> {
  const [seconds, count] = [80, 40];
  const folder = await mkdtemp(join(tmpdir(), 'rf-captions-'));
  try {
    const [before, after] = [campaign(seconds, count, STYLES.karaoke!), campaign(seconds, count, STYLES.karaoke!, 20)];
    const keys = (video: ScenesInput) => segmentRanges(video).map(segmentKeysOf(video, [video.output], 'bench'));
    const [old, now] = [keys(before), keys(after)];
    const changed = now.filter(([key], index) => key !== old[index]![0]).length;
    const shares: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const store = new FolderSegmentStore({
        folder: join(folder, String(round)),
        maxBytes: 1e10,
        now: () => Date.now(),
      });
      const whole = await renderCached([before], store);
      const edit = await renderCached([after], store);
      shares.push(edit.cpuMs / whole.cpuMs);
    }
    const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
    const ofSegments = `${changed} of ${now.length} segments, ${percent(changed / now.length)}`;
    tell(`one cue of ${count} edited`, `${percent(median(shares))} of the whole render; ${ofSegments}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (values.child !== undefined) console.log(JSON.stringify(await draw(STYLES[values.child]!)));
else {
  tell('video', `${minutes} min of 1080p30, ${cueCount} cues; ${values.segments} segments drawn`);
  await measureDrawing();
  await measureLint();
  await measureEdit();
}
