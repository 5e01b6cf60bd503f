import { type Command, Option } from 'commander';
import { loadWith } from '../../kernel/optional-packages.ts';
import type { SettingFlag } from '../../service/server/settings/settings-table.ts';
import { type ActionOf, collect, numberBetween } from '../arguments.ts';
import type { Io } from '../io.ts';
import type { SettingsFlags } from '../serve/server-process.ts';

/** Flags of settings; empty for commands that are not called. */
export interface ServerFlags {
  readonly serve: readonly SettingFlag[];
  readonly worker: readonly SettingFlag[];
}

const loadServer = <T>(load: () => Promise<T>): Promise<T> => loadWith('server', load);

/** Declares `reelform serve`, `reelform worker` and `reelform token …`. */
export function addServerCommands(program: Command, action: ActionOf, flags: ServerFlags): void {
  const serve = program.command('serve').description('run the rendering service');
  withSettings(serve, flags.serve).action(
    action(async () => {
      const { serveCommand } = await loadServer(() => import('../serve/serve-command.ts'));
      return (options: SettingsFlags, io: Io) => serveCommand(options, settingFlags(serve), io);
    }),
  );
  const worker = program.command('worker').description('run a worker that renders the sessions of a service');
  withSettings(worker, flags.worker).action(
    action(async () => {
      const { workerCommand } = await loadServer(() => import('../serve/serve-command.ts'));
      return (options: SettingsFlags, io: Io) => workerCommand(options, settingFlags(worker), io);
    }),
  );

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
    .option(
      '--expires <days>',
      'days until the token expires',
      numberBetween(1, 36_500, 'It must be a whole number from 1 to 36500.'),
    )
    .action(action(async () => (await loadServer(() => import('../serve/token-command.ts'))).tokenCreateCommand));
  common(token.command('list').description('list all tokens, without the secrets')).action(
    action(async () => (await loadServer(() => import('../serve/token-command.ts'))).tokenListCommand),
  );
  common(token.command('revoke').description('revoke a token'))
    .argument('<id>', 'id of the token from `reelform token list`')
    .action(action(async () => (await loadServer(() => import('../serve/token-command.ts'))).tokenRevokeCommand));
}

function withSettings(command: Command, flags: readonly SettingFlag[]): Command {
  command.option('--config <file>', 'settings file; default: reelform-server.yaml');
  for (const { flag, placeholder, sentence } of flags) {
    const option = new Option(placeholder === null ? flag : `${flag} ${placeholder}`, sentence);
    command.addOption(placeholder === null ? option : option.argParser(collect));
  }
  return command;
}

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
