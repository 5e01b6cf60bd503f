import { basename } from 'node:path';
import { execa } from 'execa';
import { ReelformError } from '../../kernel/diagnostic.ts';

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Arguments that open a file at a position, by the name of the editor. */
const FORMS: readonly (readonly [RegExp, (path: string, position: Position) => string[]])[] = [
  [/^(?:code|code-insiders|codium|vscodium|cursor|windsurf)$/, (path, at) => ['-g', `${path}:${at.line}:${at.column}`]],
  [/^(?:subl|zed|zeditor|atom|kate|lapce)$/, (path, at) => [`${path}:${at.line}:${at.column}`]],
  [/^(?:idea|webstorm|phpstorm|pycharm|goland|rubymine|fleet)$/, (path, at) => ['--line', String(at.line), path]],
  [/^(?:gvim|mvim|gedit)$/, (path, at) => [`+${at.line}`, path]],
  [/^(?:emacsclient)$/, (path, at) => ['-n', `+${at.line}:${at.column}`, path]],
];

/** Editors that need a terminal, which the server has not. */
const OF_TERMINAL = /^(?:vi|vim|nvim|nano|pico|emacs|ed|joe|helix|hx|micro|kak)$/;

/** Reports the editors that were tried. */
const USUAL = ['code'];

/** How long an editor may take to fail, in milliseconds. An editor that runs longer has opened the file. */
const FAIL_MS = 3_000;

/**
 * Opens a file at a position in the editor that VISUAL or EDITOR names, otherwise in Visual Studio Code.
 *
 * @param path absolute
 * @throws ReelformError `file_system` if none can be started
 */
export async function openEditor(
  path: string,
  position: Position,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const named = [env.VISUAL, env.EDITOR].flatMap((text) => (text?.trim() ? [splitCommand(text)] : []));
  const usable = named.filter(([program = '']) => !OF_TERMINAL.test(nameOf(program)));
  for (const [program = '', ...args] of [...usable, USUAL]) {
    const form = FORMS.find(([pattern]) => pattern.test(nameOf(program)))?.[1];
    if (await starts(program, [...args, ...(form?.(path, position) ?? [path])])) return;
  }
  throw new ReelformError('file_system', 'No editor could be opened', {
    hint: 'Set VISUAL to an editor with a window, such as `code`, before you start the preview',
  });
}

/** Starts a program. It goes on after the server has ended. */
async function starts(program: string, args: readonly string[]): Promise<boolean> {
  const child = execa(program, args, { stdio: 'ignore', detached: true, cleanup: false, reject: false });
  child.unref();
  const waited = new Promise<null>((resolve) => setTimeout(resolve, FAIL_MS, null).unref());
  const ended = await Promise.race([child, waited]);
  return ended === null || ended.exitCode === 0;
}

function nameOf(program: string): string {
  return basename(program.replaceAll('\\', '/'))
    .replace(/\.(?:exe|cmd|bat|sh)$/i, '')
    .toLowerCase();
}

/** Splits a command line as a shell does: at spaces outside quotes. */
function splitCommand(text: string): string[] {
  const words = text.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? [];
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
