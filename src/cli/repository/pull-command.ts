import { unknownTemplate } from '../../definition/read-video.ts';
import { EXIT, hasErrors } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { outdatedFiles, type SchemaFile, schemaFiles, writeSchemaFiles } from '../../project/schema-files.ts';
import { pullText } from '../../report/terminal/repository-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { openRemoteService, type RemoteService } from '../service/open-remote-service.ts';
import { isAboutTemplates } from '../template/is-about-templates.ts';
import { fetchSpec } from './fetch-spec.ts';

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
  const files: SchemaFile[] = [];
  // A package describes itself: the service is asked, and a token needed, for style versions of its own alone.
  let service: RemoteService | null = null;
  for (const name of names) {
    const template = project.config.templates.get(name)!;
    if (template.kind === 'package') {
      files.push(...schemaFiles(name, project.templates.get(name)!.spec));
      continue;
    }
    service ??= openRemoteService(project, io);
    files.push(...schemaFiles(name, await fetchSpec(template.id, service)));
  }
  return files;
}
