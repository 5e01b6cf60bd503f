import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { RunCommand } from './captured-run.ts';

/** Declares `reelform mcp`. @param run runs other commands; passed in, because its module imports this one */
export function addMcpCommand(run: RunCommand) {
  return (program: Command, io: Io, done: (exitCode: number) => void): void => {
    program
      .command('mcp')
      .description('serve the repository to AI agents over the Model Context Protocol, on stdin and stdout')
      .action(async (_, command: Command) => {
        const { mcpCommand } = await import('./mcp-command.ts');
        done(await mcpCommand(run, command.optsWithGlobals(), io));
      });
  };
}
