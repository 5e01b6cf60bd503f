import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { errorOf } from './use-request.ts';

interface Notice {
  readonly key: number;
  readonly text: string;
  readonly detail: string | null;
  readonly isError: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

const DURATION_MS = 7000;
let notices: readonly Notice[] = [];
let keys = 0;
let redraw: () => void = () => {};

/** Shows a message in a corner of the page. Errors stay until they are closed. */
export function notify(text: string, options: Partial<Pick<Notice, 'detail' | 'isError' | 'action'>> = {}): void {
  const notice = { key: keys++, text, detail: null, isError: false, action: null, ...options };
  notices = [...notices.filter((shown) => shown.text !== text).slice(-2), notice];
  redraw();
  if (!notice.isError) setTimeout(() => close(notice.key), DURATION_MS);
}

/** Shows why a request failed. */
export function notifyError(error: unknown): void {
  const { message, hint } = errorOf(error);
  notify(message, { detail: hint, isError: true });
}

function close(key: number): void {
  notices = notices.filter((shown) => shown.key !== key);
  redraw();
}

export function Notices(): JSX.Element {
  const [, setTimes] = useState(0);
  useEffect(() => {
    redraw = () => setTimes((times) => times + 1);
  }, []);
  return (
    <div class="notices" role="status">
      {notices.map(({ key, text, detail, isError, action }) => (
        <div key={key} class={isError ? 'notice is-error' : 'notice'}>
          <p>
            {text}
            {detail !== null && <small>{detail}</small>}
          </p>
          {action !== null && (
            <button
              type="button"
              onClick={() => {
                close(key);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon="close" size={14} label="Close the message" onClick={() => close(key)} />
        </div>
      ))}
    </div>
  );
}
