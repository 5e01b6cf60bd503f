import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { epochNames } from '../engine/render-epoch.ts';
import { ReelformError } from '../kernel/diagnostic.ts';
import { findRoot } from '../reconciler/project/repository-layout.ts';
import type { Io } from './io.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly directory?: string;
  readonly color: boolean;
}

/** The options of a command that prints one JSON document with `--json`. */
export interface JsonOptions extends GlobalOptions {
  readonly json?: boolean;
}

declare const REELFORM_BUILD: string | undefined;

/** Digest of the files that the program was built from; null when it runs from its sources. */
export const BUILD = typeof REELFORM_BUILD === 'undefined' ? null : REELFORM_BUILD;

export const VERSION = packageJson.version;

/** Returns the key of caches that only this program and user may use: another user may be unable to read the same files. */
export function cacheKey(): string {
  return JSON.stringify([VERSION, BUILD, epochNames(), user()]);
}

function user(): number | string {
  try {
    return userInfo().uid;
  } catch {
    return 'unnamed';
  }
}

/**
 * Returns the absolute path of the directory that a command works in.
 *
 * @throws ReelformError `config_missing` if it is not a directory
 */
export function workingDirectory(options: GlobalOptions, io: Io): string {
  const directory = resolve(io.cwd, options.directory ?? '.');
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new ReelformError('config_missing', `The folder ${directory} does not exist`, { hint: 'Check the option -C' });
}

/** Returns the absolute root of the repository that a command works in, or null if there is none. */
export function repositoryRoot(options: GlobalOptions, io: Io): string | null {
  try {
    return findRoot(workingDirectory(options, io));
  } catch (error) {
    if (error instanceof ReelformError) return null;
    throw error;
  }
}

/**
 * Rejects options that exclude another option.
 *
 * @param option the other option, as it is typed
 * @param flags property of `options` → flag as it is typed
 * @throws ReelformError `options_conflict`, which names all of them
 */
export function rejectConflictingOptions(
  option: string,
  options: object,
  flags: Readonly<Record<string, string>>,
): void {
  const conflicts = Object.entries(flags).flatMap(([name, flag]) => {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    return value === undefined || value === false ? [] : [flag];
  });
  if (conflicts.length === 0) return;
  throw new ReelformError('options_conflict', `${option} cannot be combined with ${conflicts.join(', ')}`, {
    hint: 'Remove one of these options',
  });
}
