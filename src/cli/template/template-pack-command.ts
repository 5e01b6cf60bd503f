import { relative, resolve } from 'node:path';
import { EXIT } from '../../diagnostic.ts';
import { writeFileAtomic, writeLinkedFile } from '../../project/write-file.ts';
import { packedText } from '../../report/terminal/template-text.ts';
import { writeLottieArchive } from '../../template/archive/write-lottie-archive.ts';
import { safeName } from '../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import { type GlobalOptions, VERSION } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { readNamedPackage } from './read-package.ts';
import { withRepositoryFonts } from './with-repository-fonts.ts';

export interface TemplatePackOptions extends GlobalOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** `reelform template pack DIR`: a template package as one `.lottie` file, that players show and reelform renders. */
export async function templatePackCommand(named: string, options: TemplatePackOptions, io: Io): Promise<number> {
  const directory = directoryOf(options, io);
  const found = readNamedPackage(named, directory);
  const { files, folder, name, source } = withRepositoryFonts(found, 'named');
  const parsed = files.ok ? parseTemplatePackage(folder, files.value) : files;
  if (!files.ok || !parsed.ok) {
    tellDiagnostics(parsed.ok ? [] : parsed.diagnostics, source, options, io);
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
  if (options.json === true) io.stdout.write(`${JSON.stringify({ format_version: '1.0', ...packed }, null, 2)}\n`);
  else io.stdout.write(packedText(packed, { color: wantsColor(io.stdout, io.env, options.color) }));
  return EXIT.ok;
}
