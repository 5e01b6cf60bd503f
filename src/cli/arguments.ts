import { type Command, InvalidArgumentError } from 'commander';
import type { Shard } from '../service/sessions/segments/render-shard.ts';

/** Code of a command: gets its arguments, its options with those of all commands, and the process. */
type CommandCode = (...parameters: never[]) => Promise<number>;

/** Returns the action of a command. Its code is loaded when it runs. */
export type ActionOf = (load: () => Promise<CommandCode>) => (...parameters: unknown[]) => Promise<void>;

/** Declares commands and their options. */
export type AddCommands = (program: Command, action: ActionOf) => void;

/** Returns a parser of whole numbers in a range. @param rule what a valid value is, as a sentence */
export function numberBetween(min: number, max: number, rule: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(rule);
  };
}

/** Collects the values of a repeatable option. */
export function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

/** Parses a number of days: `30d`. */
export function days(text: string): number {
  const value = Number(/^(\d+)d$/.exec(text)?.[1]);
  if (value >= 1 && value <= 3650) return value;
  throw new InvalidArgumentError('It must be a number of days such as 30d.');
}

/** Parses a number of seconds, at most a day. */
export function seconds(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('It must be a number of seconds, at most 86400.');
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** Longest delay of `--timeout`: timers of Node are limited to 24.8 days. */
const MAX_MS = 20 * 24 * UNIT_MS.h;

/** Parses a duration such as `10m`. @returns milliseconds */
export function duration(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (milliseconds > 0 && milliseconds <= MAX_MS) return milliseconds;
  throw new InvalidArgumentError('It must be a duration such as 30s, 10m or 2h, at most 480h.');
}

const MAX_SHARDS = 1000;

/** Parses `2/3`. */
export function shard(text: string): Shard {
  const [, index, count] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  if (index !== undefined && Number(index) <= Number(count) && Number(count) <= MAX_SHARDS)
    return { index: Number(index), count: Number(count) };
  throw new InvalidArgumentError(`It must be a shard such as 2/3: from 1/n to n/n, with n at most ${MAX_SHARDS}.`);
}

/** Parses a port: digits alone, because `--port ''` of an unset variable is a mistake. */
export function port(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

/** Parses the id of a session. An unset variable of a shell gives an empty id, which is rejected. */
export function sessionId(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must be the id of a session on the service.');
}

/** Parses a tag, which must be valid inside an HTML comment. */
export function tag(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/.test(text) && !text.includes('--')) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, ".", "_", "/" and single "-".');
}

/** Parses the URL of a page. */
export function address(text: string): string {
  if (/^https?:\/\/[^\s<>|\\`]{1,300}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a URL such as https://example.com/plan.html.');
}

/** Parses the URL of a service. @returns it without slashes at its end */
export function serviceUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It must be a URL such as https://api.example.com.');
}

/**
 * Parses a URL prefix and appends a slash, because `https://example.com` is also a prefix of
 * `https://example.com.evil`.
 */
export function addressBelow(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be a URL such as https://cdn.example.com/previews/.');
  }
  return [...earlier, url.href.endsWith('/') ? url.href : `${url.href}/`];
}

/**
 * Parses the name of a branch.
 *
 * @throws InvalidArgumentError for a name that Git rejects
 * @see https://git-scm.com/docs/git-check-ref-format
 */
export function branchName(text: string): string {
  const isName =
    text.length <= 200 &&
    !/[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/$|^[-/]|\.$/u.test(text) &&
    text.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')) &&
    text !== '@' &&
    text !== 'HEAD';
  if (isName) return text;
  throw new InvalidArgumentError('It is not a valid branch name.');
}
