import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { RenderInput } from '../src/template/render-input.ts';
import { recordFigure } from './record-figure.ts';
import { firstOfApply, measureStages, median, type Stages, stagesOnAllCores, throughPool } from './render-stages.ts';
import { templateInput } from './template-input.ts';

/**
 * Measures renders through the pool against their bound: the processor time of drawing, converting and encoding over the cores.
 * `npm run bench:render [-- --template templates/launch --rounds 3 --frames 300 --renders 20]`
 */
const { values } = parseArgs({
  options: {
    template: { type: 'string', multiple: true, default: ['templates/launch', 'templates/story'] },
    rounds: { type: 'string', default: '3' },
    frames: { type: 'string' },
    renders: { type: 'string', default: '20' },
    stages: { type: 'boolean', default: false },
  },
});

function loadInput(folder: string): RenderInput {
  const renderInput = templateInput(folder, {});
  const frameCount = Math.min(renderInput.frameCount, Number(values.frames ?? renderInput.frameCount));
  return { ...renderInput, frameCount, stills: renderInput.stills.filter(({ frame }) => frame < frameCount) };
}

type Round = Stages & Awaited<ReturnType<typeof throughPool>> & { readonly bound: number; readonly firstMs: number };
type Figure = (round: Round) => number;

async function measure(template: string): Promise<void> {
  const renderInput = loadInput(template);
  const { width, height, fps, frameCount } = renderInput;
  const cores = availableParallelism();
  const tell = (name: string, value: string): void => {
    recordFigure(template, name, value);
    console.log(`${name.padEnd(52)} ${value}`);
  };
  const aFrame = (ms: number): string => `${(ms / frameCount).toFixed(2)} ms a frame`;
  const perSecond = (ms: number): string => `${((frameCount / ms) * 1000).toFixed(1)} fps, ${(ms / 1000).toFixed(2)} s`;
  tell('animation', `${template}, ${width}×${height}, ${frameCount} frames at ${fps} fps`);
  tell('machine', `${cores} cores, Node ${process.versions.node}`);
  const frames = values.frames === undefined ? [] : ['--frames', values.frames];
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    // Alternating, so that other load on the machine affects both.
    const { draw, convert, encode } = await stagesOnAllCores(['--stages', '--template', template, ...frames]);
    const pool = await throughPool(renderInput);
    const firstMs = await firstOfApply(renderInput);
    rounds.push({ draw, convert, encode, bound: (draw + convert + encode) / cores, firstMs, ...pool });
  }
  const of = (figure: Figure): number => median(rounds.map(figure));
  const percent = (figure: Figure): string => `${(of(figure) * 100).toFixed(0)} %`;
  tell('  draw and read back, processor time', aFrame(of(({ draw }) => draw)));
  tell('  convert to I420', aFrame(of(({ convert }) => convert)));
  tell('  encode', aFrame(of(({ encode }) => encode)));
  tell('bound: their sum over the cores', perSecond(of(({ bound }) => bound)));
  tell('render, first of an apply', perSecond(of(({ firstMs }) => firstMs)));
  tell('render, first in its process', perSecond(of(({ coldMs }) => coldMs)));
  tell('render, later ones', perSecond(of(({ warmMs }) => warmMs)));
  tell('  processor time of all processes', aFrame(of(({ processorMs }) => processorMs)));
  tell(
    'later renders, of the bound',
    percent(({ bound, warmMs }) => bound / warmMs),
  );
  tell(
    'first render of an apply, of later ones',
    percent(({ firstMs, warmMs }) => warmMs / firstMs),
  );
  tell(
    'first render in its process, of later ones',
    percent(({ coldMs, warmMs }) => warmMs / coldMs),
  );
  tell('file', `${(rounds[0]!.fileBytes / 1e6).toFixed(2)} MB`);
  tell('peak memory of a render', `${Math.round(of(({ peakBytes }) => peakBytes) / 1e6)} MB`);
  if (values.renders === '0') return;
  const short = { ...renderInput, frameCount: Math.min(10, frameCount), stills: [] };
  const many = await throughPool(short, Number(values.renders));
  tell(`memory after ${values.renders} short renders in one process`, `${Math.round(many.restBytes / 1e6)} MB at rest`);
  tell('  growth over the second half', `${(many.growthBytes / many.growthRenders / 1e6).toFixed(2)} MB a render`);
}

if (values.stages) console.log(JSON.stringify(await measureStages(loadInput(values.template[0]!))));
else for (const template of values.template) await measure(template);
