import { createColors } from 'picocolors';
import { byCodeUnit } from '../../digest.ts';
import type { Lock, LockEntry } from '../../lock/lock.ts';
import { escapeControls } from '../wording/escape-controls.ts';
import { longest } from './video-lines.ts';

/** What was rendered, a line per video. */
export function lockText(lock: Lock, options: { readonly color: boolean }): string {
  const { bold, dim } = createColors(options.color);
  if (lock.videos.size === 0) return 'Nothing is rendered yet.\n';
  const rows = [...lock.videos].sort(([a], [b]) => byCodeUnit(a, b));
  const width = longest(rows.map(([id]) => escapeControls(id)));
  const lines = rows.map(
    ([id, entry]) =>
      `${bold(escapeControls(id).padEnd(width))}  ${dim(shortDate(entry))}  ${escapeControls(entry.video_url)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** One entry in full. */
export function lockEntryText(id: string, entry: LockEntry, options: { readonly color: boolean }): string {
  const { bold, dim } = createColors(options.color);
  const facts: [string, string][] = [
    ['title', entry.title],
    ['template', `${entry.template} (${entry.style_version})`],
    ['service', entry.service],
    ['session', entry.session],
    ['fingerprint', entry.fingerprint],
    ['rendered at', entry.rendered_at],
    ['video', entry.video_url],
    ...(entry.deliveries ?? []).map(({ to, url }): [string, string] => [
      'delivered to',
      url === undefined ? to : `${url} (${to})`,
    ]),
    ...entry.thumbnails.map((url): [string, string] => ['still', url]),
    ...Object.entries(entry.labels ?? {}).map(([name, value]): [string, string] => [`label ${name}`, value]),
    ...(entry.protect === true ? [['protected', 'yes'] satisfies [string, string]] : []),
  ];
  const inputs = Object.entries(entry.inputs);
  const width = Math.max(...[...facts, ...inputs].map(([name]) => name.length));
  const line = ([name, value]: [string, string]): string =>
    `  ${dim(escapeControls(name).padEnd(width))}  ${escapeControls(value)}`;
  return `${[bold(escapeControls(id)), ...facts.map(line), '', '  filled with', ...inputs.map(line)].join('\n')}\n`;
}

function shortDate(entry: LockEntry): string {
  return entry.rendered_at.slice(0, 16).replace('T', ' ');
}
