import { createColors } from 'picocolors';
import { isRecord } from '../../json.ts';
import { escapeControls } from '../wording/display-text.ts';

/** What a server that has started is known by. */
export interface ServeFacts {
  readonly url: string;
  /** Where `/metrics` has a port of its own; null elsewhere. */
  readonly metricsUrl: string | null;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** A bucket; null: the data folder. */
    readonly storage: string | null;
    readonly host: string;
    readonly publicUrl: string | null;
  };
  /** Of the repository. */
  readonly templates: readonly { readonly name: string }[];
  readonly hasTokens: boolean;
  /** Where a command finds the database by itself; another data folder has to be said to it. */
  readonly usualDataDirectory: string;
}

/** Tells whoever started a server where everything is, and how to get in. */
export function serveText({ url, metricsUrl, settings, templates, hasTokens, usualDataDirectory }: ServeFacts): string {
  const { databaseUrl, dataDirectory, storage, host, publicUrl } = settings;
  const names = templates.map(({ name }) => name).join(', ');
  const lines = [
    `Reelform serves at ${publicUrl ?? url}`,
    `  the API      ${url}/docs`,
    `  database     ${databaseUrl === null ? 'PGlite, in the data folder' : describeDatabase(databaseUrl)}`,
    ...(metricsUrl === null ? [] : [`  metrics      ${metricsUrl}/metrics`]),
    ...(storage === null ? [] : [`  storage      ${escapeControls(storage)}`]),
    `  data folder  ${escapeControls(dataDirectory)}`,
    ...(templates.length === 0 ? [] : [`  templates    ${names}, of reelform.yaml`]),
  ];
  if (publicUrl === null && /^(?:0\.0\.0\.0|::)$/.test(host)) {
    lines.push('Clients on other machines need --public-url: the URLs of finished videos begin with it.');
  }
  if (!hasTokens) {
    const where = databaseUrl === null ? '' : ' with the same settings';
    const isUsual = databaseUrl !== null || dataDirectory === usualDataDirectory;
    const flag = isUsual ? '' : ` --data ${quoted(escapeControls(dataDirectory))}`;
    lines.push(
      `There is no token yet. Make one, in another terminal${where}:`,
      `  export REELFORM_TOKEN=$(reelform token create${flag})`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** One word of a shell. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Which PostgreSQL a connection string names, without user, password and options. */
export function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return escapeControls(`PostgreSQL, ${pathname.slice(1) || 'the default database'} at ${host || 'localhost'}`);
}

/** What a worker that has started is known by. */
interface WorkerFacts {
  readonly id: string;
  /** Null where it does not listen. */
  readonly url: string | null;
  readonly publicUrl: string;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** A bucket; null: the data folder. */
    readonly storage: string | null;
    readonly concurrency: number;
  };
}

/** Tells whoever started a worker what it works for. */
export function workerText({ id, url, publicUrl, settings }: WorkerFacts): string {
  const { databaseUrl, dataDirectory, storage, concurrency } = settings;
  const lines = [
    `Worker ${id} renders for ${escapeControls(publicUrl)}`,
    `  at once      ${concurrency === 1 ? '1 video' : `${concurrency} videos`}`,
    ...(databaseUrl === null ? [] : [`  database     ${describeDatabase(databaseUrl)}`]),
    ...(storage === null ? [] : [`  storage      ${escapeControls(storage)}`]),
    `  data folder  ${escapeControls(dataDirectory)}`,
    ...(url === null ? [] : [`  health       ${url}/readyz`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const HIDDEN: ReadonlySet<string> = new Set(['time', 'level', 'msg']);

/** One JSON line of the log as a line for people: time, level, sentence, and the rest as `name=value`. */
export function logLine(json: string, options: { readonly color: boolean }): string {
  const entry = parse(json);
  if (entry === null) return json;
  const { dim, red, yellow, green } = createColors(options.color);
  const level = String(entry.level ?? 'info');
  const paint = level === 'error' || level === 'fatal' ? red : level === 'warn' ? yellow : green;
  const time = typeof entry.time === 'string' ? entry.time.slice(11, 23) : '';
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = escapeControls(String(entry.msg ?? ''));
  const rest = fields.length === 0 ? '' : `  ${dim(escapeControls(fields.join(' ')))}`;
  return `${dim(time)} ${paint(level.padEnd(5))} ${words}${rest}\n`;
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
