import { type Diagnostic, EXIT, hasErrors } from '../kernel/diagnostic.ts';
import { CONFIG_FILE } from '../reconciler/project/repository-layout.ts';
import { diagnosticsJson } from '../report/json/diagnostics-json.ts';
import { diagnosticsText } from '../report/terminal/diagnostics-text.ts';
import { errorReference } from './errors.ts';
import type { GlobalOptions, JsonOptions } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';

/** Returns the text of a file for code frames, or undefined if it cannot be read. */
type SourceLookup = (file: string) => string | undefined;

/** Prints diagnostics on stderr, each with the lines that it points to. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  source: SourceLookup,
  options: GlobalOptions,
  io: Io,
): void {
  if (diagnostics.length === 0) return;
  const color = wantsColor(io.stderr, io.env, options.color);
  io.stderr.write(diagnosticsText(diagnostics, { source, color, reference: errorReference(io) }));
}

/** Prints the errors of reelform.yaml, for commands that read no definitions. @returns whether there are any */
export function printConfigErrors(
  { diagnostics, source }: { readonly diagnostics: readonly Diagnostic[]; readonly source: SourceLookup },
  options: GlobalOptions,
  io: Io,
): boolean {
  const errors = diagnostics.filter(({ at, severity }) => at?.file === CONFIG_FILE && severity === 'error');
  printDiagnostics(errors, source, options, io);
  return errors.length > 0;
}

/** Prints the JSON document of a command that was called with `--json`. */
export function printJson(document: object, io: Io): void {
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

/** Prints the result of a command: as a JSON document with `--json`, otherwise as a text. */
export function printResult(
  document: object,
  text: (style: { readonly color: boolean }) => string,
  options: JsonOptions,
  io: Io,
): void {
  if (options.json === true) printJson(document, io);
  else io.stdout.write(text(stdoutStyle(options, io)));
}

/** Returns how reports on stdout are styled. */
export function stdoutStyle(options: GlobalOptions, io: Io): { readonly color: boolean } {
  return { color: wantsColor(io.stdout, io.env, options.color) };
}

/**
 * Prints the result of a command that checks files: a JSON document, or diagnostics and, without an error, a text.
 *
 * @param result.videos number of checked videos, for the document
 * @param result.fields further fields of the document
 * @param result.invalidText text after errors; none by default
 * @returns the exit status
 */
export function printCheckResult(
  result: {
    readonly diagnostics: readonly Diagnostic[];
    readonly source: SourceLookup;
    readonly videos: number;
    readonly fields?: object;
    validText(): string;
    invalidText?(): string;
  },
  options: JsonOptions,
  io: Io,
): number {
  const { diagnostics, source, videos, fields } = result;
  const valid = !hasErrors(diagnostics);
  if (options.json === true) {
    const found = diagnosticsJson(diagnostics, source);
    printJson({ format_version: '1.0', valid, videos, ...fields, diagnostics: found }, io);
  } else {
    printDiagnostics(diagnostics, source, options, io);
    io.stdout.write(valid ? result.validText() : (result.invalidText?.() ?? ''));
  }
  return valid ? EXIT.ok : EXIT.error;
}
