import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import packageJson from '../../package.json' with { type: 'json' };
import { type Code, ReelformError } from './diagnostic.ts';

/** A published package that an installation may lack. */
type OptionalPackage = 'engine' | 'server';

interface PackageFacts {
  readonly code: Code;
  /** Subject of the message. */
  readonly needs: string;
  /** A dependency that only this package brings. */
  readonly dependency: string;
  /** Also corrects an npm that is configured to omit optional packages. */
  readonly flags: string;
}

const PACKAGES: { readonly [Name in OptionalPackage]: PackageFacts } = {
  engine: {
    code: 'engine_missing',
    needs: 'Rendering, lint, previews and checks of templates need',
    dependency: '@napi-rs/canvas',
    flags: '--include=optional ',
  },
  server: {
    code: 'server_missing',
    needs: 'The commands serve, worker and token need',
    dependency: 'fastify',
    flags: '',
  },
};

/**
 * Loads code that imports the dependencies of an optional package.
 *
 * @param load imports the code dynamically
 * @throws ReelformError `engine_missing`, `server_missing`
 */
export async function loadWith<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
  requirePackage(name);
  try {
    return await load();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw packageError(name, `is incomplete: ${error.message.split('\n')[0]}`, error);
  }
}

/** @throws ReelformError `engine_missing`, `server_missing` */
export function requirePackage(name: OptionalPackage): void {
  const error = missingPackage(name);
  if (error !== null) throw error;
}

/**
 * Returns the path of the main file of a dependency that only the engine's package brings, and that is no module. EDGE.
 *
 * @throws ReelformError `engine_missing`
 */
export function engineFile(dependency: string): string {
  requirePackage('engine');
  const entry = createRequire(import.meta.url).resolve(`#engine/${PACKAGES.engine.dependency}`);
  try {
    return createRequire(entry).resolve(dependency);
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw packageError('engine', `is incomplete: ${dependency} is missing`, error);
  }
}

/** Returns the error that reports an optional package as missing or incomplete; null if it is installed. Loads no code of it. EDGE. */
export function missingPackage(name: OptionalPackage): ReelformError | null {
  const { dependency } = PACKAGES[name];
  try {
    // `imports` of package.json maps it to the package, and in a checkout to the dependency itself.
    const entry = createRequire(import.meta.url).resolve(`#${name}/${dependency}`);
    if (name === 'server' || hasNativeCode(dependency, entry)) return null;
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    return packageError(name, 'is not installed', error);
  }
  return packageError(name, `is incomplete: ${dependency} has no native code for ${platform} ${arch}`);
}

/** True if an optional package with native code for this platform is installed beside a dependency. */
function hasNativeCode(dependency: string, entry: string): boolean {
  const manifest = createRequire(entry).resolve(`${dependency}/package.json`);
  const near = createRequire(manifest);
  const { optionalDependencies } = near(manifest) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const names = Object.keys(optionalDependencies).filter((name) => name.includes(`${platform}-${arch}`));
  return names.some((name) => {
    try {
      near.resolve(name);
      return true;
    } catch {
      return false;
    }
  });
}

function packageError(name: OptionalPackage, problem: string, cause?: unknown): ReelformError {
  const { code, needs, flags } = PACKAGES[name];
  return new ReelformError(code, `${needs} the package @reelform/${name}, which ${problem}`, {
    hint: `Run npm install ${flags}@reelform/${name}@${packageJson.version}`,
    cause,
  });
}

function isMissingModule(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
