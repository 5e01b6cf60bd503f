/**
 * Returns the URL of a file below `dist/` that a thread or process is started from.
 *
 * @param moduleUrl the caller's `import.meta.url`, below `dist/`, or below `src/` when tests run unbuilt code
 * @param path relative to `dist/`, such as `engine/threads/raster-worker.js`
 */
export function builtFile(moduleUrl: string, path: string): URL {
  const root = /^(.*\/)(?:dist|src)\//.exec(moduleUrl)?.[1];
  if (root === undefined) throw new Error(`Internal error: ${moduleUrl} is neither in dist/ nor in src/`);
  return new URL(`dist/${path}`, root);
}
