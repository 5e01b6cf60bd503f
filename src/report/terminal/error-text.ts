import type { createColors } from 'picocolors';
import type { VideoFailure } from '../../reconciler/apply/events.ts';
import { escapeControls, terminalLink } from '../wording/display-text.ts';

/**
 * Formats the error that ended a command, with its hint. Service text cannot control the terminal.
 *
 * @param reference URL of the reference of error codes, which the code then links to
 */
export function errorText(
  { code, message, hint }: Pick<VideoFailure, 'code' | 'message' | 'hint'>,
  reference?: string,
): string {
  const name = escapeControls(code);
  const linked = reference === undefined ? name : terminalLink(name, `${reference}#${name}`);
  const line = `error ${linked}: ${escapeControls(message)}\n`;
  return `${line}${hint === undefined ? '' : `hint: ${escapeControls(hint)}\n`}`;
}

/** Formats a rejection by the service, with its problems. */
export function serviceErrorText(error: {
  readonly code: string;
  readonly message: string;
  readonly problems: readonly { readonly detail: string; readonly pointer: string }[];
}): string {
  const { code, message, problems } = error;
  const lines = problems.map(({ detail, pointer }) => `  ${escapeControls(detail)} (${escapeControls(pointer)})\n`);
  return `${errorText({ code, message })}${lines.join('')}`;
}

/** Formats an internal error and asks for a report. */
export function internalErrorText(error: unknown, toolVersion: string): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `Internal error: ${text}\nThis is a bug in reelform ${toolVersion}; please report it.\n`;
}

/** Formats `code: editable (file): message` and the hint, without indentation. */
export function failureLines(
  { code, message, hint, editable, source }: VideoFailure,
  colors: ReturnType<typeof createColors>,
): string[] {
  const from = source === undefined ? '' : ` (${escapeControls(source)})`;
  const where = editable === undefined ? '' : ` ${escapeControls(editable)}${from}:`;
  const lines = [`${colors.red(`${escapeControls(code)}:`)}${where} ${escapeControls(message)}`];
  if (hint !== undefined) lines.push(`${colors.cyan('hint:')} ${colors.dim(escapeControls(hint))}`);
  return lines;
}
