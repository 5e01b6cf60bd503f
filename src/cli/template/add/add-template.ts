import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { RenderError } from '../../../engine/render-error.ts';
import { EXIT, ReelformError, startOf } from '../../../kernel/diagnostic.ts';
import { type Config, DEFAULT_CONFIG } from '../../../reconciler/project/config.ts';
import { CONFIG_FILE, findRoot, OTHER_CONFIG_FILE } from '../../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../../reconciler/project/write-file.ts';
import { type AddedTemplate, addedJson, addedText } from '../../../report/terminal/template-text.ts';
import { undrawableText } from '../../../report/wording/package-diagnostic.ts';
import { SessionFailure } from '../../../service/sessions/ports.ts';
import { type GlobalOptions, workingDirectory } from '../../global-options.ts';
import type { Io } from '../../io.ts';
import { printConfigErrors, printDiagnostics, printResult } from '../../output.ts';
import type { CommandPool } from '../../render/command-pool.ts';
import { drawLook, looksFolder, writeLook } from '../write-look.ts';
import { parseBackground } from './add-questions.ts';
import { openOrigin } from './open-origin.ts';
import { type PreparedTemplate, prepareTemplate, type Target, type TemplateAddOptions } from './prepare-template.ts';
import { createConfig, registerTemplate } from './register-template.ts';

/** Makes and registers a template, and prints what was added. @param processes draw what is compared and the contact sheet */
export async function addTemplate(
  named: string,
  options: TemplateAddOptions,
  processes: CommandPool,
  io: Io,
): Promise<number> {
  const directory = workingDirectory(options, io);
  const background = options.background === undefined ? undefined : parseBackground(options.background);
  const root = rootOr(directory);
  const isNew = !existsSync(join(root, CONFIG_FILE));
  const config = isNew ? null : await readConfig(root, options, io);
  if (config === null && !isNew) return EXIT.error;
  const target = { root, directory, config, background };
  const origin = await openOrigin(named, directory, root).catch((error: unknown) => {
    if (!(error instanceof SessionFailure)) throw error;
    throw new ReelformError('missing_file', error.message, { cause: error });
  });
  const pool = await processes.open();
  const prepared = await prepareTemplate(origin, target, options, { io, pool });
  if (!prepared.ok) {
    const at = startOf(named);
    const found = prepared.diagnostics.map((diagnostic) => ({ ...diagnostic, at: diagnostic.at ?? at }));
    printDiagnostics(found, () => undefined, options, io);
    return EXIT.error;
  }
  const report = await writeTemplate(prepared.value, target, processes);
  printResult(addedJson(report), (style) => addedText(report, style), options, io);
  return EXIT.ok;
}

/** Writes and registers a package, and draws its contact sheet. */
async function writeTemplate(
  { added, files, built, furtherAnimations }: PreparedTemplate,
  { root, config }: Target,
  processes: CommandPool,
): Promise<AddedTemplate> {
  // Drawn while files are written and the template is registered, which come first even if it cannot be drawn.
  const look = processes.open().then((pool) => drawLook(added.template, pool));
  look.catch(() => undefined);
  for (const [path, bytes] of files) await writeFileAtomic(join(root, added.folder, path), bytes);
  const created = config === null ? await createConfig(root) : [];
  const { definition, themes, written } = await registerTemplate(root, added, config ?? DEFAULT_CONFIG);
  return {
    name: added.name,
    folder: added.folder,
    template: added.template,
    definition,
    themes,
    furtherAnimations,
    sheet: await writeSheet(added.name, look, root, processes),
    written: [...new Set([...created, ...written])],
    created: built?.created ?? null,
    fonts: built?.fonts ?? [],
    background: built?.background ?? null,
    isTransparent: built?.isTransparent ?? false,
    text: built?.text ?? null,
    placeholders: built?.placeholders ?? [],
  };
}

/** Writes the contact sheet of a new template. @returns its path, repository-relative */
async function writeSheet(
  name: string,
  look: ReturnType<typeof drawLook>,
  root: string,
  processes: CommandPool,
): Promise<string> {
  try {
    const drawn = await look;
    // The processes end while the files are written; the caller waits for it.
    processes.close().catch(() => undefined);
    const { image } = await writeLook(name, drawn, looksFolder(root));
    return relative(root, image).split(sep).join('/');
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const message = `The template was added, but its contact sheet cannot be drawn: ${undrawableText(error)}`;
    throw new ReelformError('template_invalid', message, {
      hint: `Run reelform template look ${name} once that is solved`,
      cause: error,
    });
  }
}

/** Returns the root of the repository, or the working directory if there is none yet. */
function rootOr(directory: string): string {
  try {
    return findRoot(directory);
  } catch (error) {
    const hasOther = existsSync(join(directory, OTHER_CONFIG_FILE));
    if (error instanceof ReelformError && error.code === 'config_missing' && !hasOther) return directory;
    throw error;
  }
}

/** Null if the configuration has errors, which are printed. */
async function readConfig(root: string, options: GlobalOptions, io: Io): Promise<Config | null> {
  const { loadProject } = await import('../../../reconciler/project/load-project.ts');
  const project = await loadProject({ cwd: root });
  return printConfigErrors(project, options, io) ? null : project.config;
}
