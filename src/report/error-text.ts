import type { ReelformError } from '../diagnostic.ts';

/** What ended a command, and what to do about it. */
export function errorText({ code, message, hint }: ReelformError): string {
  return `error ${code}: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`;
}

/** What only we can mend. */
export function internalErrorText(error: unknown, toolVersion: string): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Internal error: ${text}\nThis is a mistake in reelform ${toolVersion}; please report it.\n`;
}
