/** Packages that only rendering needs. The other run-time dependencies are those of the server. */
const ENGINE = /^(?:@jitl\/|@napi-rs\/canvas|@seydx\/|harfbuzzjs|koffi|quickjs-emscripten-core|wawoff2)/;

/** The published package that brings a run-time dependency. */
export function groupOf(name) {
  return ENGINE.test(name) ? 'engine' : 'server';
}
