import { InvalidArgumentError } from 'commander';

/** The id of a session, as somebody wrote it: a variable that is not set makes none. */
export function sessionId(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the id of a session at the service.');
  return text;
}
