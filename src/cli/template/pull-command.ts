import { EXIT, ReelformError } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { outdatedFiles, type SchemaFile, schemaFiles, writeSchemaFiles } from '../../project/schema-files.ts';
import { pullText } from '../../report/terminal/repository-text.ts';
import { specProblems } from '../../schema/parse-spec.ts';
import type { RenderService } from '../../service/render-service.ts';
import type { StyleVersion } from '../../wire/style-version.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { openRemoteService, type RemoteService } from '../service/open-remote-service.ts';
import { areTemplatesUsable } from './template-problems.ts';

/** `reelform pull [TEMPLATE…]`: writes the service's specifications, and schemas for editors, to `schemas/`. */
export async function pullCommand(
  names: readonly string[],
  options: GlobalOptions & { readonly check?: boolean },
  io: Io,
): Promise<number> {
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  if (!areTemplatesUsable(project, names, options, io)) return EXIT.error;
  const files = await pulledFiles(names.length > 0 ? names : [...project.config.templates.keys()], project, io);
  const outdated = outdatedFiles(project.root, files);
  const check = options.check === true;
  if (!check) await writeSchemaFiles(project.root, outdated);
  const paths = outdated.map((file) => file.path);
  io.stdout.write(pullText(paths, files.length, { ...stdoutStyle(options, io), check }));
  return check && outdated.length > 0 ? EXIT.changes : EXIT.ok;
}

async function pulledFiles(names: readonly string[], project: Project, io: Io): Promise<SchemaFile[]> {
  const files: SchemaFile[] = [];
  // Opened on demand, because packages contain their specification and need no token.
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

const MAX_PROBLEMS = 5;

/**
 * Fetches and checks the specification of a style version.
 *
 * @throws ReelformError `service_answer_invalid`; errors of the service
 */
export async function fetchSpec(id: string, service: RenderService): Promise<StyleVersion> {
  const spec = await service.getStyleVersion(id);
  const problems = specProblems(spec);
  if (problems.length === 0 && spec.id !== id) problems.push(`it belongs to ${spec.id}`);
  if (problems.length === 0) return spec;
  const message = `${service.name} returned an invalid specification of ${id}: ${problems.slice(0, MAX_PROBLEMS).join('; ')}`;
  throw new ReelformError('service_answer_invalid', message);
}
