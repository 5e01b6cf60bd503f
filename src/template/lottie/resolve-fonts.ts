import { closestMatch } from '../../hints.ts';
import { fontProblem } from '../check-font.ts';
import { fontNames } from '../derive-spec.ts';
import type { Manifest } from '../manifest.ts';
import type { PackageProblem } from '../package-problem.ts';
import type { LottieDocument } from '../scene.ts';
import type { PackageFile, TemplatePackage } from '../template-package.ts';
import { usedFonts } from './used-fonts.ts';

/** The first of a name wins. */
/** Each takes a look at every name. */
const MOST_HINTS = 100;

const FONT_ENDINGS = ['ttf', 'otf', 'woff2', 'woff'];

export interface ResolvedFonts extends Pick<TemplatePackage, 'fonts' | 'extraFonts' | 'fallbackFonts'> {
  readonly problems: PackageProblem[];
}

/**
 * The font files of a package: those that its animation names, and all others that lie in `fonts/`, which an editable can
 * choose and which stand in for glyphs that a text's own font lacks. With what is missing or damaged of them.
 */
export function resolveFonts(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Pick<Manifest, 'fallbackFonts'>,
): ResolvedFonts {
  const carried = fontFiles(files);
  const listed = new Set(fontNames(animation));
  const problems: PackageProblem[] = [];
  for (const { path, bytes } of carried.values()) {
    const problem = fontProblem(bytes);
    if (problem !== null) problems.push({ file: path, message: `The file ${problem}`, hint: 'Put the font in again' });
  }
  for (const name of listed) {
    if (carried.has(name)) continue;
    const message = `The font ${name} of the animation is not in the package`;
    problems.push({ file: 'animation.json', message, hint: `Add fonts/${name}.ttf (or .otf, .woff2, .woff)` });
  }
  for (const name of usedFonts(animation)) {
    if (listed.has(name)) continue;
    problems.push({ file: 'animation.json', message: `A text uses the font ${name}, which is not in fonts.list` });
  }
  for (const [name, at] of manifest.fallbackFonts) {
    if (carried.has(name)) continue;
    const message = `The font ${name} of fallback_fonts is not in the package`;
    const hint = problems.length < MOST_HINTS ? fontHint(name, carried.keys()) : undefined;
    problems.push({ file: 'template.yaml', at, message, ...(hint === undefined ? {} : { hint }) });
  }
  const extraNames = [...carried.keys()].filter((name) => !listed.has(name));
  return {
    fonts: pick(carried, listed),
    extraFonts: pick(carried, extraNames),
    fallbackFonts: [...new Set([...manifest.fallbackFonts.keys(), ...extraNames])],
    problems,
  };
}

/** What to do about a font that a package lacks. */
export function fontHint(name: string, carried: Iterable<string>): string {
  const meant = closestMatch(name, carried);
  return meant === null ? `Add fonts/${name}.ttf (or .otf, .woff2, .woff)` : `Did you mean ${meant}?`;
}

/** The files directly in `fonts/`, by name without ending, in the order of names. */
function fontFiles(files: ReadonlyMap<string, Uint8Array>): Map<string, PackageFile> {
  const found = new Map<string, PackageFile & { readonly rank: number }>();
  for (const [path, bytes] of files) {
    const [, name, ending] = /^fonts\/([^/]+)\.([a-z0-9]+)$/i.exec(path) ?? [];
    const rank = FONT_ENDINGS.indexOf(ending?.toLowerCase() ?? '');
    if (name === undefined || rank === -1 || rank > (found.get(name)?.rank ?? rank)) continue;
    found.set(name, { path, bytes, rank });
  }
  const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(inOrder.map(([name, { path, bytes }]) => [name, { path, bytes }]));
}

function pick(files: ReadonlyMap<string, PackageFile>, names: Iterable<string>): Map<string, PackageFile> {
  return new Map([...names].flatMap((name) => (files.has(name) ? [[name, files.get(name)!] as const] : [])));
}
