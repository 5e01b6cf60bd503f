import { createColors } from 'picocolors';
import { escapeControls } from '../wording/escape-controls.ts';

/** What became of one template that was pushed. */
export interface PushedTemplate {
  readonly name: string;
  /** Of its style version. */
  readonly id: string;
  readonly status: 'edit_ready' | 'failed';
  /** False when the service had it already. */
  readonly uploaded: boolean;
  /** Why it failed. */
  readonly message: string | null;
}

/** A line per template. */
export function pushText(templates: readonly PushedTemplate[], options: { readonly color: boolean }): string {
  const { green, red, dim } = createColors(options.color);
  const width = Math.max(0, ...templates.map(({ name }) => name.length));
  const lines = templates.map(({ name, id, status, uploaded, message }) => {
    if (status === 'failed') return `${red('✗')} ${name.padEnd(width)}  ${id}  ${escapeControls(message ?? 'failed')}`;
    return `${green('✓')} ${name.padEnd(width)}  ${id}  ${uploaded ? 'pushed' : dim('is there already')}`;
  });
  return lines.map((line) => `${line}\n`).join('');
}
