import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { ReelformError } from '../kernel/diagnostic.ts';
import { isRecord, parseRecord } from '../kernel/json.ts';
import { temporaryFolder, tryToRemove } from '../kernel/temporary-folder.ts';
import { VERSION } from './global-options.ts';

/** The dependency of a new repository on this version of Reelform. */
export interface OwnPackage {
  /** The value of `dependencies.reelform`: an exact version, or `file:` and the path of the tarball. */
  readonly specifier: string;
  /** Integrity of the tarball that npm installs, in the format of package-lock.json. */
  readonly integrity: string;
  /** File of the new repository; null if the registry has this version. */
  readonly tarball: { readonly path: string; readonly content: Uint8Array } | null;
}

/** By folder. A package does not change while it runs. */
const packed = new Map<string, Promise<OwnPackage>>();

/**
 * Returns the dependency that `npm install` and `npm ci` of a new repository can resolve. Only npm's own record of an
 * installation shows that a registry has this version. From a clone, a tarball or an unknown source the running package is
 * packed into the new repository: a name in a registry that is not known to be ours could belong to anyone.
 *
 * @param root folder of the running package
 * @throws ReelformError `init_invalid` when npm cannot pack it
 */
export async function ownPackage(root: string): Promise<OwnPackage> {
  const integrity = registryIntegrity(root);
  if (integrity !== null) return { specifier: VERSION, integrity, tarball: null };
  const known = packed.get(root) ?? pack(root);
  packed.set(root, known);
  return known;
}

async function pack(root: string): Promise<OwnPackage> {
  const folder = temporaryFolder('reelform-pack-');
  try {
    const args = ['--ignore-scripts', '--workspaces=false', '--pack-destination', folder, root];
    await execa('npm', ['pack', ...args], { cwd: folder, stdin: 'ignore' });
    const path = `vendor/reelform-${VERSION}.tgz`;
    const content = readFileSync(join(folder, basename(path)));
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    return { specifier: `file:${path}`, integrity, tarball: { path, content } };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new ReelformError('init_invalid', `npm could not pack ${root}: ${reason}`, {
      hint: 'Reelform was not installed from a registry, so the new repository needs a package file: install npm',
      cause: error,
    });
  } finally {
    tryToRemove(folder);
  }
}

/** Returns the folder of the running package, for sources and for a build. */
export function packageRoot(folder = import.meta.dirname): string {
  const parent = dirname(folder);
  if (existsSync(join(folder, 'starter/templates/card/template.yaml'))) return folder;
  if (parent === folder) throw new Error('The folder "starter" of the reelform package is missing');
  return packageRoot(parent);
}

/**
 * Returns the text of package.json and package-lock.json. The lock holds the exact packages that this version was tested with,
 * so `npm ci` works from the first commit.
 */
export function packageTexts({ specifier, integrity, tarball }: OwnPackage): { manifest: string; lock: string } {
  const manifest = { private: true, scripts: { plan: 'reelform plan' }, dependencies: { reelform: specifier } };
  const root = packageRoot();
  const { version, license, bin, engines, ...fields } =
    parseRecord(readFileSync(join(root, 'package.json'), 'utf8')) ?? {};
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = fields;
  const needs = { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta };
  const resolved = tarball === null ? undefined : specifier;
  const packages = {
    ...parseRecord(readFileSync(join(root, 'dist/locked-packages.json'), 'utf8')),
    'node_modules/reelform': { version, resolved, integrity, license, bin, engines, ...needs },
  };
  const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
  const own = { dependencies: manifest.dependencies };
  const lock = { lockfileVersion: 3, requires: true, packages: { '': own, ...sorted } };
  return { manifest: `${JSON.stringify(manifest, null, 2)}\n`, lock: `${JSON.stringify(lock, null, 2)}\n` };
}

/** True if a package.json already depends on reelform. */
export function dependsOnReelform(manifest: string): boolean {
  const fields = parseRecord(manifest) ?? {};
  return ['dependencies', 'devDependencies'].some((name) => isRecord(fields[name]) && 'reelform' in fields[name]);
}

/**
 * Returns the integrity of the running package where npm recorded that it came from a registry, otherwise null.
 *
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#hidden-lockfiles
 */
function registryIntegrity(root: string): string | null {
  const hidden = join(dirname(root), '.package-lock.json');
  if (basename(dirname(root)) !== 'node_modules' || !existsSync(hidden)) return null;
  const { packages } = parseRecord(readFileSync(hidden, 'utf8')) ?? {};
  const entry = isRecord(packages) ? packages['node_modules/reelform'] : null;
  if (!isRecord(entry) || typeof entry.integrity !== 'string') return null;
  // npm omits the address of a registry, and no other, where `omit-lockfile-registry-resolved` is set.
  const { resolved, integrity } = entry;
  const isRegistry = resolved === undefined || /^https?:.*\/reelform\/-\/reelform-[^/]+\.tgz$/.test(String(resolved));
  return isRegistry ? integrity : null;
}
