import { createColors } from 'picocolors';
import { escapeControls } from '../wording/display-text.ts';
import { formatCount, formatDuration } from '../wording/quantities.ts';
import { failureLines } from './error-text.ts';

/** Result of `reelform render`. */
export interface RenderedFile {
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

/** Formats the problems that kept a video from rendering. */
export function renderFailedText(
  problems: readonly {
    readonly code: string;
    readonly title: string;
    readonly detail?: string | undefined;
    readonly editable?: string | undefined;
  }[],
  { color }: { readonly color: boolean },
): string {
  const colors = createColors(color);
  return problems
    .flatMap(({ code, title, detail, editable }) =>
      failureLines(
        { code, message: detail ?? title, retryable: false, ...(editable !== undefined && { editable }) },
        colors,
      ),
    )
    .map((line) => `${line}\n`)
    .join('');
}
