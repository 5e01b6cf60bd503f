import type { Argument, Command, Option } from 'commander';
import type { Io } from '../../src/cli/io.ts';
import { createProgram } from '../../src/cli/run.ts';
import { EXIT } from '../../src/kernel/diagnostic.ts';
import { SETTING_FLAGS, WORKER_FLAGS } from '../../src/service/server/settings/settings-table.ts';
import { EXAMPLES } from './command-examples.ts';
import { code, sentence, table } from './markdown.ts';

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Success, or nothing to do.',
  error: 'A mistake in the files or on the command line, or a failure.',
  changes:
    'There are changes or files to restore (`plan --detailed-exitcode`), a rendered video or template has drifted (`drift`), or files are out of date (`pull --check`, `fmt --check`).',
  authentication: 'The token for the service is missing, or the service rejects it.',
  renderFailed: 'Some videos failed, or their result is unknown. The others are recorded.',
  refused:
    'Refused: a protected video or all videos would be removed, too many videos would be rendered, a policy denies the plan, or it was not approved.',
  stale: 'A saved or expected plan does not match the repository any more. Nothing was done.',
  interrupted:
    'Interrupted. Finished videos are recorded; running renders continue on the service. At a question, nothing was changed.',
  deadline: 'Timed out. Finished videos are recorded; running renders continue on the service.',
};

/** Commands whose options are documented elsewhere: their flags set the settings of the service. */
const SETTING_NAMES = new Set([...SETTING_FLAGS, ...WORKER_FLAGS].map(({ flag }) => flag));

/** Sections about the command line, from its declarations. */
export function commandSections(): Map<string, string> {
  // Only declared, never run.
  const io = { stdout: { write() {} }, stderr: { write() {} } } as unknown as Io;
  const program = createProgram(io, { serve: SETTING_FLAGS, worker: WORKER_FLAGS }, () => {});
  const commands = allCommands(program);
  const unknown = Object.keys(EXAMPLES).filter((name) => !commands.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`Examples of unknown commands: ${unknown.join(', ')}`);
  return new Map([
    ['cli/commands', commands.map(commandText).join('\n\n')],
    ['cli/index', table(['command', 'purpose'], commands.map(indexRow))],
    ['cli/global-options', table(['option', 'meaning'], optionRows(program))],
    [
      'cli/exit-codes',
      table(
        ['exit code', 'meaning'],
        Object.entries(EXIT).map(([name, value]) => [code(String(value)), EXIT_MEANINGS[name as keyof typeof EXIT]]),
      ),
    ],
  ]);
}

interface NamedCommand {
  /** Without `reelform`. */
  readonly name: string;
  readonly command: Command;
}

/** Returns the commands that do something, in the order of `--help`. */
function allCommands(parent: Command, prefix = ''): NamedCommand[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    const own = command.commands.length === 0 || hasAction(command) ? [{ name, command }] : [];
    return [...own, ...allCommands(command, `${name} `)];
  });
}

/** A group such as `lock` has no action of its own; `cache` has. */
function hasAction(command: Command): boolean {
  return (command as Command & { _actionHandler: unknown })._actionHandler != null;
}

function indexRow({ name, command }: NamedCommand): string[] {
  return [`[${code(name)}](#reelform-${name.replaceAll(' ', '-')})`, sentence(command.description())];
}

function commandText({ name, command }: NamedCommand): string {
  const examples = EXAMPLES[name];
  if (examples === undefined) throw new Error(`command-examples.ts has no example of ${name}`);
  const usage = [
    `reelform ${name}`,
    ...(command.options.length > 0 ? ['[options]'] : []),
    ...command.registeredArguments.map(placeholder),
  ];
  const texts = [
    `### \`reelform ${name}\``,
    sentence(command.description()),
    `\`\`\`sh\n${usage.join(' ')}\n\`\`\``,
    command.registeredArguments.length === 0
      ? ''
      : table(
          ['argument', 'meaning'],
          command.registeredArguments.map((one) => [code(placeholder(one)), sentence(one.description + choices(one))]),
        ),
    optionsText(command),
    examples.length === 0
      ? ''
      : `\`\`\`sh\n${examples.map(([line, meaning]) => `# ${meaning}\n${line}`).join('\n\n')}\n\`\`\``,
  ];
  return texts.filter((text) => text !== '').join('\n\n');
}

function optionsText(command: Command): string {
  const rows = optionRows(command);
  const text = rows.length === 0 ? '' : table(['option', 'meaning'], rows);
  if (!['serve', 'worker'].includes(command.name())) return text;
  return `${text}\n\nEach [setting](settings.md) has a flag, too.`;
}

function optionRows(command: Command): string[][] {
  return command.options
    .filter((option) => !option.hidden && !isSetting(option, command))
    .map((option) => [code(option.flags), sentence(option.description) + choices(option) + defaultOf(option)]);
}

function isSetting(option: Option, command: Command): boolean {
  return ['serve', 'worker'].includes(command.name()) && SETTING_NAMES.has(option.long!);
}

function choices({ argChoices }: Option | Argument): string {
  return argChoices === undefined ? '' : ` One of ${argChoices.map(code).join(', ')}.`;
}

function defaultOf({ defaultValue, negate }: Option): string {
  return defaultValue === undefined || negate ? '' : ` Default: ${code(String(defaultValue))}.`;
}

function placeholder(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
