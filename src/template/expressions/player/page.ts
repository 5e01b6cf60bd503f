/**
 * The page that lottie-web expects: every object exists and does nothing. Imported before lottie-web.
 */

// biome-ignore lint/suspicious/noExplicitAny: stands for any object of a page
type Any = any;

const nothing: Any = new Proxy(() => nothing, {
  get: (_, key) => {
    if (key === Symbol.toPrimitive) return () => 0;
    return key === 'length' || key === 'width' || key === 'height' ? 0 : nothing;
  },
  set: () => true,
});

const context: Any = new Proxy(
  {},
  {
    get: (_, key) => {
      if (key === 'canvas') return { width: 100, height: 100 };
      if (key === 'measureText') return (text: unknown) => ({ width: 50 * String(text).length });
      return nothing;
    },
    set: () => true,
  },
);

const element = (): Any =>
  new Proxy(
    {},
    {
      get: (_, key) => {
        if (key === 'getContext') return () => context;
        if (key === 'getComputedTextLength') return () => 50;
        return key === 'offsetWidth' ? 50 : nothing;
      },
      set: () => true,
    },
  );

const later = (): number => 0;

Object.assign(globalThis, {
  document: { createElement: element, createElementNS: element, body: element(), querySelectorAll: () => [] },
  navigator: { userAgent: '' },
  console: { log: nothing, warn: nothing, error: nothing },
  window: globalThis,
  setTimeout: later,
  clearTimeout: later,
  requestAnimationFrame: later,
  // lottie-web then uses plain arrays: values keep their precision, and expressions can call all methods of arrays.
  Float32Array: undefined,
});

/**
 * Makes the globals of the sandbox constant, so that no expression changes the values of another, and removes the clock.
 * lottie-web needs both until it has loaded an animation.
 */
export function freezeGlobals(): void {
  // A constructor, which an arrow function is not.
  const noClock = function noClock(): never {
    throw new Error('Date is not supported: a template has the same frames at any time');
  };
  Object.assign(globalThis, { Date: Object.assign(noClock, { now: noClock, UTC: noClock, parse: noClock }) });
  const iterators = [[], new Map(), new Set(), ''].map((iterable: Any) =>
    Object.getPrototypeOf(iterable[Symbol.iterator]()),
  );
  const hidden = [...iterators, Object.getPrototypeOf(iterators[0]), Object.getPrototypeOf(function* () {})];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value: Any = (globalThis as Any)[name];
    if (value === globalThis || value === undefined) continue;
    Object.defineProperty(globalThis, name, { writable: false, configurable: false });
    if (Object(value) !== value || value === nothing) continue;
    Object.freeze(value);
    if (Object(value.prototype) === value.prototype && value.prototype !== nothing) hidden.push(value.prototype);
  }
  for (const value of hidden) Object.freeze(value);
}
