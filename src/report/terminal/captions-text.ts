import { writeTime } from '../../contract/captions/cue-time.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';

/** A time that `reelform captions fix` changes. */
export interface FixedTime {
  readonly edge: 'start' | 'end';
  /** Seconds. */
  readonly before: number;
  readonly after: number;
  /** Text of the cue. */
  readonly text: string;
  /** Offset of the cue in its file. */
  readonly offset: number;
}

/** The changes of a file. */
export interface CaptionFixes {
  /** Repository-relative. */
  readonly path: string;
  readonly times: readonly FixedTime[];
}

/** Shows the times that `reelform captions fix` changed, or would change. */
export function captionFixText(files: readonly CaptionFixes[], { isWritten }: { readonly isWritten: boolean }): string {
  const lines = files.flatMap(({ path, times }) => [
    path,
    ...times.map(({ edge, before, after, text }) => {
      const line = escapeControls(text.replaceAll('\n', ' '));
      return `  ${edge.padEnd(5)} ${writeTime(before, 'vtt')} → ${writeTime(after, 'vtt')}  ${line}`;
    }),
    '',
  ]);
  const count = files.reduce((sum, { times }) => sum + times.length, 0);
  if (count === 0) return 'No times to change.\n';
  const total = `${countNoun(count, 'time')} in ${countNoun(files.length, 'file')}`;
  const end = isWritten ? `Changed ${total}.` : `Would change ${total}. Run \`reelform captions fix --yes\` to do so.`;
  return `${[...lines, end].join('\n')}\n`;
}
