import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type LongRender, renderLong } from '../test/support/long-render.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures the peak memory of rendering, joining and storing videos of scenes of nine seconds with sound, each in processes of its own.
 * `npm run bench:memory [-- --scenes 7,34,200 --cached]`
 */
const { values } = parseArgs({
  options: {
    scenes: { type: 'string', default: '7,34,200' },
    cached: { type: 'boolean', default: false },
    /** Renders one video in this process and prints its figures as JSON. */
    one: { type: 'string' },
  },
});

if (values.one !== undefined) console.log(JSON.stringify(await renderLong(Number(values.one), values.cached)));
else for (const scenes of values.scenes.split(',')) measure(scenes);

function measure(scenes: string): void {
  const cached = values.cached ? ['--cached'] : [];
  const options = ['--expose-gc', process.argv[1]!, '--one', scenes, ...cached];
  const found = JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' })) as LongRender;
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const group = `${(found.seconds / 60).toFixed(1)} minutes, ${scenes} scenes`;
  const tell = (name: string, value: string): void => {
    console.log(`${group}: ${name} ${value}`);
    recordFigure(group, name, value);
  };
  tell('file', megabytes(found.fileBytes));
  tell('peak of the process that asks', megabytes(found.parentBytes));
  tell('peak of the largest render process', megabytes(found.childBytes));
  tell('peak of all processes', megabytes(found.treeBytes));
}
