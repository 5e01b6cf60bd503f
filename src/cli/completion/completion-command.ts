import type { Command, Option } from 'commander';
import { defined } from '../../kernel/defined.ts';
import { EXIT } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { escapeControls } from '../../report/wording/display-text.ts';
import { workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/**
 * The functions of the scripts call `reelform completion SHELL -- WORDS`, so that a new version of reelform needs no new script.
 * They fall back to file names.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_reelform() {
  local IFS=$'\\n'
  COMPREPLY=($(reelform completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _reelform reelform
`,
  zsh: `#compdef reelform
_reelform() {
  local -a found
  found=("\${(@f)$(reelform completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then
    _describe reelform found
  else
    _files
  fi
}
compdef _reelform reelform
`,
  fish: `function __reelform_complete
  set -l words (commandline -opc) (commandline -ct)
  reelform completion fish -- $words[2..-1] 2>/dev/null
  or __fish_complete_path (commandline -ct)
end
complete -c reelform -f -a '(__reelform_complete)'
`,
};

/** A candidate for the last word. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** Kinds of names in a command line. */
type Names = 'videos' | 'templates';

/** Names of arguments and values of options → what completes them. Others are completed with file names. */
const NAMED: Readonly<Record<string, Names>> = {
  video: 'videos',
  id: 'videos',
  from: 'videos',
  glob: 'videos',
  template: 'templates',
};

/**
 * `reelform completion SHELL`: prints the script of a shell. `reelform completion SHELL -- WORDS`: prints the words that can
 * replace the last word, each on a line.
 *
 * @returns the exit status: 1 if nothing is known, so that scripts can complete file names
 */
export async function completionCommand(
  shell: Shell,
  words: readonly string[],
  program: Command,
  io: Io,
): Promise<number> {
  if (words.length === 0) {
    io.stdout.write(SCRIPTS[shell]);
    return EXIT.ok;
  }
  const last = words.at(-1)!;
  const candidates = (await candidatesFor(words, program, io)).filter(({ word }) => word.startsWith(last));
  io.stdout.write(candidates.map((candidate) => `${line(candidate, shell)}\n`).join(''));
  return candidates.length > 0 ? EXIT.ok : EXIT.error;
}

/** Bash has no descriptions; zsh separates them by a colon, fish by a tab. */
function line({ word, description }: Candidate, shell: Shell): string {
  if (shell === 'bash') return word;
  const about = escapeControls(description);
  if (shell === 'fish') return about === '' ? word : `${word}\t${about}`;
  return about === '' ? word.replaceAll(':', '\\:') : `${word.replaceAll(':', '\\:')}:${about}`;
}

/** The words before the word to complete, interpreted. */
interface Preceding {
  readonly command: Command;
  /** Value of `--directory`. */
  readonly directory: string | undefined;
  /** The option whose value is to be completed. */
  readonly pending: Option | undefined;
  /** Number of arguments of the command. */
  readonly position: number;
}

function readPreceding(words: readonly string[], program: Command): Preceding {
  let command = program;
  let directory: string | undefined;
  let pending: Option | undefined;
  let position = 0;
  for (const word of words) {
    if (pending !== undefined) {
      if (pending.long === '--directory') directory = word;
      pending = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ short, long }) => word === short || word === long);
      pending = option?.required ? option : undefined;
      continue;
    }
    const below = command.commands.find((subcommand) => subcommand.name() === word);
    if (below === undefined) position += 1;
    else command = below;
  }
  return { command, directory, pending, position };
}

async function candidatesFor(words: readonly string[], program: Command, io: Io): Promise<Candidate[]> {
  const last = words.at(-1)!;
  const { command, directory, pending, position } = readPreceding(words.slice(0, -1), program);
  if (pending !== undefined) {
    const value = /<([\w-]+)>/.exec(pending.flags)?.[1] ?? '';
    return pending.argChoices?.map(plain) ?? names(NAMED[value], directory, io);
  }
  if (last.startsWith('-')) {
    return optionsOf(command).flatMap(({ long, description, hidden }) =>
      long === undefined || long === null || hidden ? [] : [{ word: long, description }],
    );
  }
  const commands = command.commands.map((subcommand) => ({
    word: subcommand.name(),
    description: subcommand.description(),
  }));
  const { registeredArguments: declared } = command;
  const argument = declared[Math.min(position, declared.length - 1)];
  if (argument === undefined || (position >= declared.length && !argument.variadic)) {
    return position > 0 ? [] : commands;
  }
  const values = argument.argChoices?.map(plain) ?? (await names(NAMED[argument.name()], directory, io));
  return [...commands, ...values];
}

/** Returns the options of a command, including those of all commands. */
function optionsOf(command: Command): Option[] {
  const { options } = command;
  return command.parent === null ? [...options] : [...options, ...optionsOf(command.parent)];
}

function plain(word: string): Candidate {
  return { word, description: '' };
}

/** Returns the names in the repository; none if it cannot be read. */
async function names(kind: Names | undefined, directory: string | undefined, io: Io): Promise<Candidate[]> {
  if (kind === undefined) return [];
  try {
    const { loadDesiredState } = await import('../state/load-desired-state.ts');
    const cwd = workingDirectory({ color: false, ...defined({ directory }) }, io);
    const state = await loadDesiredState(cwd);
    if (kind === 'templates') return [...state.config.templates.keys()].sort(byCodeUnit).map(plain);
    return state.desired.map(({ id, title }) => ({ word: id, description: title === id ? '' : title }));
  } catch {
    return [];
  }
}
