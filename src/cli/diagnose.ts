import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Diagnostic, ReelformError } from '../diagnostic.ts';
import { diagnosticsText } from '../report/terminal/diagnostics-text.ts';
import type { GlobalOptions } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';

/**
 * Where a command works.
 *
 * @throws ReelformError `config_missing` for a directory that is none
 */
export function directoryOf(options: GlobalOptions, io: Io): string {
  const directory = resolve(io.cwd, options.directory ?? '.');
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw new ReelformError('config_missing', `There is no folder ${directory}`, { hint: 'Look at what -C says' });
}

/** Tells people all diagnostics, with the lines they are about, on stderr. */
export function tellDiagnostics(
  diagnostics: readonly Diagnostic[],
  source: (file: string) => string | undefined,
  options: GlobalOptions,
  io: Io,
): void {
  if (diagnostics.length === 0) return;
  io.stderr.write(diagnosticsText(diagnostics, { source, color: wantsColor(io.stderr, io.env, options.color) }));
}
