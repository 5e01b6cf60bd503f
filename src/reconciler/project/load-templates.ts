import { posix } from 'node:path';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, errorAt, type Result, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { parseLfsPointer } from '../../kernel/file-kind.ts';
import { MAX_PACKAGE_BYTES } from '../../template/archive/read-package-zip.ts';
import { fontProblem } from '../../template/check-font.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { parseSpec } from '../schema/parse-spec.ts';
import type { Config, TemplateConfig } from './config.ts';
import { isArchivePath, readTemplateArchive, readTemplateFolder } from './read-package.ts';
import type { RepositoryFiles } from './repository-files.ts';
import { specPath } from './repository-layout.ts';
import { outdatedFiles, schemaFiles } from './schema-files.ts';

/** A template that definitions may use. */
export interface ProjectTemplate {
  /** Name in reelform.yaml. */
  readonly name: string;
  readonly spec: StyleVersion;
  /** `null` for a style version of a service. */
  readonly package: TemplatePackage | null;
  /**
   * Files of the package by path below its folder, including fonts of the repository that it lacks; `null` for a style
   * version of a service.
   */
  readonly files: ReadonlyMap<string, Uint8Array> | null;
  /** Path of an added font in `files` → its path in the repository. */
  readonly addedFonts: ReadonlyMap<string, string>;
  /** Files that it was read from, repository-relative. */
  readonly paths: readonly string[];
}

/** Returns the repository-relative path of a file of a template. @param below its path in `files` */
export function templateFilePath({ package: templatePackage, addedFonts }: ProjectTemplate, below: string): string {
  return addedFonts.get(below) ?? posix.join(templatePackage?.folder ?? '', below);
}

interface LoadedTemplates {
  /** Usable templates by name. */
  readonly templates: ReadonlyMap<string, ProjectTemplate>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads all templates: packages from folders or `.lottie` files, specifications of services from `schemas/`. */
export function loadTemplates(config: Config, files: RepositoryFiles): LoadedTemplates {
  const templates = new Map<string, ProjectTemplate>();
  const diagnostics: Diagnostic[] = [];
  const fonts = lazyFonts(config, files);
  for (const [name, template] of config.templates) {
    const loaded = loadTemplate(name, template, files, fonts);
    diagnostics.push(...loaded.diagnostics);
    if (loaded.template === null) continue;
    templates.set(name, loaded.template);
    diagnostics.push(...outdatedSchemas(loaded.template, template.at, files));
  }
  return { templates, diagnostics };
}

/** Reads the fonts of the repository once, when a package first needs them. */
export type LazyFonts = () => Result<ReadonlyMap<string, RepositoryFont>>;

export function lazyFonts(config: Config, files: RepositoryFiles): LazyFonts {
  let read: ReturnType<LazyFonts> | null = null;
  return () => {
    read ??= readFontsFolder(config.fonts, files);
    return read;
  };
}

export function loadTemplate(
  name: string,
  template: TemplateConfig,
  files: RepositoryFiles,
  fonts: LazyFonts,
): LoadedTemplate {
  return template.kind === 'package' ? loadPackage(name, template, files, fonts()) : loadSpec(name, template, files);
}

export interface LoadedTemplate {
  /** `null` if it is unusable; see the diagnostics. */
  readonly template: ProjectTemplate | null;
  readonly diagnostics: readonly Diagnostic[];
}

function loadPackage(
  name: string,
  { path, at }: TemplateConfig & { kind: 'package' },
  files: RepositoryFiles,
  fonts: ReturnType<LazyFonts>,
): LoadedTemplate {
  const isArchive = isArchivePath(path);
  const folder = (isArchive ? readTemplateArchive : readTemplateFolder)(files.root, path, at, files.log);
  if (!folder.ok) return { template: null, diagnostics: folder.diagnostics };
  if (!fonts.ok) return { template: null, diagnostics: fonts.diagnostics };
  const added = missingFonts(fonts.value, folder.value);
  const whole = new Map([...folder.value, ...[...added].map(([below, { bytes }]) => [below, bytes] as const)]);
  const sizeBytes = [...whole.values()].reduce((sum, { length }) => sum + length, 0);
  if (sizeBytes > MAX_PACKAGE_BYTES) return { template: null, diagnostics: [tooLargeWithFonts(path, at)] };
  const parsed = parseTemplatePackage(path, whole, { acceptsPointers: true });
  if (!parsed.ok) return { template: null, diagnostics: parsed.diagnostics };
  const packagePaths = isArchive ? [path] : [...folder.value.keys()].map((below) => posix.join(path, below));
  const addedFonts = new Map([...added].map(([below, font]) => [below, font.path] as const));
  const paths = [...packagePaths, ...addedFonts.values()];
  const template = { name, spec: parsed.value.spec, package: parsed.value, files: whole, addedFonts, paths };
  return { template, diagnostics: [] };
}

function tooLargeWithFonts(path: string, at: Span): Diagnostic {
  const message = `With the fonts of the repository, ${JSON.stringify(path)} is larger than 50 MB`;
  const hint = 'Remove unused fonts from the fonts folder';
  return errorAt('template_invalid', at, message, hint);
}

function loadSpec(
  name: string,
  { id, at }: TemplateConfig & { kind: 'style_version' },
  files: RepositoryFiles,
): LoadedTemplate {
  const path = specPath(name);
  const text = files.text(path);
  const hint = `Run reelform pull ${name}`;
  if (!text.ok) {
    const message = `The specification of the template ${name} is missing: ${path}`;
    return { template: null, diagnostics: [errorAt('spec_missing', at, message, hint)] };
  }
  const spec = parseSpec(path, text.text);
  if (!spec.ok) return { template: null, diagnostics: spec.diagnostics };
  if (spec.value.id !== id) {
    const message = `${path} describes the style version ${spec.value.id}, but reelform.yaml names ${id}`;
    return { template: null, diagnostics: [errorAt('spec_missing', at, message, hint)] };
  }
  const template = { name, spec: spec.value, package: null, files: null, addedFonts: new Map(), paths: [path] };
  return { template, diagnostics: [] };
}

/** Warns of schemas on the disk that differ from those of a template. Making them takes a third of the time of loading it. */
export function outdatedSchemas(
  { name, spec, package: ownPackage }: ProjectTemplate,
  at: Span,
  files: RepositoryFiles,
): Diagnostic[] {
  const current = schemaFiles(name, spec);
  // The specification of a service's template exists only on the disk, so it cannot be outdated.
  const stale = outdatedFiles(files.root, ownPackage === null ? current.slice(1) : current, files.log);
  if (stale.length === 0) return [];
  const message = `${stale.map(({ path }) => path).join(' and ')} ${stale.length === 1 ? 'is' : 'are'} out of date with the template ${name}`;
  return [warningAt('schema_outdated', at, message, `Run reelform pull ${name}`)];
}

/** A font of the repository, which is added to every template package. */
interface RepositoryFont {
  /** Repository-relative. */
  readonly path: string;
  /** Path in a package, `fonts/<name>.<extension>`. */
  readonly packagePath: string;
  readonly bytes: Uint8Array;
}

const WORDS = {
  missing: 'Create the folder, or write the path of your fonts folder, like ./fonts',
  tooLarge: 'Remove unused fonts; the fonts become part of every template package, which can have at most 50 MB',
};

const FONT_FILE = /^(.+)\.(ttf|otf|woff2|woff)$/i;

/**
 * Reads the fonts of the folder in reelform.yaml and its subfolders, by name. Ignores other files. Returns none if no folder
 * is configured.
 */
export function readFontsFolder(
  folder: Config['fonts'],
  files: Pick<RepositoryFiles, 'root' | 'log'>,
): Result<ReadonlyMap<string, RepositoryFont>> {
  const fonts = new Map<string, RepositoryFont>();
  if (folder === null) return { ok: true, value: fonts };
  const { path: root, at } = folder;
  const read = readTemplateFolder(files.root, root, at, files.log, WORDS);
  if (!read.ok) return read;
  const diagnostics: Diagnostic[] = [];
  const refuse = (message: string, hint: string): void => {
    diagnostics.push(errorAt('template_invalid', at, message, hint));
  };
  for (const [below, bytes] of read.value) {
    const [, name, ending = ''] = FONT_FILE.exec(posix.basename(below)) ?? [];
    if (name === undefined) continue;
    const path = posix.join(root, below);
    const sameName = fonts.get(name);
    const problem = parseLfsPointer(bytes) === null ? fontProblem(bytes) : null;
    if (problem !== null) refuse(`The file ${JSON.stringify(path)} ${problem}`, 'Replace the font file, or remove it');
    if (sameName !== undefined)
      refuse(`${JSON.stringify(path)} and ${JSON.stringify(sameName.path)} are the same font`, 'Remove one');
    fonts.set(name, { path, packagePath: `fonts/${name}.${ending.toLowerCase()}`, bytes });
  }
  return diagnostics.length > 0 ? { ok: false, diagnostics } : { ok: true, value: fonts };
}

/** Returns the fonts that a package lacks, by their path in the package. */
export function missingFonts(
  fonts: ReadonlyMap<string, RepositoryFont>,
  packageFiles: ReadonlyMap<string, Uint8Array>,
): Map<string, RepositoryFont> {
  const fontFiles = [...packageFiles.keys()].filter((path) => posix.dirname(path) === 'fonts');
  const names = new Set(fontFiles.flatMap((path) => FONT_FILE.exec(posix.basename(path))?.[1] ?? []));
  const missing = [...fonts].filter(([name]) => !names.has(name));
  return new Map(missing.map(([, font]) => [font.packagePath, font]));
}
