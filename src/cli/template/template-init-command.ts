import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { type Diagnostic, EXIT, ReelformError } from '../../diagnostic.ts';
import { readImageHeader } from '../../engine/images/image-header.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { initJson, initText } from '../../report/terminal/template-text.ts';
import { animationIn, readLottieArchive } from '../../template/archive/read-lottie-archive.ts';
import { MAX_PACKAGE_BYTES } from '../../template/archive/read-package-zip.ts';
import { initPackage, isPackage } from '../../template/init/init-package.ts';
import { safeName } from '../../template/init/key-generator.ts';
import type { LottieSource } from '../../template/init/lottie-source.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printJson, stdoutStyle } from '../output.ts';
import { readNamedFile } from './named-package.ts';

export interface TemplateInitOptions extends GlobalOptions {
  readonly out?: string;
  readonly name?: string;
  readonly animation?: string;
  /** Number of layers, or true for the default. */
  readonly colors?: number | true;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** A colour that this many layers share is offered as an editable. */
const USUAL_COLOR_LAYERS = 2;

/** `reelform template init FILE`: creates a template package from a Lottie file, and prints a report. */
export async function templateInitCommand(named: string, options: TemplateInitOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const path = resolve(directory, named);
  const fail = (messages: readonly string[], hint?: string): number => {
    const at = { file: named, start: 0, end: 0 };
    const diagnostics = messages.map((message): Diagnostic => {
      return { code: 'template_invalid', severity: 'error', message, hint, at };
    });
    printDiagnostics(diagnostics, () => undefined, options, io);
    return EXIT.error;
  };
  const source = readSource(named, path, options.animation);
  if ('problems' in source) return fail(source.problems, source.hint);
  const colorLayers = options.colors === true ? USUAL_COLOR_LAYERS : (options.colors ?? null);
  const created = initPackage(source, { name: options.name, colorLayers });
  if (!isPackage(created)) return fail(created.problems);

  const folder = resolve(directory, options.out ?? join('templates', safeName(source.name).toLowerCase()));
  if (options.force !== true) refuseTaken(folder, directory);
  for (const [below, bytes] of created.files) await writeFileAtomic(join(folder, below), bytes);
  const shown = relative(directory, folder).split(sep).join('/') || '.';
  const parsed = parseTemplatePackage(shown, created.files);
  const problems = parsed.ok || created.needs.length > 0 ? [] : parsed.diagnostics.map(({ message }) => message);
  const report = { created, folder: shown, others: source.others, problems };
  if (options.json === true) printJson(initJson(report), io);
  else io.stdout.write(initText(report, stdoutStyle(options, io)));
  return problems.length > 0 ? EXIT.error : EXIT.ok;
}

function readSource(
  named: string,
  path: string,
  wanted: string | undefined,
): LottieSource | { readonly problems: string[]; readonly hint?: string } {
  const bytes = readNamedFile(named, path, MAX_PACKAGE_BYTES);
  const rest = { name: nameOf(path), ...besideOf(dirname(path)), readImage: readImageHeader };
  // Every ZIP file starts with `PK`, whatever its name.
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) {
    try {
      const animation: unknown = JSON.parse(new TextDecoder().decode(bytes));
      return { ...rest, animation, files: new Map(), others: [] };
    } catch (error) {
      return { problems: [`It is no Lottie: ${(error as Error).message}`] };
    }
  }
  const archive = readLottieArchive(bytes);
  if (!archive.ok) return { problems: archive.diagnostics.map(({ message }) => message) };
  const { files, animations } = archive.value;
  const id = wanted ?? animations[0]!;
  if (!animations.includes(id)) {
    return { problems: [`It has no animation ${JSON.stringify(id)}`], hint: `It has ${animations.join(', ')}` };
  }
  const animation = animationIn(archive.value, id);
  if (animation === undefined) return { problems: [`The animation ${JSON.stringify(id)} is no JSON`] };
  return { ...rest, animation, files, others: animations.filter((other) => other !== id) };
}

/** Default names of exporting programs are less useful than the name of the folder. */
function nameOf(path: string): string {
  const name = basename(path, extname(path));
  const folder = basename(dirname(path));
  return /^(?:animation|data|index|lottie)$/i.test(name) && folder !== '' ? folder : name;
}

/** Returns the files in a folder and below. Paths outside of it are rejected. */
function besideOf(folder: string): Pick<LottieSource, 'beside' | 'fontsBeside'> {
  const beside = (path: string): Uint8Array | null => {
    if (path === '' || path.includes('\\') || path.split('/').includes('..')) return null;
    try {
      const file = join(folder, path);
      const stats = statSync(file);
      return stats.isFile() && stats.size <= MAX_PACKAGE_BYTES ? readFileSync(file) : null;
    } catch {
      return null;
    }
  };
  const names = (below: string): string[] => {
    try {
      return readdirSync(join(folder, below)).map((name) => `${below}${name}`);
    } catch {
      return [];
    }
  };
  return { beside, fontsBeside: [...names(''), ...names('fonts/'), ...names('Fonts/')].sort() };
}

/** @throws ReelformError `folder_taken` */
function refuseTaken(folder: string, directory: string): void {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (names.length === 0) return;
  const shown = relative(directory, folder).split(sep).join('/') || '.';
  throw new ReelformError('folder_taken', `${shown} is not empty`, {
    hint: 'Choose another folder with --out, or pass --force to write over the files of the template',
  });
}
