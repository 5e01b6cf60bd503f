import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Calls a function for a key of the page. Keys that a control or an open dialog uses itself have no effect. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || usesKey(event.target, event.key)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const modifier = event.metaKey || event.ctrlKey ? 'mod+' : '';
      const action = latest.current[modifier + event.key];
      if (action === undefined) return;
      event.preventDefault();
      action(event);
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}

/** Whether a control uses a key itself: a slider those that move it, except the scrub bar, whose value is the frame. */
function usesKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const slider = target.closest('input[type=range]');
  if (slider !== null) return key.startsWith('Arrow') && slider.closest('.film') === null;
  return target.closest('input,textarea,select,[contenteditable]') !== null;
}

const SHORTCUTS: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Wall',
    keys: [
      ['/', 'Search'],
      ['← ↑ → ↓', 'Move between videos'],
      ['Enter', 'Open the video'],
      ['Home End', 'First and last video'],
    ],
  },
  {
    title: 'Video',
    keys: [
      ['Space', 'Play and pause'],
      ['← →', 'One frame back and forth'],
      ['Shift ← →', 'One second back and forth'],
      ['↑ ↓', 'Previous and next still'],
      ['C', 'Compare with the earlier version'],
      ['B', 'Blink between both versions'],
      ['X', 'Switch to the other version now'],
      ['[ ]', 'Previous and next video'],
      ['Ctrl Z', 'Undo the last edit'],
      ['Esc', 'Back to the wall'],
    ],
  },
];

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="shortcuts">
        {SHORTCUTS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt>
                    {key.split(' ').map((cap) => (
                      <kbd key={cap}>{cap}</kbd>
                    ))}
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
