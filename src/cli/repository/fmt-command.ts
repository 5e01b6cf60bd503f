import { dirname, join, relative, resolve, sep } from 'node:path';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import { PROPERTY_ORDER, unreadable } from '../../definition/definition-file.ts';
import { type Diagnostic, EXIT, ReelformError } from '../../diagnostic.ts';
import { findDefinitions } from '../../project/find-definitions.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { CONFIG_FILE, findRoot } from '../../project/repository-layout.ts';
import { writeLinkedFile } from '../../project/write-file.ts';
import { sweepUnfinished } from '../../replace-file.ts';
import { fmtText } from '../../report/terminal/repository-text.ts';
import { formatYaml } from '../../yaml/format-yaml.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { withRunLock } from '../lock/with-run-lock.ts';
import { openDesired } from '../plan/open-desired.ts';

export interface FmtOptions extends GlobalOptions {
  readonly check?: boolean;
}

/** `reelform fmt [FILE…]`: definitions and reelform.yaml in one form, with the meaning that they have. */
export async function fmtCommand(named: readonly string[], options: FmtOptions, io: Io): Promise<number> {
  const directory = directoryOf(options, io);
  const root = findRoot(directory);
  if (options.check === true) return format(root, directory, named, options, io);
  return withRunLock(root, io, () => format(root, directory, named, options, io));
}

async function format(
  root: string,
  directory: string,
  named: readonly string[],
  options: FmtOptions,
  io: Io,
): Promise<number> {
  const files = new RepositoryFiles(root);
  const paths =
    named.length > 0
      ? named.map((name) => relative(root, resolve(directory, name)).replaceAll(sep, '/'))
      : await allFiles(root);
  if (options.check !== true) {
    for (const folder of new Set(paths.map((path) => dirname(path))))
      await sweepUnfinished(join(root, folder), io.now());
  }
  const changed: string[] = [];
  const kept: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const unexpected: unknown[] = [];
  const formatFile = async (path: string): Promise<void> => {
    const at = { file: path, start: 0, end: 0 };
    if (!/\.ya?ml$/.test(path)) {
      diagnostics.push(noYaml(path, at));
      return;
    }
    const read = files.text(path);
    const formatted = read.ok
      ? formatYaml(path, read.text, path === CONFIG_FILE ? Object.keys(configSchema.properties) : PROPERTY_ORDER)
      : ({ ok: false, diagnostics: [unreadable(path, read.reason, at)] } as const);
    if (!formatted.ok) diagnostics.push(...formatted.diagnostics);
    else if (formatted.value.isKept) kept.push(path);
    else if (read.ok && formatted.value.text !== read.text) {
      if (options.check !== true) await writeLinkedFile(join(root, path), formatted.value.text);
      changed.push(path);
    }
  };
  for (const path of paths) {
    try {
      await formatFile(path);
    } catch (error) {
      // One file that cannot be written, or formatted, keeps no other from it.
      if (!(error instanceof ReelformError)) unexpected.push(error);
      else diagnostics.push({ code: error.code, severity: 'error', message: error.message, hint: error.hint });
    }
  }
  tellDiagnostics(diagnostics, files.source, options, io);
  const check = options.check === true;
  const told = { changed, kept, total: paths.length };
  const isDone = diagnostics.length === 0 && unexpected.length === 0;
  if (isDone || changed.length > 0 || kept.length > 0) {
    io.stdout.write(fmtText(told, { check, color: wantsColor(io.stdout, io.env, options.color) }));
  }
  if (unexpected.length > 0) throw unexpected[0];
  if (diagnostics.length > 0) return EXIT.error;
  return check && changed.length > 0 ? EXIT.changes : EXIT.ok;
}

/** JSON is YAML, too: what another program wrote would be laid out anew without a word. */
function noYaml(path: string, at: Diagnostic['at']): Diagnostic {
  return {
    code: 'definition_invalid',
    severity: 'error',
    message: `${JSON.stringify(path)} is no definition: their names end in .yaml or .yml`,
    hint: 'Name definitions, parts of them, or reelform.yaml',
    ...(at !== undefined && { at }),
  };
}

/** reelform.yaml, and every definition and part that its glob finds. */
async function allFiles(root: string): Promise<string[]> {
  const { config } = await openDesired(root);
  const folders = [...config.templates.values()].flatMap((one) => (one.kind === 'package' ? [one.path] : []));
  return [CONFIG_FILE, ...findDefinitions(root, config.videos, [CONFIG_FILE, ...folders]).paths];
}
