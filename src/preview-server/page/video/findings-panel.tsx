import type { JSX } from 'preact';
import type { LintMark } from '../../protocol.ts';
import { Icon } from '../controls/icon.tsx';
import { formatTime } from '../wording.ts';

/** What a viewer would notice; a click goes to the moment. */
export function FindingsPanel({
  lint,
  onFrame,
}: {
  readonly lint: readonly LintMark[];
  readonly onFrame: (frame: number) => void;
}): JSX.Element {
  if (lint.length === 0) {
    return (
      <p class="calm">
        No findings: every text fits, is readable and has all its letters, and every image is large enough.
      </p>
    );
  }
  return (
    <ul class="findings">
      {lint.map((mark) => (
        <li key={`${mark.code} ${mark.editable} ${mark.frame}`}>
          <button type="button" class={mark.severity} onClick={() => onFrame(mark.frame)}>
            <Icon name={mark.severity === 'error' ? 'error' : 'warning'} />
            <span>
              <span class="hidden">{mark.severity}: </span>
              {mark.message}
              {mark.hint !== null && <small>{mark.hint}</small>}
            </span>
            <time>{formatTime(mark.seconds)}</time>
          </button>
        </li>
      ))}
    </ul>
  );
}
