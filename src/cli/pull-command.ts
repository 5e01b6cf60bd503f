import { unknownTemplate } from '../definition/unknown-template.ts';
import { type Diagnostic, EXIT, hasErrors } from '../diagnostic.ts';
import { CONFIG_FILE } from '../project/find-root.ts';
import { loadProject, type Project } from '../project/load-project.ts';
import { outdatedFiles, type SchemaFile, schemaFiles, writeSchemaFiles } from '../project/schema-files.ts';
import { pullText } from '../report/pull-text.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import type { GlobalOptions } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';
import { openService } from './open-service.ts';

/** `reelform pull [TEMPLATE…]`: specifications from the service into `schemas/`, and what editors need beside them. */
export async function pullCommand(
  names: readonly string[],
  options: GlobalOptions & { readonly check?: boolean },
  io: Io,
): Promise<number> {
  const project = await loadProject({ cwd: directoryOf(options, io) });
  const known = [...project.config.templates.keys()];
  const unknown = names.filter((name) => !known.includes(name)).map((name) => unknownTemplate(name, known));
  const problems = [...project.diagnostics.filter(isAboutTemplates), ...unknown];
  tellDiagnostics(problems, project.source, options, io);
  if (hasErrors(problems)) return EXIT.error;

  const files = await pulledFiles(names.length > 0 ? names : known, project, io);
  const outdated = outdatedFiles(project.root, files);
  const check = options.check === true;
  if (!check) await writeSchemaFiles(project.root, outdated);
  const paths = outdated.map((file) => file.path);
  const color = wantsColor(io.stdout, io.env, options.color);
  io.stdout.write(pullText(paths, files.length, { check, color }));
  return check && outdated.length > 0 ? EXIT.changes : EXIT.ok;
}

async function pulledFiles(names: readonly string[], project: Project, io: Io): Promise<SchemaFile[]> {
  const service = openService(project, () => io.now());
  try {
    const files: SchemaFile[] = [];
    for (const name of names) {
      const spec = await service.getStyleVersion(project.templates.get(name)!.spec.id);
      files.push(...schemaFiles(name, spec));
    }
    return files;
  } finally {
    await service.close();
  }
}

/** Mistakes in definitions are not pull's business, and what is out of date is about to be written. */
function isAboutTemplates({ code, at }: Diagnostic): boolean {
  if (code === 'schema_outdated' || code === 'spec_missing' || code === 'no_videos') return false;
  return code === 'template_invalid' || at === undefined || at.file === CONFIG_FILE;
}
