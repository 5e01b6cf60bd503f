import { type Diagnostic, errorAt, type Locate } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/digest.ts';
import type { BuiltinVoice, Voice, VoicePrice } from '../speech/voice.ts';

/** A voice as written in reelform.yaml, after validation. */
export interface WrittenVoice {
  readonly builtin?: BuiltinVoice['builtin'];
  readonly command?: readonly [program: string, ...args: string[]];
  readonly version?: number;
  readonly options?: Readonly<Record<string, Json>>;
  readonly env?: readonly string[];
  readonly timeout?: number;
  readonly price_per_1000_characters?: number;
}

const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * Reads `voices` of reelform.yaml.
 *
 * @param currency of prices; undefined if none is set
 */
export function readVoices(
  written: Readonly<Record<string, WrittenVoice>> = {},
  currency: string | undefined,
  locate: Locate,
): { readonly voices: ReadonlyMap<string, Voice>; readonly diagnostics: readonly Diagnostic[] } {
  const entries = Object.entries(written);
  const diagnostics = entries.flatMap(([name, voice]) => voiceProblems(name, voice, currency, locate));
  const voices =
    diagnostics.length > 0 ? [] : entries.map(([name, voice]) => [name, readVoice(name, voice, currency)] as const);
  return { voices: new Map(voices), diagnostics };
}

function readVoice(name: string, voice: WrittenVoice, currency: string | undefined): Voice {
  const { builtin, command, version = 1, options = {}, env = [], timeout = DEFAULT_TIMEOUT_SECONDS } = voice;
  const { price_per_1000_characters: per1000Characters = 0 } = voice;
  const price: VoicePrice | null = per1000Characters === 0 ? null : { currency: currency!, per1000Characters };
  const facts = { name, version, options, price };
  if (builtin !== undefined) return { ...facts, kind: 'builtin', builtin };
  return { ...facts, kind: 'command', command: command!, env, timeoutMs: timeout * 1000 };
}

/** Settings that a built-in voice does not have. */
const OF_COMMANDS = ['options', 'env', 'timeout', 'price_per_1000_characters'] as const;

function voiceProblems(name: string, voice: WrittenVoice, currency: string | undefined, locate: Locate): Diagnostic[] {
  const { builtin, command, price_per_1000_characters: price = 0 } = voice;
  const problem = (field: string | null, message: string, hint: string): Diagnostic => {
    const path = ['voices', name, ...(field === null ? [] : [field])];
    return errorAt('config_invalid', locate(path, 'key').span, message, hint);
  };
  if (builtin === undefined && command === undefined) {
    return [problem(null, `voices.${name} has no voice`, 'Add command: [./speak.sh], or builtin: slt')];
  }
  if (builtin !== undefined && command !== undefined) {
    return [problem('builtin', `voices.${name} has both "builtin" and "command"`, 'Remove one of them')];
  }
  const useless = builtin === undefined ? [] : OF_COMMANDS.filter((field) => voice[field] !== undefined);
  const found = useless.map((field) => {
    return problem(field, `voices.${name} is built in, and has no ${field}`, `Remove ${field}`);
  });
  if (builtin !== undefined || price === 0 || currency !== undefined) return found;
  const message = `voices.${name}.price_per_1000_characters needs a currency`;
  return [problem('price_per_1000_characters', message, 'Add "cost: {currency: USD}" to reelform.yaml')];
}
