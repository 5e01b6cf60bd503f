import { type Command, Option } from 'commander';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { Io } from '../io.ts';
import { NO_SEGMENT_CACHE } from '../plan/plan-options.ts';

/** Declares `reelform render`. */
export function addRenderCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('render')
    .description('render one video or one of its frames for viewing, without recording it')
    .argument('<video>', 'path of the definition, or id of the video')
    .option('--frame <frame>', 'render one frame as PNG: number from 0, or time (1.5s)')
    .option('--draft', 'render with half the height and low quality')
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(OUTPUT_FILE_TYPES)))
    .option('--height <pixels>', 'height in pixels; the width keeps the aspect ratio', Number)
    .option('--fps <n>', 'frames per second', Number)
    .option('--out <file>', 'output file; default: in renders/looks/')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option('--json', 'print the result as one JSON document')
    .action(async (video: string, _, command: Command) => {
      const { renderCommand } = await import('./render-command.ts');
      done(await renderCommand(video, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform cache`, `cache prune` and `cache verify`. */
export function addCacheCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const cache = program
    .command('cache')
    .description('show the contents of the segment cache')
    .option('--json', 'print one JSON document')
    .action(async (_, command: Command) => {
      const { cacheCommand } = await import('./segment-cache.ts');
      done(await cacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('prune')
    .description('remove the least recently used segments that exceed the cache size')
    .action(async (_, command: Command) => {
      const { pruneCacheCommand } = await import('./segment-cache.ts');
      done(await pruneCacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('verify')
    .description('read every segment and remove damaged ones')
    .action(async (_, command: Command) => {
      const { verifyCacheCommand } = await import('./segment-cache.ts');
      done(await verifyCacheCommand(command.optsWithGlobals(), io));
    });
}
