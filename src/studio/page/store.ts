import { useEffect, useReducer, useRef } from 'preact/hooks';
import { FIRST_STATE, type PageMessage, type PageState, reduceState } from './page-state.ts';

type Listener = () => void;

let state = FIRST_STATE;
const listeners = new Set<Listener>();

export function currentState(): PageState {
  return state;
}

export function dispatch(message: PageMessage): void {
  const next = reduceState(state, message);
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Subscribes a component to a part of the state; it is drawn again only if that part has changed. */
export function usePage<T>(select: (state: PageState) => T): T {
  const [, redraw] = useReducer((times: number, _: undefined) => times + 1, 0);
  const latest = useRef({ select, value: select(state) });
  latest.current = { select, value: select(state) };
  useEffect(() => {
    const listener = (): void => {
      if (!Object.is(latest.current.select(state), latest.current.value)) redraw(undefined);
    };
    listener();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return latest.current.value;
}
