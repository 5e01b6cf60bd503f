import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RenderService } from '../../contract/render-service.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, EXIT, errorAt, hasErrors, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { FEATURES_FILE } from '../../reconciler/project/repository-layout.ts';
import {
  featuresFile,
  outdatedFiles,
  type SchemaFile,
  scenesSchemaFile,
  schemaFiles,
  writeSchemaFiles,
} from '../../reconciler/project/schema-files.ts';
import { videosWithFeatures } from '../../reconciler/project/service-features.ts';
import type { NamedSpec } from '../../reconciler/schema/definition-schema.ts';
import { specProblems } from '../../reconciler/schema/parse-spec.ts';
import { pullText } from '../../report/terminal/repository-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
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
  const { files, problems } = await pulledFiles(
    names.length > 0 ? names : [...project.config.templates.keys()],
    project,
    io,
  );
  printDiagnostics(problems, project.source, options, io);
  // Writes all files or none.
  if (hasErrors(problems)) return EXIT.error;
  const outdated = outdatedFiles(project.root, files);
  const check = options.check === true;
  if (!check) await writeSchemaFiles(project.root, outdated);
  const paths = outdated.map((file) => file.path);
  io.stdout.write(pullText(paths, files.length, { ...stdoutStyle(options, io), check }));
  return check && outdated.length > 0 ? EXIT.changes : EXIT.ok;
}

interface Pulled {
  readonly files: readonly SchemaFile[];
  /** Errors at the templates whose specifications are invalid, and what could not be asked. */
  readonly problems: readonly Diagnostic[];
}

async function pulledFiles(names: readonly string[], project: Project, io: Io): Promise<Pulled> {
  const files: SchemaFile[] = [];
  const problems: Diagnostic[] = [];
  const specs = new Map([...project.templates].map(([name, { spec }]) => [name, spec]));
  // Opened on demand, because packages contain their specification and need no token.
  let service: RemoteService | null = null;
  for (const name of names) {
    const template = project.config.templates.get(name)!;
    if (template.kind === 'package') {
      files.push(...schemaFiles(name, project.templates.get(name)!.spec));
      continue;
    }
    service ??= openRemoteService(project, io);
    try {
      const spec = await fetchSpec(template.id, service);
      specs.set(name, spec);
      files.push(...schemaFiles(name, spec));
    } catch (error) {
      if (!(error instanceof ReelformError) || error.code !== 'service_answer_invalid') throw error;
      problems.push(errorAt(error.code, template.at, error.message, error.hint));
    }
  }
  const known = [...project.config.templates.keys()].map((name) => ({ name, spec: specs.get(name) }));
  const complete = known.filter((template): template is NamedSpec => template.spec !== undefined);
  // With one template, its own schema completes scenes too.
  if (complete.length > 1 && complete.length === known.length) files.push(scenesSchemaFile(complete));
  const isFromService = service !== null;
  if (!needsFeatures(project)) return { files, problems };
  try {
    service ??= openRemoteService(project, io);
    files.push(featuresFile(service.name, await service.features()));
  } catch (error) {
    // Packages are pulled without a token, for example by the check of a pull request from a fork.
    if (isFromService || !(error instanceof ReelformError) || error.code !== 'token_missing') throw error;
    const message = `${FEATURES_FILE} is not compared with the service: ${error.message}`;
    problems.push(warningAt('features_unknown', undefined, message, error.hint));
  }
  return { files, problems };
}

/** True if a video needs a feature of the service, or if its features were stored before. */
function needsFeatures({ root, config, videos, templates }: Project): boolean {
  if (config.service === 'embedded') return false;
  const context = { config, templateOf: (name: string) => templates.get(name) };
  return existsSync(join(root, FEATURES_FILE)) || videosWithFeatures(videos, context).length > 0;
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
  const hint = 'Correct the template on the service, then name its new style version in reelform.yaml';
  throw new ReelformError('service_answer_invalid', message, { hint });
}
