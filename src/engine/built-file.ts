/**
 * The URL of a built file below `dist/`, for threads and processes that are started from one. `moduleUrl` is the caller's
 * `import.meta.url`: a chunk or entry below the package's `dist/`, or a source below its `src/` when tests run unbuilt
 * code beside a built `dist/`.
 *
 * @param path relative to `dist/`, such as `engine/raster/raster-worker.js`
 */
export function builtFile(moduleUrl: string, path: string): URL {
  const root = /^(.*\/)(?:dist|src)\//.exec(moduleUrl)?.[1];
  if (root === undefined) throw new Error(`Internal error: ${moduleUrl} is neither in dist/ nor in src/`);
  return new URL(`dist/${path}`, root);
}
