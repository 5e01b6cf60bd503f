import { inspect } from 'node:util';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import type { Settings } from './settings/settings-table.ts';

/** Log of the service's components; pino's logger implements it. Fields first, then the message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns the message of a thrown value for the log. pg-boss reports errors as plain objects, and Node leaves the
 * message empty when it tried several addresses.
 */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, errors, code } = (error ?? {}) as { message?: unknown; errors?: unknown; code?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(errorMessage).join('; ');
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : inspect(error, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
}

/** For commands that report their results themselves. */
export const SILENT_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Creates the service's log: one JSON line per event. Callers log no secrets by name; secrets in headers, URLs and
 * error messages are removed here.
 *
 * @param destination standard output when absent
 */
export function createLogger(level: Settings['logLevel'], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_PATHS, censor: '…' },
    serializers: { err: describeError, error: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

const SECRET_NAMES = ['authorization', 'cookie', 'set-cookie', 'idempotency-key', 'token', 'password', 'signature'];
/** Deeper wildcards would dominate the cost of a log line. */
const SECRET_PATHS = ['', '*', 'req.headers', 'res.headers'].flatMap((place) =>
  SECRET_NAMES.map((name) => `${place}["${name}"]`),
);

/** Serializes an error or an error message. */
function describeError(error: Error | string): unknown {
  if (typeof error === 'string') return withoutSecrets(error);
  const described = stdSerializers.err(error) as unknown as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const key of ['type', 'code', 'message', 'stack'] as const) {
    const value = described[key];
    if (value !== undefined) shown[key] = typeof value === 'string' ? withoutSecrets(value) : value;
  }
  return shown;
}

/** Removes tokens, and the user and query of URLs, from a text. Runs in linear time. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/\brf_[\w-]{6,}/g, 'rf_…')
    .replaceAll(/\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]*/gi, withoutQuery)
    .replaceAll(/\b(signature|expires|token|password|secret)=[^\s&"'<>]+/gi, '$1=…');
}

function withoutQuery(url: string): string {
  const [place = ''] = url.split(/[?#]/, 1);
  const authority = place.indexOf('://') + 3;
  const path = place.indexOf('/', authority);
  const user = place.slice(authority, path === -1 ? undefined : path).lastIndexOf('@');
  const shown = user === -1 ? place : `${place.slice(0, authority)}…${place.slice(authority + user)}`;
  return url.length === place.length ? shown : `${shown}?…`;
}
