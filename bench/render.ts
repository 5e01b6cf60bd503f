import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { SOFTWARE } from '../src/engine/codec/video-encoder.ts';
import { composeAnimation } from '../src/engine/raster/compose-animation.ts';
import type { Scene } from '../src/template/scene.ts';
import { recordFigure } from './record-figure.ts';
import { peers } from './render-peers.ts';
import { drawStages, encodeAlone, median, throughPool } from './render-stages.ts';
import { templateScene } from './template-scene.ts';

/**
 * Measures the engine on one animation: through the render pool, the encoder alone on ready frames (the lower bound),
 * the time of each stage, memory, and peers at the same size and length.
 * `npm run bench:render [-- --template templates/launch --rounds 3 --frames 300 --no-peers --renders 20]`
 */
const { values } = parseArgs({
  options: {
    template: { type: 'string', default: 'templates/launch' },
    rounds: { type: 'string', default: '3' },
    frames: { type: 'string' },
    renders: { type: 'string', default: '20' },
    'no-peers': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);

function loadScene(folder: string): Scene {
  const scene = templateScene(folder, {});
  const frameCount = Math.min(scene.frameCount, Number(values.frames ?? scene.frameCount));
  return { ...scene, frameCount, stills: scene.stills.filter(({ frame }) => frame < frameCount) };
}

/** Returns the same animation for lottie-web: our drawn images, the original texts, and the template's fonts. */
async function webAnimation(): Promise<string> {
  const { assets } = JSON.parse((await composeAnimation(scene)).toJson([])) as { assets: { id: string }[] };
  const known = new Set(scene.animation.assets?.map(({ id }) => id));
  const files = new Map(scene.fonts.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]));
  const { list = [] } = (scene.animation.fonts ?? {}) as { list?: { fName: string }[] };
  const fonts = list.map((font) => ({ ...font, origin: 3, fPath: `data:font/ttf;base64,${files.get(font.fName)}` }));
  const { chars: _outlines, ...animation } = scene.animation;
  return JSON.stringify({ ...animation, assets: assets.filter(({ id }) => known.has(id)), fonts: { list: fonts } });
}

function tell(name: string, value: string): void {
  recordFigure('', name, value);
  console.log(`${name.padEnd(44)} ${value}`);
}

const scene = loadScene(values.template);
const { width, height, fps, frameCount } = scene;
const perSecond = (ms: number): string => `${((frameCount / ms) * 1000).toFixed(1)} fps, ${(ms / 1000).toFixed(2)} s`;
tell('animation', `${values.template}, ${width}×${height}, ${frameCount} frames at ${fps} fps`);
tell('machine', `${availableParallelism()} cores, Node ${process.versions.node}`);

const { failed } = await execa('sh', ['-c', 'command -v ffmpeg'], { reject: false });
if (failed) console.log('SKIPPED: there is no ffmpeg on the PATH, so peers are not measured');

const stages = await drawStages(scene);
for (const [name, ms] of Object.entries(stages.ms)) tell(`  ${name}`, `${(ms / frameCount).toFixed(2)} ms a frame`);
tell('  frames known to repeat the one before', String(stages.repeated));

const [renders, alone, ratios]: [number[], number[], number[]] = [[], [], []];
let cold = 0;
let last: Awaited<ReturnType<typeof throughPool>> | undefined;
for (let round = 0; round < rounds; round++) {
  // Alternating, so that other load on the machine affects both.
  const limit = await encodeAlone(scene, stages.frames, SOFTWARE);
  last = await throughPool(scene, SOFTWARE);
  cold ||= last.coldMs;
  renders.push(last.warmMs);
  alone.push(limit.ms);
  ratios.push(limit.ms / last.warmMs);
  if (round === 0) tell('processor time of the encoder alone', `${(limit.cpuMs / frameCount).toFixed(1)} ms a frame`);
}
const ours = median(renders);
tell('render, first in its process', perSecond(cold));
tell('render, later ones', perSecond(ours));
tell('x264 alone on ready frames', perSecond(median(alone)));
tell('ratio to the limit, median of pairs', `${(median(ratios) * 100).toFixed(0)} %`);
tell('file', `${(last!.bytes / 1e6).toFixed(2)} MB`);
tell('peak memory of a render', `${Math.round(last!.peakBytes / 1e6)} MB`);

const many = await throughPool(
  { ...scene, frameCount: Math.min(10, frameCount), stills: [] },
  SOFTWARE,
  Number(values.renders),
);
tell(`memory after ${values.renders} short renders in one process`, `${Math.round(many.restBytes / 1e6)} MB at rest`);
tell('  growth over the second half', `${(many.growthBytes / many.growthRenders / 1e6).toFixed(2)} MB a render`);

if (!values['no-peers'] && !failed) {
  const json = await webAnimation();
  for (const { name, render } of peers) {
    const result = await render({ json, width, height, fps, frameCount });
    if (typeof result === 'string') console.log(`SKIPPED: ${name}: ${result}`);
    else
      tell(
        name,
        `${perSecond(result.ms)}, ${(result.ms / ours).toFixed(1)} times ours, ${(result.bytes / 1e6).toFixed(2)} MB`,
      );
  }
}
