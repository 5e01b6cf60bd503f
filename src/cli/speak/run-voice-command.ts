import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { HAS_GROUPS, killGroup } from '../../kernel/os-process.ts';
import { temporaryFolder, tryToRemove } from '../../kernel/temporary-folder.ts';
import { policyEnvironment } from '../../reconciler/policy/policy-command.ts';
import { VoiceError } from '../../reconciler/speech/speak-texts.ts';
import type { SpokenText } from '../../reconciler/speech/spoken-text.ts';
import type { CommandVoice } from '../../reconciler/speech/voice.ts';

/** Output of a voice's command. */
interface VoiceOutput {
  /** WAV. */
  readonly wave: Uint8Array;
  /** Content of the file of words; null if the command wrote none. */
  readonly words: string | null;
}

interface VoiceRun {
  /** Of the repository, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Variables that every command receives, on any system. */
const SYSTEM_VARIABLES = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE']; // biome-ignore format: one list
/** Path of the file that a command may write the times of words to. */
const WORDS_VARIABLE = 'REELFORM_WORDS';
const MAX_WAVE_BYTES = 256 << 20;
const MAX_STDERR_BYTES = 1 << 20;
/** Exit status of a command for a text that it can never speak. @see sysexits(3), EX_DATAERR */
const REFUSED = 65;

/**
 * Runs the command of a voice: it reads `{text, locale, options}` as JSON on standard input, and writes a WAV file to standard output. It
 * receives only the named variables of the environment.
 *
 * @throws VoiceError, without values of secret variables
 */
export async function runVoiceCommand(
  { text, locale, options }: Pick<SpokenText, 'text' | 'locale' | 'options'>,
  voice: CommandVoice,
  run: VoiceRun,
): Promise<VoiceOutput> {
  const folder = temporaryFolder('reelform-voice-');
  try {
    const words = join(folder, 'words.json');
    const env = { ...voiceEnvironment(voice, run.env), [WORDS_VARIABLE]: words };
    const input = `${JSON.stringify({ text, locale, options })}\n`;
    const wave = await execute(voice, input, env, run);
    return { wave, words: await nullIfMissing(readFile(words, 'utf8')) };
  } finally {
    tryToRemove(folder);
  }
}

/** @throws VoiceError if a variable that the voice names is not set */
function voiceEnvironment({ name, env: named }: CommandVoice, env: VoiceRun['env']): Record<string, string> {
  const missing = named.filter((variable) => env[variable] === undefined);
  if (missing.length > 0) {
    const message = `The voice ${name} needs the environment variable ${missing.join(' and ')}`;
    throw new VoiceError(message, { mayRetry: false, hint: 'Set it; in CI, as a secret of the repository' });
  }
  const given = [...SYSTEM_VARIABLES, ...named].flatMap((variable) => {
    const value = env[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return Object.fromEntries(given);
}

async function execute(
  voice: CommandVoice,
  input: string,
  env: Record<string, string>,
  { root, env: outer, signal }: VoiceRun,
): Promise<Uint8Array> {
  const [program, ...args] = voice.command;
  signal.throwIfAborted();
  const running = execa(/^\.\.?\//.test(program) ? join(root, program) : program, args, {
    cwd: root,
    env,
    extendEnv: false,
    input,
    encoding: 'buffer',
    reject: false,
    buffer: false,
    // In a new process group, so that child processes are ended with it.
    detached: HAS_GROUPS,
  });
  let failure: string | null = null;
  const end = (): void => {
    if (running.pid !== undefined) killGroup(running.pid);
  };
  const collect = (output: NodeJS.ReadableStream, maxBytes: number): Buffer[] => {
    const chunks: Buffer[] = [];
    let size = 0;
    output.on('data', (bytes: Buffer) => {
      size += bytes.length;
      if (size <= maxBytes) chunks.push(bytes);
      else {
        failure ??= `wrote more than ${maxBytes} bytes`;
        end();
      }
    });
    return chunks;
  };
  const stdout = collect(running.stdout, MAX_WAVE_BYTES);
  const stderr = collect(running.stderr, MAX_STDERR_BYTES);
  const timer = setTimeout(() => {
    failure ??= `did not finish within ${voice.timeoutMs / 1000} s`;
    end();
  }, voice.timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  try {
    const { exitCode, code, signal: killedBy } = await running;
    signal.throwIfAborted();
    if (exitCode === 0 && failure === null) return Buffer.concat(stdout);
    const isUnstarted = exitCode === undefined && killedBy === undefined;
    failure ??= isUnstarted
      ? notStarted(code)
      : killedBy === undefined
        ? `exited with ${exitCode}`
        : `was ended by ${killedBy}`;
    const printed = lastLines(redact(Buffer.concat(stderr).toString('utf8'), secretsOf(voice, outer)));
    const message = `The command of the voice ${voice.name} ${failure}${printed === '' ? '' : `: ${printed}`}`;
    throw new VoiceError(message, {
      mayRetry: !isUnstarted && exitCode !== REFUSED,
      ...(isUnstarted && {
        hint: `Correct voices.${voice.name}.command in reelform.yaml, or make ${program} executable`,
      }),
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function notStarted(code = 'unknown'): string {
  return `could not be started (${code}${code === 'ENOENT' ? ', the program was not found' : ''})`;
}

/** Shorter values are no secrets, and occur in texts by chance. */
const MIN_SECRET_LENGTH = 4;

/** Returns the values that no message may contain: those of variables that the voice names, and of all that look like secrets. */
function secretsOf({ env: named }: CommandVoice, env: VoiceRun['env']): string[] {
  const harmless = policyEnvironment(env, named);
  const values = Object.entries(env).flatMap(([name, value]) => (name in harmless ? [] : [value ?? '']));
  return values.filter((value) => value.length >= MIN_SECRET_LENGTH);
}

/** Replaces secrets, also as they stand in URLs and in headers. */
function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    JSON.stringify(secret).slice(1, -1),
  ]);
  // A secret may be a part of another.
  const longest = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return longest.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
}

const MAX_PRINTED = 500;

/** Joins lines, and keeps their end, where commands print why they failed. */
function lastLines(text: string): string {
  const line = stripVTControlCharacters(text).replaceAll(/\s+/gu, ' ').trim();
  return line.length <= MAX_PRINTED ? line : `… ${line.slice(-MAX_PRINTED).toWellFormed()}`;
}
