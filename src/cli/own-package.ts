import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { ReelformError } from '../kernel/diagnostic.ts';
import { isRecord, parseRecord } from '../kernel/json.ts';
import { temporaryFolder, tryToRemove } from '../kernel/temporary-folder.ts';
import { VERSION } from './global-options.ts';

/** A package that a new repository depends on. */
export interface PublishedPackage {
  readonly name: 'reelform' | '@reelform/engine';
  /** Value in `dependencies`: an exact version, or `file:` and the path of the tarball. */
  readonly specifier: string;
  /** Integrity of the tarball that npm installs, in the format of package-lock.json; null if unknown. */
  readonly integrity: string | null;
  /** File of the new repository; null if the registry has this version. */
  readonly tarball: { readonly path: string; readonly content: Uint8Array } | null;
}

/** By folder. A package does not change while it runs. */
const packed = new Map<string, Promise<PublishedPackage[]>>();

/**
 * Returns the dependencies that `npm install` and `npm ci` of a new repository can resolve: reelform, and the engine if it is
 * installed here. Only npm's own record of an installation shows that a registry has this version. From a clone, a tarball or
 * an unknown source the running packages are packed into the new repository: a name in a registry that is not known to be ours
 * could belong to anyone.
 *
 * @param root folder of the running package
 * @throws ReelformError `init_invalid` when npm cannot pack them
 */
export async function ownPackages(root: string): Promise<PublishedPackage[]> {
  const folder = publishedFolder(root);
  const engine = engineFolder(root);
  const integrity = registryIntegrity(folder, 'reelform');
  if (integrity !== null) {
    const fromRegistry = { specifier: VERSION, tarball: null };
    const ofEngine = engine === null ? null : registryIntegrity(engine, '@reelform/engine');
    return [
      { name: 'reelform', integrity, ...fromRegistry },
      { name: '@reelform/engine', integrity: ofEngine, ...fromRegistry },
    ];
  }
  const packing = packed.get(root) ?? packBoth(folder, engine);
  packed.set(root, packing);
  return packing;
}

/** Packs both in one process of npm, which takes longer to start than to pack. */
async function packBoth(program: string, engine: string | null): Promise<PublishedPackage[]> {
  const sources: [PublishedPackage['name'], string][] = [
    ['reelform', program],
    ...(engine === null ? [] : [['@reelform/engine', engine] as [PublishedPackage['name'], string]]),
  ];
  // Programs that were installed from a registry are not packed.
  const { execa } = await import('execa');
  const folder = temporaryFolder('reelform-pack-');
  try {
    const args = ['--ignore-scripts', '--workspaces=false', '--pack-destination', folder];
    await execa('npm', ['pack', ...args, ...sources.map(([, source]) => source)], { cwd: folder, stdin: 'ignore' });
    return sources.map(([name]) => packedPackage(name, folder));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const named = sources.map(([, source]) => source).join(' and ');
    throw new ReelformError('init_invalid', `npm could not pack ${named}: ${reason}`, {
      hint: 'Reelform was not installed from a registry, so the new repository needs a package file: install npm',
      cause: error,
    });
  } finally {
    tryToRemove(folder);
  }
}

/** Reads the tarball that npm wrote to a folder. */
function packedPackage(name: PublishedPackage['name'], folder: string): PublishedPackage {
  const path = `vendor/${name.replace('@', '').replace('/', '-')}-${VERSION}.tgz`;
  const content = readFileSync(join(folder, basename(path)));
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
  return { name, specifier: `file:${path}`, integrity, tarball: { path, content } };
}

/** Returns the folder that is published: the running package, or the package that the build of a clone wrote. */
function publishedFolder(root: string): string {
  const built = join(root, 'packages/reelform');
  return existsSync(join(built, 'package.json')) ? built : root;
}

/** Returns the folder of @reelform/engine; null if it is not installed. */
function engineFolder(root: string): string | null {
  const built = join(root, 'packages/engine');
  if (existsSync(join(built, 'package.json'))) return built;
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve('@reelform/engine/package.json'));
  } catch {
    return null;
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
export function packageTexts(packages: readonly PublishedPackage[]): { manifest: string; lock: string } {
  const [program, engine] = packages;
  const isPacked = program!.tarball !== null;
  const needs = {
    dependencies: { reelform: program!.specifier },
    // The registry's reelform brings its engine.
    optionalDependencies: isPacked && engine !== undefined ? { [engine.name]: engine.specifier } : undefined,
  };
  const root = packageRoot();
  const { version, license, bin, engines, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    parseRecord(readFileSync(join(publishedFolder(root), 'package.json'), 'utf8')) ?? {};
  const sourceOf = ({ specifier, integrity, tarball }: PublishedPackage) => ({
    resolved: tarball === null ? undefined : specifier,
    integrity: integrity ?? undefined,
  });
  const { 'node_modules/@reelform/engine': engineEntry, ...locked } =
    parseRecord(readFileSync(join(root, 'dist/locked-packages.json'), 'utf8')) ?? {};
  const entries = {
    'node_modules/reelform': {
      version,
      ...sourceOf(program!),
      license,
      bin,
      engines,
      optionalDependencies,
      peerDependencies,
      peerDependenciesMeta,
    },
    ...(engine !== undefined && {
      ...locked,
      'node_modules/@reelform/engine': { ...(engineEntry as object), ...sourceOf(engine) },
    }),
  };
  const sorted = Object.fromEntries(Object.entries(entries).sort(([a], [b]) => a.localeCompare(b, 'en')));
  const lock = { lockfileVersion: 3, requires: true, packages: { '': needs, ...sorted } };
  const manifest = { private: true, scripts: { plan: 'reelform plan' }, ...needs };
  return { manifest: `${JSON.stringify(manifest, null, 2)}\n`, lock: `${JSON.stringify(lock, null, 2)}\n` };
}

/** True if a package.json already depends on reelform. */
export function dependsOnReelform(manifest: string): boolean {
  const fields = parseRecord(manifest) ?? {};
  return ['dependencies', 'devDependencies'].some((name) => isRecord(fields[name]) && 'reelform' in fields[name]);
}

/**
 * Returns the integrity of an installed package where npm recorded that it came from a registry, otherwise null.
 *
 * @see https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#hidden-lockfiles
 */
function registryIntegrity(folder: string, name: PublishedPackage['name']): string | null {
  const modules = join(folder, ...name.split('/').map(() => '..'));
  const hidden = join(modules, '.package-lock.json');
  if (basename(modules) !== 'node_modules' || !existsSync(hidden)) return null;
  const { packages } = parseRecord(readFileSync(hidden, 'utf8')) ?? {};
  const entry = isRecord(packages) ? packages[`node_modules/${name}`] : null;
  if (!isRecord(entry) || typeof entry.integrity !== 'string') return null;
  // npm omits the address of a registry, and no other, where `omit-lockfile-registry-resolved` is set.
  const { resolved, integrity } = entry;
  const address = decodeURIComponent(String(resolved));
  const isRegistry =
    resolved === undefined || (/^https?:/.test(address) && address.includes(`/${name}/-/${basename(name)}-`));
  return isRegistry ? integrity : null;
}
