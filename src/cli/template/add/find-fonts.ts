import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import type { Config } from '../../../reconciler/project/config.ts';
import { fontProblem } from '../../../template/check-font.ts';
import { weightInName } from '../../../template/font-weight.ts';
import { substituteFor } from '../../../template/init/substitute-fonts.ts';
import { packageRoot } from '../../own-package.ts';
import { npmPackage } from './open-origin.ts';

/** A font that an animation names and that did not come with it. */
export interface MissingFont {
  readonly name: string;
  readonly family: string;
  readonly style: string;
}

/** Files for a missing font. */
export interface FoundFont {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Further files for the folder `fonts/`: licences, and fonts with further characters. */
  readonly furtherFiles: ReadonlyMap<string, Uint8Array>;
  /** `given` or `repository`: the font itself; `npm`: an open font from npm; `substitute`: another font. */
  readonly origin: 'given' | 'repository' | 'npm' | 'substitute';
  /** Name of the file or package. */
  readonly from: string;
  /** Whether all characters are as wide as in the missing font; null if unknown. */
  readonly hasSameWidths: boolean | null;
}

const FONT_FILE = /\.(?:ttf|otf|woff2|woff)$/i;
const LICENCE = /(?:^|[/_-])(?:OFL|UFL|LICEN[CS]E)[^/]*$/i;
/** Subsets of a font of @fontsource, beside `latin`, that are added for further characters. */
const SUBSETS = ['latin-ext', 'cyrillic', 'greek', 'vietnamese', 'arabic', 'hebrew', 'devanagari', 'thai'];

/** Option `--font` for all missing fonts: those of npm with the same name. */
const NPM_FONTS = 'npm';

/**
 * Finds files for missing fonts: those of `--font`, those of the repository, and otherwise an open substitute.
 *
 * @param options values of `--font`: `NAME=FILE`, `NAME=npm:PACKAGE`, or `npm`
 * @throws ReelformError `missing_file`, `template_invalid`
 */
export async function findFonts(
  missing: readonly MissingFont[],
  options: readonly string[],
  { root, directory, config }: { readonly root: string; readonly directory: string; readonly config: Config },
): Promise<FoundFont[]> {
  const fontOptions = new Map(options.filter((option) => option !== NPM_FONTS).map(parseOption));
  const unknown = [...fontOptions.keys()].filter((name) => missing.every((font) => !matches(name, font)));
  if (unknown.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new ReelformError('missing_file', `No missing font is called ${unknown.join(', ')}`, {
      hint: missing.length === 0 ? 'The animation lacks no font' : `The animation lacks ${names}`,
    });
  }
  const repository = repositoryFonts(root, config);
  const found: FoundFont[] = [];
  for (const font of missing) {
    const [, file] = [...fontOptions].find(([name]) => matches(name, font)) ?? [];
    if (file !== undefined) {
      found.push(
        file.startsWith('npm:') ? await fontFromNpm(font, file.slice(4)) : fontFromFile(font, file, directory),
      );
      continue;
    }
    const fileEntry = repository.find(([name]) => matches(name, font));
    if (fileEntry !== undefined) found.push({ ...fontFromFile(font, fileEntry[1], root), origin: 'repository' });
    else if (options.includes(NPM_FONTS)) found.push(await fontFromNpm(font, null));
    else found.push(substitute(font));
  }
  return found;
}

function parseOption(option: string): [name: string, file: string] {
  const at = option.indexOf('=');
  if (at > 0 && at < option.length - 1) return [option.slice(0, at), option.slice(at + 1)];
  throw new ReelformError('missing_file', `--font ${option} is not NAME=FILE`, {
    hint: 'Write it like Inter-Bold=./Inter-Bold.ttf, Inter-Bold=npm:@fontsource/inter, or npm for all missing fonts',
  });
}

/** Compares font names as programs write them: `Open Sans Bold`, `OpenSans-Bold`. */
function matches(name: string, { name: missing, family, style }: MissingFont): boolean {
  const names = [missing, `${family}-${style}`, ...(/^regular$/i.test(style) ? [family] : [])].map(bare);
  return names.includes(bare(name));
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the fonts of the repository's folder and of its template packages: name → absolute path. */
function repositoryFonts(root: string, { fonts, templates }: Config): [name: string, path: string][] {
  const folders = [
    ...(fonts === null ? [] : [join(root, fonts.path)]),
    ...[...templates.values()].flatMap((template) =>
      template.kind === 'package' ? [join(root, template.path, 'fonts')] : [],
    ),
  ];
  return folders.flatMap((folder) =>
    filesIn(folder)
      .filter((file) => FONT_FILE.test(file))
      .map((file): [string, string] => [file.replace(FONT_FILE, ''), join(folder, file)]),
  );
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function fontFromFile({ name }: MissingFont, file: string, directory: string): FoundFont {
  const path = resolve(directory, file);
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ReelformError('missing_file', `The font ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const problem = fontProblem(bytes);
  if (problem !== null) throw new ReelformError('template_invalid', `The file ${file} ${problem}`);
  const folder = join(path, '..');
  const licences = filesIn(folder).filter((sibling) => LICENCE.test(sibling) && !FONT_FILE.test(sibling));
  const furtherFiles = new Map(licences.map((licence) => [licence, readFileSync(join(folder, licence))]));
  return { name, bytes, furtherFiles, origin: 'given', from: basename(path), hasSameWidths: null };
}

/**
 * Downloads an open font of @fontsource from npm.
 *
 * @param spec name of the package; null to derive it from the family
 */
async function fontFromNpm(font: MissingFont, spec: string | null): Promise<FoundFont> {
  const family = font.family === '' ? font.name.split('-')[0]! : font.family;
  const dashed = family.replaceAll(/([a-z])([A-Z])/g, '$1-$2').replaceAll(/[^A-Za-z0-9]+/g, '-');
  const name = spec ?? `@fontsource/${dashed.toLowerCase()}`;
  const files = await npmPackage(name);
  const all = bare(`${font.name} ${font.style}`);
  const weight = weightInName(all) ?? 400;
  const slope = /italic|oblique/.test(all) ? 'italic' : 'normal';
  const offered = [...files.keys()].flatMap((path) => {
    const [, subset, offeredWeight, style] = /^files\/.*?-(latin)-(\d+)-(normal|italic)\.woff2$/.exec(path) ?? [];
    return subset === undefined
      ? []
      : [{ path, distance: Math.abs(Number(offeredWeight) - weight) + (style === slope ? 0 : 50) }];
  });
  const [best] = offered.sort((a, b) => a.distance - b.distance);
  if (best === undefined) {
    throw new ReelformError('missing_file', `The package ${name} has no Latin font`, {
      hint: 'Name a package of @fontsource, such as npm:@fontsource/inter',
    });
  }
  const furtherFiles = new Map<string, Uint8Array>();
  const stem = name.split('/').at(-1)!.replace(/@.*$/, '');
  for (const subset of SUBSETS) {
    const bytes = files.get(best.path.replace('-latin-', `-${subset}-`));
    if (bytes !== undefined) furtherFiles.set(`${font.name.replaceAll(/[^\w-]+/g, '-')}-${subset}.woff2`, bytes);
  }
  const licence = files.get('LICENSE');
  if (licence !== undefined) furtherFiles.set(`LICENSE-${stem}.txt`, licence);
  return {
    name: font.name,
    bytes: files.get(best.path)!,
    furtherFiles,
    origin: 'npm',
    from: name,
    hasSameWidths: null,
  };
}

/** Returns an open font of this package in place of a missing font, with its licence. */
function substitute(font: MissingFont): FoundFont {
  const { name, hasSameWidths } = substituteFor(font);
  const fonts = bundledFont(name);
  return { ...fonts, name: font.name, origin: 'substitute', from: name, hasSameWidths };
}

/** Reads a font of this package, with its licence and the fonts for further characters. */
export function bundledFont(name: string): Pick<FoundFont, 'bytes' | 'furtherFiles'> {
  const folder = join(packageRoot(), 'starter/fonts');
  const family = name.split('-')[0]!;
  const furtherFiles = filesIn(folder).filter((file) => file.startsWith(`${name}-`) || file === `OFL-${family}.txt`);
  return {
    bytes: readFileSync(join(folder, `${name}.woff2`)),
    furtherFiles: new Map(furtherFiles.map((file) => [file, readFileSync(join(folder, file))])),
  };
}
