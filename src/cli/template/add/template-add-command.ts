import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { RenderError } from '../../../engine/render-error.ts';
import { EXIT, errorAt, ReelformError, type Result, startOf } from '../../../kernel/diagnostic.ts';
import { titleOf } from '../../../reconciler/definition/video.ts';
import { type Config, DEFAULT_CONFIG } from '../../../reconciler/project/config.ts';
import { loadProject } from '../../../reconciler/project/load-project.ts';
import { readTemplateFolder } from '../../../reconciler/project/read-package.ts';
import { CONFIG_FILE, findRoot, OTHER_CONFIG_FILE } from '../../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../../reconciler/project/write-file.ts';
import { ADD_QUESTIONS, type AddedTemplate, addedJson, addedText } from '../../../report/terminal/template-text.ts';
import { undrawableText } from '../../../report/wording/package-diagnostic.ts';
import { SessionFailure } from '../../../service/sessions/ports.ts';
import { parseColor } from '../../../template/color.ts';
import { TEXT_POSITIONS, type TextPosition } from '../../../template/init/add-overlay.ts';
import { safeName } from '../../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../../template/parse-template-package.ts';
import { type GlobalOptions, workingDirectory } from '../../global-options.ts';
import type { Io } from '../../io.ts';
import { printConfigErrors, printDiagnostics, printResult } from '../../output.ts';
import { openCommandPool } from '../../render/open-inputs.ts';
import { type LottieFile, openBuiltEvaluator, readLottie } from '../read-lottie.ts';
import { colorLayersOf, keepManifest, type MakingOptions, refuseTaken } from '../template-init-command.ts';
import { looksFolder, writeLook } from '../template-look-command.ts';
import { type BuiltPackage, buildPackage } from './build-package.ts';
import { findFonts } from './find-fonts.ts';
import { openOrigin, type TemplateOrigin } from './open-origin.ts';
import { createConfig, type NewTemplate, readThemes, registerTemplate } from './register-template.ts';

interface TemplateAddOptions extends MakingOptions {
  /** `#RRGGBB`, or `none`. */
  readonly background?: string;
  readonly font?: readonly string[];
  readonly text?: TextPosition | 'none';
}

/** Definition that a package may bring along. */
const EXAMPLE = 'definition.yaml';

/** The repository that a template is added to. */
interface Target {
  /** Absolute. */
  readonly root: string;
  /** Absolute. */
  readonly directory: string;
  /** Null if there is none yet. */
  readonly config: Config | null;
}

/** A package to register, and its report. */
interface Prepared {
  readonly added: NewTemplate;
  readonly files: Iterable<readonly [path: string, bytes: Uint8Array]>;
  readonly built: BuiltPackage | null;
  readonly furtherAnimations: readonly string[];
}

/**
 * `reelform template add SOURCE`: makes a template package of an animation with everything that it lacks, registers it in
 * reelform.yaml, writes its schemas and a first definition, and draws a contact sheet.
 */
export async function templateAddCommand(named: string, options: TemplateAddOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const background = options.background === undefined ? undefined : parseBackground(options.background);
  const root = rootOr(directory);
  const isNew = !existsSync(join(root, CONFIG_FILE));
  const config = isNew ? null : await readConfig(root, options, io);
  if (config === null && !isNew) return EXIT.error;
  const target = { root, directory, config };
  const origin = await openOrigin(named, directory, root).catch((error: unknown) => {
    if (!(error instanceof SessionFailure)) throw error;
    throw new ReelformError('missing_file', error.message, { cause: error });
  });
  const prepared =
    origin.kind !== 'lottie'
      ? preparePackage(origin, target, options)
      : await prepareLottie(origin.file, { ...target, background }, options, io);
  if (!prepared.ok) {
    const at = startOf(named);
    const found = prepared.diagnostics.map((diagnostic) => ({ ...diagnostic, at: diagnostic.at ?? at }));
    printDiagnostics(found, () => undefined, options, io);
    return EXIT.error;
  }
  const { added, files, built, furtherAnimations } = prepared.value;
  for (const [path, bytes] of files) await writeFileAtomic(join(root, added.folder, path), bytes);
  const created = isNew ? await createConfig(root) : [];
  const { definition, themes, written } = await registerTemplate(root, added, config ?? DEFAULT_CONFIG);
  const sheet = await drawSheet(added, root, io);
  const report: AddedTemplate = {
    name: added.name,
    folder: added.folder,
    template: added.template,
    definition,
    themes,
    furtherAnimations,
    sheet,
    written: [...new Set([...created, ...written])],
    created: built?.created ?? null,
    fonts: built?.fonts ?? [],
    background: built?.background ?? null,
    isTransparent: built?.isTransparent ?? false,
    text: built?.text ?? null,
    placeholders: built?.placeholders ?? [],
  };
  printResult(addedJson(report), (style) => addedText(report, style), options, io);
  return EXIT.ok;
}

/** Draws the contact sheet of a new template. @returns its path, repository-relative */
async function drawSheet({ name, template }: NewTemplate, root: string, io: Io): Promise<string> {
  const pool = openCommandPool(io);
  try {
    const { image } = await writeLook(name, template, looksFolder(root), pool);
    return relative(root, image).split(sep).join('/');
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const message = `The template was added, but its contact sheet cannot be drawn: ${undrawableText(error)}`;
    throw new ReelformError('template_invalid', message, {
      hint: `Run reelform template look ${name} once that is solved`,
      cause: error,
    });
  } finally {
    await pool.close();
  }
}

function preparePackage(
  origin: Exclude<TemplateOrigin, { kind: 'lottie' }>,
  target: Target,
  options: TemplateAddOptions,
): Result<Prepared> {
  const path = origin.kind === 'package' ? origin.folder : null;
  const givenName = origin.kind === 'package' ? basename(origin.folder) : origin.name;
  const { name, folder } = placeFor(givenName, path, target, options);
  const read: Result<ReadonlyMap<string, Uint8Array>> =
    origin.kind === 'package'
      ? readTemplateFolder(dirname(origin.folder), givenName, startOf(origin.folder))
      : { ok: true, value: origin.files };
  if (!read.ok) return read;
  const parsed = parseTemplatePackage(folder, new Map(read.value));
  if (!parsed.ok) return parsed;
  const definition = read.value.get(EXAMPLE);
  const added = {
    name,
    folder,
    template: parsed.value,
    title: parsed.value.manifest.name,
    definition: definition === undefined ? undefined : new TextDecoder().decode(definition),
  };
  const isInPlace = path === join(target.root, folder);
  const files = isInPlace ? [] : [...read.value].filter(([file]) => file !== EXAMPLE);
  return { ok: true, value: { added, files, built: null, furtherAnimations: [] } };
}

async function prepareLottie(
  file: LottieFile,
  target: Target & { readonly background: string | null | undefined },
  options: TemplateAddOptions,
  io: Io,
): Promise<Result<Prepared>> {
  const source = readLottie(file, options.animation);
  if ('problems' in source) return invalid(source.problems, source.hint);
  const { name, folder } = placeFor(source.name, null, target, options);
  const pool = openCommandPool(io);
  try {
    const built = await buildPackage(source, {
      name: options.name ?? titleOf(source.name),
      folder,
      colorLayers: colorLayersOf(options),
      findFonts: (missing) =>
        findFonts(missing, options.font ?? [], { ...target, config: target.config ?? DEFAULT_CONFIG }),
      chooseBackground: async ({ color }) => {
        if (target.background !== undefined) return target.background;
        return io.interactive ? askBackground(color, io) : color;
      },
      chooseText: async () => {
        if (options.text !== undefined) return options.text === 'none' ? null : options.text;
        return io.interactive ? askText(io) : null;
      },
      compare: (comparison) => pool.run('compare', comparison),
      evaluate: await openBuiltEvaluator(),
    });
    if ('problems' in built) return invalid(built.problems);
    const { themes, notes } = readThemes(source.files, built.created.editables);
    const made = { ...built.created, notes: [...built.created.notes, ...notes] };
    const created = options.force === true ? keepManifest(made, join(target.root, folder), target.root) : made;
    const parsed = parseTemplatePackage(folder, created.files);
    if (!parsed.ok) return parsed;
    const template = parsed.value;
    const added = { name, folder, template, title: created.name, themes };
    return {
      ok: true,
      value: { added, files: created.files, built: { ...built, created }, furtherAnimations: source.furtherAnimations },
    };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return invalid([undrawableText(error)]);
  } finally {
    await pool.close();
  }
}

function invalid(problems: readonly string[], hint?: string): Result<never> {
  return { ok: false, diagnostics: problems.map((message) => errorAt('template_invalid', undefined, message, hint)) };
}

/**
 * Returns the name and the folder of a new template.
 *
 * @param from absolute path of a package, which may be in its place already; null for downloads
 * @throws ReelformError `folder_taken`
 */
function placeFor(
  suggested: string,
  from: string | null,
  { root, config }: Target,
  options: TemplateAddOptions,
): { readonly name: string; readonly folder: string } {
  const name = templateName(options.name ?? suggested);
  const folder = `templates/${name}`;
  if (options.force !== true) {
    if (config?.templates.has(name) === true) throw taken(name);
    const hint = 'Choose another name with --name, or pass --force to write over the files of the template';
    if (from !== join(root, folder)) refuseTaken(join(root, folder), root, hint);
  }
  return { name, folder };
}

/** Returns the root of the repository, or the working directory if there is none yet. */
function rootOr(directory: string): string {
  try {
    return findRoot(directory);
  } catch (error) {
    const hasOther = existsSync(join(directory, OTHER_CONFIG_FILE));
    if (error instanceof ReelformError && error.code === 'config_missing' && !hasOther) return directory;
    throw error;
  }
}

/** Null if the configuration has errors, which are printed. */
async function readConfig(root: string, options: GlobalOptions, io: Io): Promise<Config | null> {
  const project = await loadProject({ cwd: root });
  return printConfigErrors(project, options, io) ? null : project.config;
}

/** Returns a valid name for reelform.yaml. */
function templateName(text: string): string {
  const name = safeName(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .slice(0, 60);
  return name === '' ? 'template' : name;
}

function taken(name: string): ReelformError {
  return new ReelformError('folder_taken', `${CONFIG_FILE} has a template ${name} already`, {
    hint: 'Choose another name with --name, or pass --force to replace it',
  });
}

/**
 * Parses the value of `--background`.
 *
 * @returns six upper-case hexadecimal digits; null for `none`
 * @throws ReelformError `invalid_color`
 */
function parseBackground(text: string): string | null {
  if (text === 'none') return null;
  const digits = text.replace(/^#/, '').toUpperCase();
  if (digits.length === 6 && parseColor(digits) !== null) return digits;
  const message = `--background takes a colour of 6 hexadecimal digits, not ${JSON.stringify(text)}`;
  throw new ReelformError('invalid_color', message, { hint: 'Write it like "#EEADA7", in quotes, or none' });
}

async function askBackground(color: string, io: Io): Promise<string | null> {
  for (;;) {
    const answer = (await io.ask(ADD_QUESTIONS.background(color))).trim();
    if (answer === '') return color;
    try {
      return parseBackground(answer);
    } catch (error) {
      io.stderr.write(`${(error as Error).message}\n`);
    }
  }
}

async function askText(io: Io): Promise<TextPosition | null> {
  for (;;) {
    const answer = (await io.ask(ADD_QUESTIONS.text(TEXT_POSITIONS.join(', ')))).trim();
    if (answer === '' || answer === 'none') return null;
    const place = TEXT_POSITIONS.find((position) => position === answer);
    if (place !== undefined) return place;
    io.stderr.write(`${JSON.stringify(answer)} is none of none, ${TEXT_POSITIONS.join(', ')}\n`);
  }
}
