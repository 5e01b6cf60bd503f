import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { readSettings, redactSettings } from '../../server/settings/read-settings.ts';
import type { Settings } from '../../server/settings/settings-table.ts';
import { renderCapacity } from '../../session/processes/render-pool.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';

const SETTINGS_FILE = 'reelform-server.yaml';

/** What a command line says about settings. */
export interface SettingsFlags extends GlobalOptions {
  /** The file of settings. */
  readonly config?: string;
}

/**
 * The settings of the server that belongs to a folder. EDGE.
 *
 * @param flags flag → what stood behind it
 * @returns `root`: of the repository around the folder, where there is one; null, and what is wrong has been told
 */
export async function openSettings(
  options: SettingsFlags,
  flags: ReadonlyMap<string, readonly string[]>,
  io: Io,
): Promise<{ readonly settings: Settings; readonly root: string | null } | null> {
  const cwd = directoryOf(options, io);
  const root = rootAround(cwd);
  const directory = root ?? cwd;
  const file = await openFile(options.config === undefined ? null : resolve(cwd, options.config), directory, cwd);
  const machine = { directory, capacity: renderCapacity() };
  const settings = readSettings({ flags, env: io.env, file, cwd, machine });
  if (settings.ok) return { settings: settings.value, root };
  tellDiagnostics(
    settings.diagnostics,
    (name) => (name === file?.name ? redactSettings(name, file.text) : undefined),
    options,
    io,
  );
  return null;
}

function rootAround(cwd: string): string | null {
  try {
    return findRoot(cwd);
  } catch (error) {
    if (error instanceof ReelformError && error.code === 'config_missing') return null;
    throw error;
  }
}

async function openFile(
  named: string | null,
  directory: string,
  cwd: string,
): Promise<{ name: string; text: string; directory: string } | null> {
  const path = named ?? join(directory, SETTINGS_FILE);
  // Only a file that somebody named has to be there.
  if (named === null && !existsSync(path)) return null;
  return { name: relative(cwd, path), text: await readFile(path, 'utf8'), directory: dirname(path) };
}
