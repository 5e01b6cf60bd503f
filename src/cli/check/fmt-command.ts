import { dirname, join, relative, resolve, sep } from 'node:path';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import { type Diagnostic, EXIT, errorAt, ReelformError, startOf } from '../../kernel/diagnostic.ts';
import { asCommitted } from '../../kernel/line-breaks.ts';
import { sweepUnfinished } from '../../kernel/replace-file.ts';
import { formatYaml } from '../../kernel/yaml/format-yaml.ts';
import { PROPERTY_ORDER, unreadable } from '../../reconciler/definition/definition-file.ts';
import { findDefinitions } from '../../reconciler/project/find-definitions.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { CONFIG_FILE, findRoot } from '../../reconciler/project/repository-layout.ts';
import { writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { fmtText } from '../../report/terminal/repository-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { loadDesiredState } from '../state/load-desired-state.ts';
import { withRunLock } from '../state/open-lock.ts';

interface FmtOptions extends GlobalOptions {
  readonly check?: boolean;
}

/** `reelform fmt [FILE…]`: formats definitions and reelform.yaml without changing their meaning. */
export async function fmtCommand(named: readonly string[], options: FmtOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
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
    const at = startOf(path);
    if (!/\.ya?ml$/.test(path)) {
      diagnostics.push(noYaml(path, at));
      return;
    }
    const read = files.text(path);
    const formatted = read.ok
      ? formatYaml(
          path,
          read.text,
          path === CONFIG_FILE ? { names: Object.keys(configSchema.properties) } : PROPERTY_ORDER,
        )
      : ({ ok: false, diagnostics: [unreadable(path, read.reason, at)] } as const);
    if (!formatted.ok) diagnostics.push(...formatted.diagnostics);
    else if (formatted.value.isKept) kept.push(path);
    else if (read.ok && formatted.value.text !== asCommitted(read.text)) {
      if (options.check !== true) await writeLinkedFile(join(root, path), formatted.value.text);
      changed.push(path);
    }
  };
  for (const path of paths) {
    try {
      await formatFile(path);
    } catch (error) {
      // An unreadable file does not stop the formatting of other files.
      if (!(error instanceof ReelformError)) unexpected.push(error);
      else diagnostics.push(errorAt(error.code, undefined, error.message, error.hint));
    }
  }
  printDiagnostics(diagnostics, files.source, options, io);
  const check = options.check === true;
  const result = { changed, kept, total: paths.length };
  const isDone = diagnostics.length === 0 && unexpected.length === 0;
  if (isDone || changed.length > 0 || kept.length > 0) {
    io.stdout.write(fmtText(result, { check, color: wantsColor(io.stdout, io.env, options.color) }));
  }
  if (unexpected.length > 0) throw unexpected[0];
  if (diagnostics.length > 0) return EXIT.error;
  return check && changed.length > 0 ? EXIT.changes : EXIT.ok;
}

/** Rejects JSON files: JSON is valid YAML, so files of another program would be reformatted without notice. */
function noYaml(path: string, at: Diagnostic['at']): Diagnostic {
  const message = `${JSON.stringify(path)} is not a definition: file names must end in .yaml or .yml`;
  return errorAt('definition_invalid', at, message, 'Name definitions, fragments or reelform.yaml');
}

/** Returns reelform.yaml, and every definition and fragment that its glob matches. */
async function allFiles(root: string): Promise<string[]> {
  const { config } = await loadDesiredState(root);
  const folders = [...config.templates.values()].flatMap((template) =>
    template.kind === 'package' ? [template.path] : [],
  );
  return [CONFIG_FILE, ...findDefinitions(root, config.videos, [CONFIG_FILE, ...folders]).paths];
}
