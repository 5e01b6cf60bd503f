import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { CueChange } from '../../edit-protocol.ts';
import type { PreviewError } from '../../problem-protocol.ts';
import type { CueBlock } from '../../timeline-protocol.ts';
import { IconButton } from '../controls/button.tsx';
import { OpenLink, ProblemText } from '../controls/problem-list.tsx';
import { errorOf } from '../controls/use-request.ts';
import { Refusal, useSavedValue } from '../form/control.tsx';
import { joinChanges, splitChanges, timeChange, timesOf } from './cue-times.ts';

interface CueBarProps {
  readonly cue: CueBlock;
  /** The next cue of the same file that can be joined; null if there is none. */
  readonly next: CueBlock | null;
  readonly fps: number;
  /** Time of the frame that is shown. */
  readonly seconds: number;
  readonly save: (changes: readonly CueChange[]) => Promise<unknown>;
  readonly onPlay: () => void;
}

/** The text and the times of the selected cue, and what can be done with it. */
export function CueBar({ cue, next, fps, seconds, save, onPlay }: CueBarProps): JSX.Element {
  const [error, setError] = useState<PreviewError | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (changes: readonly CueChange[] | null): void => {
    if (changes === null) {
      const hint = 'Put the text cursor where the second part begins.';
      setError({ code: 'invalid_request', message: 'A part would have no text or no time.', hint });
      return;
    }
    text.flush();
    save(changes).then(
      () => setError(null),
      (reason: unknown) => setError(errorOf(reason)),
    );
  };
  const text = useSavedValue(cue.text, async (written: string) => {
    if (written.trim() === '') throw new Error('A cue has a text; remove the cue if it is not needed.');
    await save([{ kind: 'change', position: cue.at!.position, text: written }]);
  });
  const { start, end } = timesOf(cue);
  const length = `${Math.max(...cue.text.split('\n').map((line) => [...line].length))} characters a line`;
  const speed = `${Math.round([...cue.text.replaceAll('\n', ' ')].length / (end - start))} characters a second`;
  return (
    <fieldset class="sound-bar cue-bar">
      <legend>
        <b>Caption</b> {cue.scene !== null && `of ${cue.scene}`} {cue.speaker !== undefined && `by ${cue.speaker}`}
      </legend>
      {cue.at === null ? (
        <>
          <div class="cue-tools">
            <IconButton icon="play" label="Play this caption" onClick={onPlay} />
            <p class="cue-words">{cue.text}</p>
          </div>
          <p class="scene-where">This caption is made from words or columns: edit them in their file.</p>
        </>
      ) : (
        <>
          <label class="cue-field">
            <span class="hidden">Text of the caption</span>
            <textarea
              ref={field}
              rows={2}
              value={text.value}
              onInput={({ currentTarget: { value } }) => text.change(value)}
              onBlur={text.flush}
            />
          </label>
          <div class="cue-tools">
            <IconButton icon="play" label="Play this caption" onClick={onPlay} />
            <TimeField
              label="From"
              value={start}
              fps={fps}
              onChange={(at) => change(timesTo(cue, { start: at, end }))}
            />
            <TimeField label="To" value={end} fps={fps} onChange={(at) => change(timesTo(cue, { start, end: at }))} />
            <button
              type="button"
              title="At the text cursor, and at the current frame if the caption is shown there"
              onClick={() => change(splitChanges(cue, cursorIn(field.current!, cue.text), seconds, fps))}
            >
              Split
            </button>
            <button type="button" disabled={next === null} onClick={() => change(joinChanges(cue, next!))}>
              Join with next
            </button>
            <IconButton
              icon="remove"
              label="Remove this caption"
              onClick={() => change([{ kind: 'remove', position: cue.at!.position }])}
            />
          </div>
        </>
      )}
      <p class="cue-facts">
        {length}, {speed}
        {cue.hasWords && ', with times of its words'}
        {cue.at !== null && ` · ${cue.at.path}`}
      </p>
      {cue.problems.map((problem) => (
        <div key={`${problem.code} ${problem.message}`} class={`cue-problem ${problem.severity}`}>
          <ProblemText problem={problem} />
          {problem.file !== null && (
            <OpenLink at={{ path: problem.file, line: problem.line ?? 1, column: problem.column ?? 1 }} />
          )}
        </div>
      ))}
      <Refusal error={text.error ?? error} />
    </fieldset>
  );
}

function timesTo(cue: CueBlock, times: { readonly start: number; readonly end: number }): CueChange[] {
  const changed = timeChange(cue, times);
  return changed === null ? [] : [changed];
}

/** The middle of the text, at a space, if the cursor is at one of its ends. */
function cursorIn({ selectionStart, value }: HTMLTextAreaElement, text: string): number {
  if (value === text && selectionStart > 0 && selectionStart < text.length) return selectionStart;
  const middle = text.length / 2;
  const spaces = [...text.matchAll(/\s/g)].map(({ index }) => index);
  return spaces.reduce((best, space) => (Math.abs(space - middle) < Math.abs(best - middle) ? space : best), 0);
}

interface TimeFieldProps {
  readonly label: string;
  /** Seconds of the video. */
  readonly value: number;
  readonly fps: number;
  readonly onChange: (seconds: number) => void;
}

/** A time in seconds; the arrows of the field go to whole frames. */
function TimeField({ label, value, fps, onChange }: TimeFieldProps): JSX.Element {
  return (
    <label class="number">
      {label}
      <span>
        <input
          type="number"
          min={0}
          step="any"
          value={Number(value.toFixed(3))}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
            event.preventDefault();
            onChange((Math.round(value * fps) + (event.key === 'ArrowUp' ? 1 : -1)) / fps);
          }}
          onChange={({ currentTarget: { valueAsNumber } }) => {
            if (Number.isFinite(valueAsNumber) && valueAsNumber >= 0) onChange(valueAsNumber);
          }}
        />
        s
      </span>
    </label>
  );
}
