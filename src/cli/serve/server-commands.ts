import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SettingFlag } from '../../server/settings/settings-table.ts';
import type { Io } from '../io.ts';

/** Flags of settings; empty for commands that are not called. */
export interface ServerFlags {
  readonly serve: readonly SettingFlag[];
  readonly worker: readonly SettingFlag[];
}

/** Declares `reelform serve`, `reelform worker` and `reelform token …`. */
export function addServerCommands(
  program: Command,
  flags: ServerFlags,
  io: Io,
  done: (exitCode: number) => void,
): void {
  const serve = program.command('serve').description('run the rendering service');
  withSettings(serve, flags.serve).action(async (_, command: Command) => {
    const { serveCommand } = await import('./serve-command.ts');
    done(await serveCommand(command.optsWithGlobals(), settingFlags(command), io));
  });
  const worker = program.command('worker').description('run a worker that renders the sessions of a service');
  withSettings(worker, flags.worker).action(async (_, command: Command) => {
    const { workerCommand } = await import('./serve-command.ts');
    done(await workerCommand(command.optsWithGlobals(), settingFlags(command), io));
  });

  const token = program.command('token').description('manage access tokens of the service');
  const common = (command: Command): Command =>
    command
      .option('--data <folder>', 'data folder of the service')
      .option('--config <file>', 'settings file; default: reelform-server.yaml')
      .option('--json', 'print the result as one JSON document');
  common(token.command('create').description('create a token and print it'))
    .option('--tenant <name>', 'tenant whose sessions, sources and templates it gives access to', 'default')
    .option('--name <text>', 'name of the token')
    .option('--scope <scope>', 'scope of the token; repeatable; default: all scopes', collect)
    .option('--expires <days>', 'days until the token expires', wholeDays)
    .action(async (_, command: Command) => {
      const { tokenCreateCommand } = await import('./token-command.ts');
      done(await tokenCreateCommand(command.optsWithGlobals(), io));
    });
  common(token.command('list').description('list all tokens, without the secrets')).action(
    async (_, command: Command) => {
      const { tokenListCommand } = await import('./token-command.ts');
      done(await tokenListCommand(command.optsWithGlobals(), io));
    },
  );
  common(token.command('revoke').description('revoke a token'))
    .argument('<id>', 'id of the token from `reelform token list`')
    .action(async (id: string, _, command: Command) => {
      const { tokenRevokeCommand } = await import('./token-command.ts');
      done(await tokenRevokeCommand(id, command.optsWithGlobals(), io));
    });
}

function withSettings(command: Command, flags: readonly SettingFlag[]): Command {
  command.option('--config <file>', 'settings file; default: reelform-server.yaml');
  for (const { flag, placeholder, sentence } of flags) {
    const option = new Option(placeholder === null ? flag : `${flag} ${placeholder}`, sentence);
    command.addOption(placeholder === null ? option : option.argParser(collect));
  }
  return command;
}

/** Returns the settings of the command line. */
function settingFlags(command: Command): Map<string, readonly string[]> {
  const flags = new Map<string, readonly string[]>();
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const value: unknown = command.getOptionValue(name);
    flags.set(option.long!, Array.isArray(value) ? value.map(String) : [String(value)]);
  }
  return flags;
}

function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function wholeDays(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 36_500)
    throw new InvalidArgumentError('It must be a whole number from 1 to 36500.');
  return value;
}
