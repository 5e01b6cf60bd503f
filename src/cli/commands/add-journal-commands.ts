import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { sessionId } from '../journal/session-id.ts';

/** `reelform resolve`: what is in flight, where a person has to say. */
export function addJournalCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('resolve')
    .description('say what became of a render that was asked for without an answer, or whose session is missing')
    .argument('[id]', 'the video; without it, what is unknown is listed')
    .option('--session <id>', 'the service has it, under this id', sessionId)
    .option('--retry', 'ask again, with the same key and request, even if that may be paid for twice')
    .option('--abandon', 'it counts for nothing: plan the video like any other')
    .option('--attempt <key>', 'which one, where a video has several: how its key begins')
    .action(async (id: string | undefined, _, command: Command) => {
      const { resolveCommand } = await import('../journal/resolve-command.ts');
      done(await resolveCommand(id, command.optsWithGlobals(), io));
    });
}
