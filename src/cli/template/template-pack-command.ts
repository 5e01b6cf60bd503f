import { relative, resolve } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import { writeFileAtomic, writeLinkedFile } from '../../project/write-file.ts';
import { packedText } from '../../report/terminal/template-text.ts';
import { writeLottieArchive } from '../../template/archive/write-lottie-archive.ts';
import { safeName } from '../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { type GlobalOptions, VERSION, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printJson, stdoutStyle } from '../output.ts';
import { addRepositoryFonts, readNamedPackage } from './named-package.ts';

export interface TemplatePackOptions extends GlobalOptions {
  readonly out?: string;
  readonly json?: boolean;
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
  if (options.json === true) printJson({ format_version: '1.0', ...packed }, io);
  else io.stdout.write(packedText(packed, stdoutStyle(options, io)));
  return EXIT.ok;
}
