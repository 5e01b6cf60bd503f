import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Returns the URL of a file below `dist/` that a thread or process is started from.
 *
 * @param moduleUrl the caller's `import.meta.url`, below `dist/`, or below `src/` when tests run unbuilt code
 * @param path relative to `dist/`, such as `engine/threads/raster-worker.cjs`
 */
export function builtFile(moduleUrl: string, path: string): URL {
  return new URL(`dist/${path}`, rootOf(moduleUrl));
}

/**
 * Returns the path of a file that is no code and that only rendering needs: published, it belongs to the package
 * @reelform/engine; a checkout has it itself.
 *
 * @param moduleUrl as for `builtFile`
 * @param published relative to @reelform/engine
 * @param checkout relative to the checkout
 */
export function engineAsset(moduleUrl: string, published: string, checkout = published): string {
  try {
    return createRequire(moduleUrl).resolve(`#engine/${published}`);
  } catch {
    return fileURLToPath(new URL(checkout, rootOf(moduleUrl)));
  }
}

/** Returns the path of the code that runs expressions: the bundle of `src/template/expressions/player.ts`. */
export function expressionPlayer(moduleUrl: string): string {
  return engineAsset(moduleUrl, 'expressions/player.js', 'dist/template/expressions/player.js');
}

function rootOf(moduleUrl: string): string {
  const root = /^(.*\/)(?:dist|src)\//.exec(moduleUrl)?.[1];
  if (root === undefined) throw new Error(`Internal error: ${moduleUrl} is neither in dist/ nor in src/`);
  return root;
}
