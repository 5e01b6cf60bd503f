import { createColors } from 'picocolors';
import type { VideoFailure } from '../../reconciler/apply/events.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun, formatCount, formatDuration } from '../wording/quantities.ts';
import { failureLines } from './error-text.ts';

/** Result of `reelform render`. */
interface RenderedFile {
  /** Path relative to the working directory. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** Starts with the path, so that it is easy to copy. */
export function renderedText({ path, width, height, frames, bytes, elapsedMs }: RenderedFile): string {
  const length = frames === 1 ? 'one frame' : `${formatCount(frames)} frames`;
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return `${escapeControls(path)}  ${width} × ${height}, ${length}, ${size}, in ${formatDuration(elapsedMs)}\n`;
}

/** Formats progress for a line that is overwritten. */
export function renderProgressText(id: string, done: number, count: number, elapsedMs: number): string {
  const percent = Math.min(99, Math.floor((done / count) * 100));
  return `Rendering ${escapeControls(id)}  ${percent} %  ${formatDuration(elapsedMs)}`;
}

/** Formats the failures that kept a video from rendering. */
export function renderFailedText(failures: readonly VideoFailure[], { color }: { readonly color: boolean }): string {
  const lines = failures.flatMap((failure) => failureLines(failure, createColors(color)));
  return lines.map((line) => `${line}\n`).join('');
}

interface CacheContent {
  readonly folder: string;
  readonly segments: number;
  readonly bytes: number;
  readonly max_bytes: number;
  /** Folder of a bucket that keeps segments too; null if there is none. */
  readonly url: string | null;
  readonly oldest_used_at: string | null;
  readonly last_run: { readonly reused: number; readonly rendered: number } | null;
}

export function cacheText(content: CacheContent): string {
  const { folder, segments, bytes, max_bytes, url, oldest_used_at, last_run } = content;
  const limit =
    max_bytes === 0 ? (url === null ? 'the cache is disabled' : 'none are kept here') : `of ${sizeText(max_bytes)}`;
  const lines = [`${folder}: ${countNoun(segments, 'segment')}, ${sizeText(bytes)} ${limit}`];
  if (url !== null) lines.push(`Segments are also stored in ${url}.`);
  if (oldest_used_at !== null) lines.push(`The least recently used segment was last used at ${oldest_used_at}.`);
  if (last_run !== null) {
    const { reused, rendered } = last_run;
    lines.push(`The last run reused ${reused} of ${countNoun(reused + rendered, 'segment')}.`);
  }
  return `${lines.join('\n')}\n`;
}

export function prunedCacheText(segments: number, bytes: number): string {
  return segments === 0 ? 'Nothing to remove.\n' : `Removed ${countNoun(segments, 'segment')}, ${sizeText(bytes)}.\n`;
}

export function verifiedCacheText(intact: number, damaged: number): string {
  const removed = damaged === 0 ? '' : ` Removed ${countNoun(damaged, 'segment')} (damaged).`;
  return `${countNoun(intact, 'segment')} intact.${removed}\n`;
}

function sizeText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
