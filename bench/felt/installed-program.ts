import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PACKAGES = { reelform: 'reelform', '@reelform/engine': 'engine' };

/**
 * Installs the packages that the build of a checkout wrote, as `npm install` from a registry does. Dependencies of the engine
 * for other platforms are left out.
 *
 * @param tree folder of a built checkout
 * @param folder new folder; absolute
 * @returns path of the program
 */
export function installProgram(tree: string, folder: string): string {
  const packages = join(resolve(tree), 'packages');
  if (!existsSync(packages)) throw new Error(`${tree} has no folder packages: run npm run build there`);
  const modules = join(folder, 'node_modules');
  for (const [name, source] of Object.entries(PACKAGES)) {
    cpSync(join(packages, source), join(modules, name), { recursive: true });
  }
  // Copies, because sandboxed render processes may not follow links to another folder.
  const locked = JSON.parse(readFileSync(join(resolve(tree), 'dist/locked-packages.json'), 'utf8')) as object;
  for (const path of Object.keys(locked)) {
    const [source, target] = [join(resolve(tree), path), join(folder, path)];
    if (existsSync(source) && !existsSync(target)) cpSync(source, target, { recursive: true });
  }
  // npm's record of an installation from a registry. Without it `init` packs the running packages.
  const entries = Object.keys(PACKAGES).map((name) => [`node_modules/${name}`, { integrity: 'sha512-bench' }]);
  writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(entries) }));
  return join(modules, 'reelform/dist/cli/main.js');
}
