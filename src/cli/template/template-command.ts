import { setTimeout } from 'node:timers/promises';
import { unknownTemplate } from '../../definition/read-video.ts';
import { EXIT, hasErrors, ReelformError } from '../../diagnostic.ts';
import { loadProject, type Project } from '../../project/load-project.ts';
import { type PushedTemplate, pushText } from '../../report/terminal/template-text.ts';
import { pushStyleVersion } from '../../service/style-version-pusher.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { openRemoteService, type RemoteService, uploadOf } from '../service/open-remote-service.ts';
import { isAboutTemplates } from './is-about-templates.ts';

/** `reelform template push [TEMPLATE…]`: the packages of the repository, to the service that reelform.yaml names. */
export async function templatePushCommand(
  names: readonly string[],
  options: GlobalOptions & { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const project = await loadProject({ cwd: directoryOf(options, io) });
  const known = packagesOf(project);
  const unknown = names.filter((name) => !known.includes(name)).map((name) => unknownTemplate(name, known));
  const problems = [...project.diagnostics.filter(isAboutTemplates), ...unknown];
  tellDiagnostics(problems, project.source, options, io);
  if (hasErrors(problems)) return EXIT.error;

  const service = openRemoteService(project, io);
  const templates: PushedTemplate[] = [];
  for (const name of names.length > 0 ? names : known) templates.push(await push(name, project, service));
  if (options.json === true) io.stdout.write(`${JSON.stringify({ format_version: '1.0', templates }, null, 2)}\n`);
  else io.stdout.write(pushText(templates, { color: wantsColor(io.stdout, io.env, options.color) }));
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
    const { uploaded } = await pushStyleVersion(service, uploadOf(template)!, wait);
    return { name, id, status: 'edit_ready', uploaded, message: null };
  } catch (error) {
    // What one template is to blame for leaves the others to be tried.
    if (!(error instanceof ReelformError) || error.code !== 'template_invalid') throw error;
    return { name, id, status: 'failed', uploaded: false, message: error.message };
  }
}
