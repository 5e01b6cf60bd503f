import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { keepTextSizes } from '../../engine/inspect/keep-text-sizes.ts';
import { EXIT, errorAt, ReelformError, startOf } from '../../kernel/diagnostic.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { initJson, initText } from '../../report/terminal/template-text.ts';
import { MAX_PACKAGE_BYTES } from '../../template/archive/read-package-zip.ts';
import { initPackage, isPackage, type NewPackage } from '../../template/init/init-package.ts';
import { safeName } from '../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { readNamedFile, readNamedPackage } from './named-package.ts';
import { adjacentTo, openBuiltEvaluator, readLottie } from './read-lottie.ts';

/** Options of the commands that make a package from an animation. */
export interface MakingOptions extends JsonOptions {
  readonly name?: string;
  readonly animation?: string;
  /** Number of layers, or true for the default. */
  readonly colors?: number | true;
  readonly force?: boolean;
}

interface TemplateInitOptions extends MakingOptions {
  readonly out?: string;
}

/** A colour that this many layers share is offered as an editable. */
const USUAL_COLOR_LAYERS = 2;

/** Returns the number of layers that share a colour for it to become an editable; null for none. */
export function colorLayersOf({ colors }: MakingOptions): number | null {
  return colors === true ? USUAL_COLOR_LAYERS : (colors ?? null);
}

/** `reelform template init FILE`: creates a template package from a Lottie file, and prints a report. */
export async function templateInitCommand(named: string, options: TemplateInitOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const path = resolve(directory, named);
  const fail = (messages: readonly string[], hint?: string): number => {
    const diagnostics = messages.map((message) => errorAt('template_invalid', startOf(named), message, hint));
    printDiagnostics(diagnostics, () => undefined, options, io);
    return EXIT.error;
  };
  const bytes = readNamedFile(named, path, MAX_PACKAGE_BYTES);
  const source = readLottie({ path, bytes, ...adjacentTo(dirname(path)) }, options.animation);
  if ('problems' in source) return fail(source.problems, source.hint);
  const evaluate = await openBuiltEvaluator(source);
  const initial = initPackage(source, { name: options.name, colorLayers: colorLayersOf(options), evaluate });
  if (!isPackage(initial)) return fail(initial.problems);
  const created = await keepTextSizes(initial);

  const folder = resolve(directory, options.out ?? join('templates', safeName(source.name).toLowerCase()));
  if (options.force !== true) refuseTaken(folder, directory);
  const shown = relative(directory, folder).split(sep).join('/') || '.';
  const kept = options.force === true ? keepManifest(created, folder, directory) : created;
  for (const [below, bytes] of kept.files) await writeFileAtomic(join(folder, below), bytes);
  const parsed = parseTemplatePackage(shown, kept.files);
  const problems = parsed.ok || created.needs.length > 0 ? [] : parsed.diagnostics.map(({ message }) => message);
  const report = { created: kept, folder: shown, furtherAnimations: source.furtherAnimations, problems };
  printResult(initJson(report), (style) => initText(report, style), options, io);
  return problems.length > 0 ? EXIT.error : EXIT.ok;
}

/**
 * Returns a package with the manifest of the folder that it replaces, if that describes it as well: people have named its
 * editables.
 */
export function keepManifest(created: NewPackage, folder: string, directory: string): NewPackage {
  const { files } = readNamedPackage(folder, directory);
  const manifest = files.ok ? files.value.get(MANIFEST) : undefined;
  if (!files.ok || manifest === undefined) return created;
  const parsed = parseTemplatePackage(folder, new Map([...files.value, ...created.files, [MANIFEST, manifest]]));
  const message = parsed.ok
    ? `Kept ${MANIFEST}, which describes the new animation, too`
    : `Replaced ${MANIFEST}, which does not describe the new animation: ${parsed.diagnostics[0]!.message}`;
  return {
    ...created,
    files: parsed.ok ? new Map([...created.files, [MANIFEST, manifest]]) : created.files,
    notes: [...created.notes, { kind: 'changed', message }],
  };
}

const MANIFEST = 'template.yaml';
const USE_OUT = 'Choose another folder with --out, or pass --force to overwrite files';

/** @throws ReelformError `folder_taken` */
export function refuseTaken(folder: string, directory: string, hint = USE_OUT): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  const shown = relative(directory, folder).split(sep).join('/') || '.';
  throw new ReelformError('folder_taken', `${shown} is not empty`, { hint });
}
