import { resolve } from 'node:path';
import type { Diagnostic } from '../diagnostic.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import type { GlobalOptions } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';

/** Where a command works. */
export function directoryOf(options: GlobalOptions, io: Io): string {
  return resolve(io.cwd, options.directory ?? '.');
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
