import { useEffect, useRef } from 'preact/hooks';

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Calls a function for a key of the page. Keys that a control or an open dialog uses itself have no effect. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || isTyping(event.target)) return;
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

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=range]),textarea,select,[contenteditable]') !== null
  );
}
