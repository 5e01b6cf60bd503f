import { relative, resolve } from 'node:path';
import { RenderError } from '../../engine/render-error.ts';
import { type Diagnostic, EXIT, errorAt, startOf } from '../../kernel/diagnostic.ts';
import { loadProject } from '../../reconciler/project/load-project.ts';
import { type DrawnLook, lookText } from '../../report/terminal/template-text.ts';
import { undrawableText } from '../../report/wording/package-diagnostic.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { openCommandPool } from '../render/open-pool.ts';
import { areTemplatesUsable } from './template-problems.ts';
import { drawLook, looksFolder, writeLook } from './write-look.ts';

interface TemplateLookOptions extends JsonOptions {
  /** Folder for the sheets. */
  readonly out?: string;
}

/**
 * `reelform template look [TEMPLATE…]`: draws the stills of templates with sample values on contact sheets, as PNG and as a
 * page.
 */
export async function templateLookCommand(
  names: readonly string[],
  options: TemplateLookOptions,
  io: Io,
): Promise<number> {
  const directory = workingDirectory(options, io);
  const project = await loadProject({ cwd: directory });
  const packages = new Map(
    [...project.templates].flatMap(([name, template]) => (template.package === null ? [] : [[name, template.package]])),
  );
  if (!areTemplatesUsable(project, names, options, io, [...packages.keys()])) return EXIT.error;
  const folder = options.out === undefined ? looksFolder(project.root) : resolve(directory, options.out);
  const pool = openCommandPool(io, project.config.encoder);
  const looks: DrawnLook[] = [];
  const problems: Diagnostic[] = [];
  try {
    for (const name of names.length > 0 ? names : [...packages.keys()].sort()) {
      const template = packages.get(name)!;
      try {
        const drawn = await writeLook(name, await drawLook(template, pool), folder);
        looks.push({ ...drawn, image: relative(io.cwd, drawn.image), page: relative(io.cwd, drawn.page) });
      } catch (error) {
        if (!(error instanceof RenderError)) throw error;
        problems.push(errorAt('template_invalid', startOf(`${template.folder}/animation.json`), undrawableText(error)));
      }
    }
  } finally {
    await pool.close();
  }
  printDiagnostics(problems, project.source, options, io);
  printResult({ format_version: '1.0', sheets: looks }, () => lookText(looks), options, io);
  return problems.length > 0 ? EXIT.error : EXIT.ok;
}
