import type { createColors } from 'picocolors';
import type { Failure } from '../../apply/events.ts';
import { escapeControls } from '../wording/display-text.ts';

type Colors = ReturnType<typeof createColors>;

/** Problems of the service or the machine, independent of the video. */
const NOT_OF_A_VIDEO: ReadonlySet<string> = new Set([
  'service_unauthorized',
  'service_unreachable',
  'token_missing',
  'encoder_missing',
  'disk_full',
  'service_lacks_uploads',
]);

/** Equal for failures that are reported only once. */
export function failureKey(failures: readonly Failure[]): string {
  return JSON.stringify(
    failures.map(({ code, message, hint, editable, source }) =>
      NOT_OF_A_VIDEO.has(code) ? code : [code, message, hint, editable, source],
    ),
  );
}

/** Formats `code: editable (file): message` and the hint, without indentation. */
export function failureLines({ code, message, hint, editable, source }: Failure, colors: Colors): string[] {
  const from = source === undefined ? '' : ` (${escapeControls(source)})`;
  const where = editable === undefined ? '' : ` ${escapeControls(editable)}${from}:`;
  const lines = [`${colors.red(`${escapeControls(code)}:`)}${where} ${escapeControls(message)}`];
  if (hint !== undefined) lines.push(`${colors.cyan('hint:')} ${colors.dim(escapeControls(hint))}`);
  return lines;
}

/** `a, b, c and 9 more`. */
export function listNames(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).map(escapeControls);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
