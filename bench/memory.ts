import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { OutputFormat } from '../src/contract/wire/output.ts';
import { type LongRender, type LongRenderOptions, renderLong } from '../test/support/long-render.ts';
import { recordFigure } from './record-figure.ts';

/**
 * Measures the peak memory of rendering, joining and storing videos of scenes of nine seconds with sound, and one of nine seconds with
 * clips of several sizes in megabytes, each in processes of its own. A clip of less than 16 MB ends before the video.
 * `npm run bench:memory [-- --scenes 7,34,200 --clips 20,200 --format webm --cached]`
 */
const { values } = parseArgs({
  options: {
    scenes: { type: 'string', default: '7,34,200' },
    clips: { type: 'string', default: '20,200' },
    format: { type: 'string', default: 'mp4' },
    cached: { type: 'boolean', default: false },
    /** `LongRenderOptions` of a video to render in this process, which prints its figures as JSON. */
    one: { type: 'string' },
  },
});
const { one, cached: isCached } = values;
const format = values.format as OutputFormat;
const numbersIn = (list: string): number[] => list.split(',').filter(Boolean).map(Number);

if (one !== undefined) console.log(JSON.stringify(await renderLong(JSON.parse(one) as LongRenderOptions)));
else {
  for (const scenes of numbersIn(values.scenes)) measure({ scenes, clipMegabytes: null, format, isCached });
  for (const clipMegabytes of numbersIn(values.clips)) measure({ scenes: 1, clipMegabytes, format, isCached });
}

function measure(options: LongRenderOptions): void {
  const command = ['--expose-gc', process.argv[1]!, '--one', JSON.stringify(options)];
  const found = JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })) as LongRender;
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const { scenes, clipMegabytes, format } = options;
  const contents =
    clipMegabytes === null
      ? `${scenes} scenes${format === 'mp4' ? '' : ` as ${format}`}`
      : `a clip of ${clipMegabytes} MB`;
  const group = `${(found.seconds / 60).toFixed(1)} minutes, ${contents}`;
  const tell = (name: string, value: string): void => {
    console.log(`${group}: ${name} ${value}`);
    recordFigure(group, name, value);
  };
  tell('file', megabytes(found.fileBytes));
  tell('peak of the process that asks', megabytes(found.parentBytes));
  tell('peak of the largest render process', megabytes(found.childBytes));
  tell('peak of all processes', megabytes(found.treeBytes));
}
