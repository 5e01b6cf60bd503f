import { stripVTControlCharacters } from 'node:util';
import { isRecord, parseRecord } from '../../kernel/json.ts';
import type { PolicyFinding, PolicyLevel } from './policy.ts';

/** Result of running a policy command. */
export interface PolicyCommandResult {
  /** Null when the command could not start or was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why the command gave no answer; null if it ran to its end. */
  readonly failure: string | null;
}

/** Maximum number of characters of a message. */
const MAX_TEXT_LENGTH = 1_000;
const MAX_FINDINGS = 100;

/**
 * Reads the answer of a policy command: JSON `{"deny": […], "warn": […]}` on standard output, where each entry is a string
 * or `{message, video}`. Other text is no answer: exit status 0 allows the plan and any other status denies it with the printed
 * text. A broken answer denies, so that a mistake in it does not turn a denial into approval; so does a command that failed.
 * Each message becomes a single line of plain text.
 *
 * @param rule name under which the findings are reported
 * @param isVideo returns whether the plan changes a video with this id
 */
export function readPolicyAnswer(
  rule: string,
  end: PolicyCommandResult,
  isVideo: (id: string) => boolean,
): PolicyFinding[] {
  const find = (level: PolicyLevel, message: string, video: string | null = null): PolicyFinding => ({
    rule,
    level,
    video,
    place: null,
    message: video === null || message.includes(video) ? `${rule}: ${message}` : `${rule}: ${video}: ${message}`,
  });
  if (end.failure !== null) return [find('deny', end.failure)];
  const answer = parseAnswer(end.stdout);
  if (answer === 'broken' && end.exitCode === 0) return [find('deny', BROKEN)];
  const findings = (['deny', 'warn'] as const).flatMap((level) =>
    entriesOf(isRecord(answer) ? answer[level] : null).map(({ message, video }) =>
      find(level, message, video !== null && isVideo(video) ? video : null),
    ),
  );
  if (end.exitCode === 0 || findings.some(({ level }) => level === 'deny')) return capped(findings, find);
  const text = oneLine(end.stderr) || (isRecord(answer) ? '' : oneLine(end.stdout));
  return capped([find('deny', text || `it exited with ${end.exitCode} without a message`), ...findings], find);
}

function capped(
  findings: readonly PolicyFinding[],
  find: (level: PolicyLevel, message: string) => PolicyFinding,
): PolicyFinding[] {
  const rest = findings.slice(MAX_FINDINGS);
  if (rest.length === 0) return [...findings];
  const level = rest.some((finding) => finding.level === 'deny') ? 'deny' : 'warn';
  return [...findings.slice(0, MAX_FINDINGS), find(level, `and ${rest.length} more`)];
}

const BROKEN = 'it printed an invalid answer; expected {"deny": ["message"], "warn": []} and no other text';

/** Parses standard output that begins like an answer; null for other text and for JSON without findings. */
function parseAnswer(stdout: string): Record<string, unknown> | 'broken' | null {
  const text = stdout.trim();
  if (!text.startsWith('{')) return null;
  const answer = parseRecord(text);
  if (answer === null) return 'broken';
  const lists = [answer.deny, answer.warn].filter((value) => value !== undefined && value !== null);
  if (lists.length === 0) return null;
  return lists.every((value) => listOf(value) !== null) ? answer : 'broken';
}

/** Accepts a single string as a list with a single item; null for other values. */
function listOf(value: unknown): unknown[] | null {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value : null;
}

function entriesOf(value: unknown): { readonly message: string; readonly video: string | null }[] {
  return (listOf(value) ?? []).map((entry) => {
    if (!isRecord(entry)) return { message: oneLine(String(entry)), video: null };
    const { video } = entry;
    const message = entry.message ?? entry.msg;
    return {
      message: oneLine(typeof message === 'string' ? message : JSON.stringify(entry)),
      video: typeof video === 'string' ? video : null,
    };
  });
}

/** Joins lines, so that no output of the command starts a line, where CI systems look for commands. */
function oneLine(text: string): string {
  const line = stripVTControlCharacters(text.slice(0, MAX_TEXT_LENGTH * 10))
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= MAX_TEXT_LENGTH ? line : `${line.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…`;
}

/** Name segments, separated by underscores, that usually denote credentials. */
const SECRET_NAME =
  /(?:^|_)(?:\w*TOKEN|\w*SECRETS?|PASS|PASSWD|\w*PASSWORD|\w*PASSPHRASE|\w*CREDENTIALS?|\w*KEY|KEYS|AUTH|JWT|PAT|COOKIE|DSN|SAS)(?:_|\d*$)/i;
/** Variable families that hold credentials or lead to them. */
const SECRET_FAMILY = /^(?:AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|ACTIONS|GH|VAULT|SSH|npm_config)_/i;

/**
 * Returns the environment of a policy command: the given environment without credentials. Removes variables by name
 * (`REELFORM_TOKEN`, `GITHUB_TOKEN`, all of `AWS_`, …), those that reelform.yaml names, and URLs with a password. Any other
 * variable is passed on, whatever its value.
 *
 * @param named variables that hold a token or key according to reelform.yaml
 */
export function policyEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Record<string, string> {
  const hidden = new Set(named);
  const kept = Object.entries(env).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (value === undefined || hidden.has(name)) return false;
    return (
      !SECRET_NAME.test(name) && !SECRET_FAMILY.test(name) && !/^[a-z][a-z0-9+.-]*:\/\/[^/\s]*:[^/\s]*@/i.test(value)
    );
  });
  return Object.fromEntries(kept);
}
