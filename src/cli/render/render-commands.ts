import { type Command, Option } from 'commander';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import type { Io } from '../io.ts';
import { NO_SEGMENT_CACHE } from '../plan/plan-options.ts';

/** Declares `reelform render`. */
export function addRenderCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('render')
    .description('render one video, or one frame of it, to look at; nothing is recorded')
    .argument('<video>', 'the path of its definition, or its id')
    .option('--frame <frame>', 'one frame, as PNG: its number from 0, or its time (1.5s)')
    .option('--draft', 'half the height and low quality')
    .addOption(new Option('--format <format>', 'the kind of file').choices(Object.keys(OUTPUT_FILE_TYPES)))
    .option('--height <pixels>', 'the height; the width follows', Number)
    .option('--fps <n>', 'frames per second', Number)
    .option('--out <file>', 'where to write it; below renders/looks/ by default')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option('--json', 'print what was made as one JSON document')
    .action(async (video: string, _, command: Command) => {
      const { renderCommand } = await import('./render-command.ts');
      done(await renderCommand(video, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform cache`, `cache prune` and `cache verify`. */
export function addCacheCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const cache = program
    .command('cache')
    .description('print what the segment cache of this repository holds')
    .option('--json', 'print it as one JSON document')
    .action(async (_, command: Command) => {
      const { cacheCommand } = await import('./segment-cache.ts');
      done(await cacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('prune')
    .description('remove the least recently used segments beyond the size of the cache')
    .action(async (_, command: Command) => {
      const { pruneCacheCommand } = await import('./segment-cache.ts');
      done(await pruneCacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('verify')
    .description('read every segment, and remove those that are damaged')
    .action(async (_, command: Command) => {
      const { verifyCacheCommand } = await import('./segment-cache.ts');
      done(await verifyCacheCommand(command.optsWithGlobals(), io));
    });
}
