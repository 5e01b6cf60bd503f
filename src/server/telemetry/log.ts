import { inspect } from 'node:util';

/** What the parts of the service say while they work: pino's logger is one. Fields first, then the sentence. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns the message of whatever was thrown, for a field of the log. pg-boss reports errors as plain objects, and Node
 * leaves the message of an error empty where it tried several addresses.
 */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message, errors, code } = (error ?? {}) as { message?: unknown; errors?: unknown; code?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  if (Array.isArray(errors) && errors.length > 0) return errors.map(errorMessage).join('; ');
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : inspect(error, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
}
