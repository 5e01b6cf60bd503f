import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { SharedListeners } from '../../src/apply/shared-listeners.ts';

it('SharedListeners calls back all who listen to a signal, with one listener of it, and leaves none behind', () => {
  const listeners = new SharedListeners();
  const controller = new AbortController();
  const called: string[] = [];
  const [end, ...others] = ['a', 'b', 'c'].map((name) =>
    listeners.listen(controller.signal, (reason) => void called.push(`${name} ${reason}`)),
  );
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  end!();
  controller.abort('over');
  expect(called).toEqual(['b over', 'c over']);
  for (const one of others) one();
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});
