import { stripVTControlCharacters } from 'node:util';
import { isRecord } from '../json.ts';
import type { PolicyFinding, PolicyLevel } from './policy.ts';

/** How a policy command ended. */
export interface CommandEnd {
  /** Null when it could not be started or was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it has no answer; null: it has. */
  readonly failure: string | null;
}

/** Characters of one message. */
const LONGEST = 1_000;
const MOST_FINDINGS = 100;

/**
 * What a policy command said: JSON `{"deny": […], "warn": […]}` on standard output, each entry a text or `{message, video}`;
 * else all is well with the exit status 0, and denied with any other, for the reason that it printed. One that gives no answer
 * denies. What it says is one line of text and nothing else.
 *
 * @param rule what the findings are told under
 * @param isVideo whether the plan changes a video of this id
 */
export function readAnswer(rule: string, end: CommandEnd, isVideo: (id: string) => boolean): PolicyFinding[] {
  const find = (level: PolicyLevel, message: string, video: string | null = null): PolicyFinding => ({
    rule,
    level,
    video,
    place: null,
    message: video === null || message.includes(video) ? `${rule}: ${message}` : `${rule}: ${video}: ${message}`,
  });
  if (end.failure !== null) return [find('deny', end.failure)];
  const answer = parseAnswer(end.stdout);
  const said = (['deny', 'warn'] as const).flatMap((level) =>
    entriesOf(answer?.[level]).map(({ message, video }) =>
      find(level, message, video !== null && isVideo(video) ? video : null),
    ),
  );
  if (end.exitCode === 0 || said.some(({ level }) => level === 'deny')) return capped(said, find);
  const text = oneLine(end.stderr) || (answer === null ? oneLine(end.stdout) : '');
  return capped([find('deny', text || `it ended with ${end.exitCode}, and said nothing`), ...said], find);
}

function capped(
  findings: readonly PolicyFinding[],
  find: (level: PolicyLevel, message: string) => PolicyFinding,
): PolicyFinding[] {
  const rest = findings.slice(MOST_FINDINGS);
  if (rest.length === 0) return [...findings];
  const level = rest.some((one) => one.level === 'deny') ? 'deny' : 'warn';
  return [...findings.slice(0, MOST_FINDINGS), find(level, `and ${rest.length} more`)];
}

function parseAnswer(stdout: string): Record<string, unknown> | null {
  if (!stdout.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(stdout);
    return isRecord(value) && (listOf(value.deny) ?? listOf(value.warn)) !== null ? value : null;
  } catch {
    return null;
  }
}

/** One text is a list of it: what was meant to deny must not pass for its form. */
function listOf(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : typeof value === 'string' && value !== '' ? [value] : null;
}

function entriesOf(said: unknown): { readonly message: string; readonly video: string | null }[] {
  return (listOf(said) ?? []).map((entry) => {
    if (!isRecord(entry)) return { message: oneLine(String(entry)), video: null };
    const { video } = entry;
    const message = entry.message ?? entry.msg;
    return {
      message: oneLine(typeof message === 'string' ? message : JSON.stringify(entry)),
      video: typeof video === 'string' ? video : null,
    };
  });
}

/** Ends of lines are gone, so nothing that it says begins a line, where a machine would look for commands. */
function oneLine(text: string): string {
  const line = stripVTControlCharacters(text.slice(0, LONGEST * 10))
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).toWellFormed()}…`;
}

/** Words of names that hold what lets somebody in, between underscores or alone. */
const SECRET_NAME =
  /(?:^|_)(?:\w*TOKEN|\w*SECRETS?|PASS|PASSWD|\w*PASSWORD|\w*PASSPHRASE|\w*CREDENTIALS?|\w*KEY|KEYS|AUTH|JWT|PAT|COOKIE|DSN|SAS)(?:_|\d*$)/i;
/** Everything of these is about who one is, or leads to who tells. */
const SECRET_FAMILY = /^(?:AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|ACTIONS|GH|VAULT|SSH|npm_config)_/i;

/**
 * The environment of a policy command: that of this process without what lets somebody in. By its name (`REELFORM_TOKEN`,
 * `GITHUB_TOKEN`, all of `AWS_`, …), because reelform.yaml names it, or because it is a URL with a password. A variable of
 * another name is passed on whatever it holds.
 *
 * @param named by reelform.yaml: variables that hold a token or a key
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
