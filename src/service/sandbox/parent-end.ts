/** Makes the kernel kill this process when its parent ends, or undoes that. Returns false if the parent has ended already. */
export type ParentEndSwitch = (kills: boolean) => boolean;

/** The preloaded file and the program are bundled apart, so they share the switch in the global object. */
const KEY = Symbol.for('reelform.parent-end');
const shared = globalThis as { [KEY]?: ParentEndSwitch };

/** Offers the switch to the program of this process. */
export function offerParentEnd(given: ParentEndSwitch): void {
  shared[KEY] = given;
}

/** Returns the switch of this process; null on systems without one. */
export function parentEnd(): ParentEndSwitch | null {
  return shared[KEY] ?? null;
}
