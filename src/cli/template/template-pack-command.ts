import { relative, resolve } from 'node:path';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { writeFileAtomic, writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { pushStyleVersion } from '../../reconciler/service-client/style-version-pusher.ts';
import { type PushedTemplate, packedText, pushText } from '../../report/terminal/template-text.ts';
import { writeLottieArchive } from '../../template/archive/write-lottie-archive.ts';
import { safeName } from '../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { type JsonOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { openRemoteService, packageUpload, type RemoteService } from '../service/open-remote-service.ts';
import { readNamedPackage } from './named-package.ts';
import { addRepositoryFonts } from './repository-fonts.ts';
import { areTemplatesUsable } from './template-problems.ts';

interface TemplatePackOptions extends JsonOptions {
  readonly out?: string;
}

/** `reelform template pack DIR`: packs a template package into one `.lottie` file for players and Reelform. */
export async function templatePackCommand(named: string, options: TemplatePackOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const found = readNamedPackage(named, directory);
  const { files, folder, name, source } = addRepositoryFonts(found, 'named');
  const parsed = files.ok ? parseTemplatePackage(folder, files.value) : files;
  if (!files.ok || !parsed.ok) {
    printDiagnostics(parsed.ok ? [] : parsed.diagnostics, source, options, io);
    return EXIT.error;
  }
  const path = resolve(directory, options.out ?? `${name}.lottie`);
  const bytes = writeLottieArchive(files.value, { id: safeName(name), generator: `reelform ${VERSION}` });
  const write = options.out === undefined ? writeFileAtomic : writeLinkedFile;
  await write(path, bytes);
  const packed = {
    file: relative(directory, path).replaceAll('\\', '/'),
    bytes: bytes.length,
    files: files.value.size,
    style_version: parsed.value.spec.id,
  };
  printResult({ format_version: '1.0', ...packed }, (style) => packedText(packed, style), options, io);
  return EXIT.ok;
}

/**
 * `reelform template push [TEMPLATE…]`: uploads the packages of the repository to the service that reelform.yaml names.
 */
export async function templatePushCommand(names: readonly string[], options: JsonOptions, io: Io): Promise<number> {
  const project = await loadProject({ cwd: workingDirectory(options, io) });
  const known = [...project.config.templates].flatMap(([name, { kind }]) => (kind === 'package' ? [name] : []));
  if (!areTemplatesUsable(project, names, options, io, known)) return EXIT.error;
  const service = openRemoteService(project, io);
  const templates: PushedTemplate[] = [];
  for (const name of names.length > 0 ? names : known) templates.push(await push(name, project, service, io));
  printResult({ format_version: '1.0', templates }, (style) => pushText(templates, style), options, io);
  return templates.some(({ status }) => status === 'failed') ? EXIT.error : EXIT.ok;
}

async function push(name: string, project: Project, service: RemoteService, { wait }: Io): Promise<PushedTemplate> {
  const template = project.templates.get(name)!;
  const { id } = template.spec;
  try {
    const { uploaded } = await pushStyleVersion(service, packageUpload(template)!, wait);
    return { name, id, status: 'edit_ready', uploaded, message: null };
  } catch (error) {
    // A rejected template does not stop the command.
    if (!(error instanceof ReelformError) || error.code !== 'template_invalid') throw error;
    return { name, id, status: 'failed', uploaded: false, message: error.message };
  }
}
