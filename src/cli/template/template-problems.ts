import type { FontWeight } from '../../engine/inspect/inspect-package.ts';
import { type Diagnostic, hasErrors, ReelformError } from '../../kernel/diagnostic.ts';
import { unknownTemplate } from '../../reconciler/definition/read-scene.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { CONFIG_FILE } from '../../reconciler/project/repository-layout.ts';
import type { UnusableFont } from '../../report/wording/package-diagnostic.ts';
import { sandboxFromEnvironment } from '../../service/sandbox/sandbox.ts';
import { TaskKilled } from '../../service/sessions/processes/tasks.ts';
import { settingsIn } from '../../template/font-settings.ts';
import type { FontUse } from '../../template/font-uses.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';

/**
 * Opens fonts with their settings. Each is decompressed and opened in a sandboxed process, as for rendering; a process
 * that a font ends is replaced.
 */
export async function openFonts(
  uses: Iterable<FontUse>,
  io: Io,
): Promise<{ readonly weights: ReadonlyMap<string, FontWeight>; readonly unusable: readonly UnusableFont[] }> {
  const open =
    io.createRenderPool ?? (await import('../../service/sessions/processes/render-pool.ts')).createRenderPool;
  const processes = open({ size: 1, sandbox: sandboxFromEnvironment(io.env) });
  const weights = new Map<string, FontWeight>();
  const unusable: UnusableFont[] = [];
  try {
    for (const use of uses) {
      const { path, bytes, at } = use;
      const name = at === null ? path.replace(/^.*\//, '') : use.name;
      const opened = await processes.run('font', { ...settingsIn(use), name }, { bytes }).catch((error: unknown) => {
        if (!(error instanceof TaskKilled)) throw error;
        // A slow machine is no fault of the font.
        if (error.reason === 'time')
          throw new ReelformError('lint_failed', `${path} could not be checked in time`, { cause: error });
        return { problem: 'Reading the font crashes the process or takes too much memory' };
      });
      if (opened.problem === null) weights.set(use.name, weights.get(use.name) ?? opened);
      else unusable.push({ path, problem: opened.problem, at });
    }
    return { weights, unusable };
  } finally {
    await processes.close();
  }
}

/**
 * Prints the problems that stop a command which only uses templates: those of the configuration and of template packages, and
 * unknown names. Errors in definitions and outdated files below `schemas/` do not stop it.
 *
 * @param names templates that the command line names
 * @param known templates that it may name; all of the configuration when absent
 * @returns whether none of the problems is an error
 */
export function areTemplatesUsable(
  { config, diagnostics, source }: Project,
  names: readonly string[],
  options: GlobalOptions,
  io: Io,
  known: readonly string[] = [...config.templates.keys()],
): boolean {
  const unknown = names.filter((name) => !known.includes(name)).map((name) => unknownTemplate(name, known));
  const problems = [...diagnostics.filter(isAboutTemplates), ...unknown];
  printDiagnostics(problems, source, options, io);
  return !hasErrors(problems);
}

function isAboutTemplates({ code, at }: Diagnostic): boolean {
  if (code === 'schema_outdated' || code === 'spec_missing' || code === 'no_videos') return false;
  return code === 'template_invalid' || at === undefined || at.file === CONFIG_FILE;
}
