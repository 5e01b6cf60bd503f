import { basename, dirname, join } from 'node:path';
import { RenderError } from '../../../engine/render-error.ts';
import { errorAt, ReelformError, type Result, startOf } from '../../../kernel/diagnostic.ts';
import { titleOf } from '../../../reconciler/definition/video.ts';
import { type Config, DEFAULT_CONFIG } from '../../../reconciler/project/config.ts';
import { readTemplateFolder } from '../../../reconciler/project/read-package.ts';
import { CONFIG_FILE } from '../../../reconciler/project/repository-layout.ts';
import { undrawableText } from '../../../report/wording/package-diagnostic.ts';
import type { RenderPool } from '../../../service/sessions/processes/render-pool.ts';
import type { TextPosition } from '../../../template/init/add-overlay.ts';
import { safeName } from '../../../template/init/key-generator.ts';
import { parseTemplatePackage } from '../../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../../template/template-package.ts';
import type { Io } from '../../io.ts';
import { type LottieFile, openBuiltEvaluator, readLottie } from '../read-lottie.ts';
import { colorLayersOf, keepManifest, type MakingOptions, refuseTaken } from '../template-init-command.ts';
import { chooseBackground, chooseText } from './add-questions.ts';
import { type BuiltPackage, buildPackage } from './build-package.ts';
import { findFonts } from './find-fonts.ts';
import type { TemplateOrigin } from './open-origin.ts';
import { type NewTemplate, readThemes } from './register-template.ts';

export interface TemplateAddOptions extends MakingOptions {
  /** `#RRGGBB`, or `none`. */
  readonly background?: string;
  readonly font?: readonly string[];
  readonly text?: TextPosition | 'none';
}

/** Definition that a package may bring along. */
const EXAMPLE = 'definition.yaml';

/** The repository that a template is added to. */
export interface Target {
  /** Absolute. */
  readonly root: string;
  /** Absolute. */
  readonly directory: string;
  /** Null if there is none yet. */
  readonly config: Config | null;
  /** Six hexadecimal digits from the option; null for `none`, undefined without it. */
  readonly background: string | null | undefined;
}

interface Surroundings {
  readonly io: Io;
  readonly pool: RenderPool;
}

/** A package to register, and its report. */
export interface PreparedTemplate {
  readonly added: NewTemplate;
  readonly files: Iterable<readonly [path: string, bytes: Uint8Array]>;
  readonly built: BuiltPackage | null;
  /** Ids of the animations of the file that were not used. */
  readonly furtherAnimations: readonly string[];
}

/**
 * Reads or makes the package to add. Writes nothing.
 *
 * @param pool draws what has to be compared
 */
export async function prepareTemplate(
  origin: TemplateOrigin,
  target: Target,
  options: TemplateAddOptions,
  { io, pool }: Surroundings,
): Promise<Result<PreparedTemplate>> {
  return origin.kind === 'lottie'
    ? prepareLottie(origin.file, target, options, { io, pool })
    : preparePackage(origin, target, options);
}

/** Reads a finished package. */
function preparePackage(
  origin: Exclude<TemplateOrigin, { kind: 'lottie' }>,
  target: Target,
  options: TemplateAddOptions,
): Result<PreparedTemplate> {
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

/** Makes a package of an animation. */
async function prepareLottie(
  file: LottieFile,
  target: Target,
  options: TemplateAddOptions,
  { io, pool }: Surroundings,
): Promise<Result<PreparedTemplate>> {
  const source = readLottie(file, options.animation);
  if ('problems' in source) return invalid(source.problems, source.hint);
  const { name, folder } = placeFor(source.name, null, target, options);
  try {
    const built = await buildPackage(source, {
      name: options.name ?? titleOf(source.name),
      folder,
      colorLayers: colorLayersOf(options),
      findFonts: (missing) =>
        findFonts(missing, options.font ?? [], { ...target, config: target.config ?? DEFAULT_CONFIG }),
      chooseBackground: (found) => chooseBackground(target.background, found, io),
      chooseText: () => chooseText(options.text, io),
      compare: (comparison) => pool.run('compare', comparison),
      evaluate: await openBuiltEvaluator(source),
    });
    if ('problems' in built) return invalid(built.problems);
    const { themes, notes } = readThemes(source.files, built.created.editables);
    const withNotes = { ...built.created, notes: [...built.created.notes, ...notes] };
    const created =
      options.force === true ? keepManifest(withNotes, join(target.root, folder), target.root) : withNotes;
    const isKept = created.files === built.created.files;
    const parsed: Result<TemplatePackage> = isKept
      ? { ok: true, value: built.template }
      : parseTemplatePackage(folder, created.files);
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
