import { setTimeout } from 'node:timers/promises';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { type PushedTemplate, pushText } from '../../report/terminal/template-text.ts';
import { pushStyleVersion } from '../../service/style-version-pusher.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printJson, stdoutStyle } from '../output.ts';
import { openRemoteService, packageUpload, type RemoteService } from '../service/open-remote-service.ts';
import { areTemplatesUsable } from './template-problems.ts';

/**
 * `reelform template push [TEMPLATE…]`: uploads the packages of the repository to the service that reelform.yaml names.
 */
export async function templatePushCommand(
  names: readonly string[],
  options: GlobalOptions & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  const known = packagesOf(project);
  if (!areTemplatesUsable(project, names, options, io, known)) return EXIT.error;
  const service = openRemoteService(project, io);
  const templates: PushedTemplate[] = [];
  for (const name of names.length > 0 ? names : known) templates.push(await push(name, project, service));
  if (options.json === true) printJson({ format_version: '1.0', templates }, io);
  else io.stdout.write(pushText(templates, stdoutStyle(options, io)));
  return templates.some(({ status }) => status === 'failed') ? EXIT.error : EXIT.ok;
}

function packagesOf({ config }: Project): string[] {
  return [...config.templates].flatMap(([name, template]) => (template.kind === 'package' ? [name] : []));
}

async function push(name: string, project: Project, service: RemoteService): Promise<PushedTemplate> {
  const template = project.templates.get(name)!;
  const { id } = template.spec;
  const wait = (milliseconds: number): Promise<void> => setTimeout(milliseconds);
  try {
    const { uploaded } = await pushStyleVersion(service, packageUpload(template)!, wait);
    return { name, id, status: 'edit_ready', uploaded, message: null };
  } catch (error) {
    // A rejected template does not stop the others.
    if (!(error instanceof ReelformError) || error.code !== 'template_invalid') throw error;
    return { name, id, status: 'failed', uploaded: false, message: error.message };
  }
}
