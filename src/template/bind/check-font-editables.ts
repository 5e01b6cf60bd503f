import { closestMatch } from '../../hints.ts';
import { fontHint } from '../lottie/resolve-fonts.ts';
import { usedStyles } from '../lottie/used-fonts.ts';
import type { FontSlot, Manifest } from '../manifest.ts';
import type { PackageProblem } from '../package-problem.ts';
import type { LottieDocument } from '../scene.ts';
import type { TemplatePackage } from '../template-package.ts';

/** A list of mistakes that is longer is read by nobody, and each hint takes a look at every name. */
const MOST_HINTS = 100;

/** Holds every font editable against the texts that it is meant to change and the fonts that are there to choose from. */
export function checkFontEditables(
  manifest: Manifest,
  animation: LottieDocument,
  { fonts, extraFonts }: Pick<TemplatePackage, 'fonts' | 'extraFonts'>,
): PackageProblem[] {
  const problems: PackageProblem[] = [];
  const carried = new Set([...fonts.keys(), ...extraFonts.keys()]);
  const texts = new Set([...manifest.editables].flatMap(([key, { kind }]) => (kind === 'text' ? [key] : [])));
  /** Editables that fill texts in a font. */
  const usesOf = new Map<string, Set<string | null>>();
  for (const { style, editable } of usedStyles(animation)) {
    usesOf.set(style.f, (usesOf.get(style.f) ?? new Set()).add(editable));
  }
  const isUsed = ({ replaces, texts: chosen }: FontSlot): boolean => {
    const uses = usesOf.get(replaces);
    return uses !== undefined && (chosen === null || chosen.some((text) => uses.has(text)));
  };
  const near = (name: string, names: Iterable<string>) =>
    problems.length < MOST_HINTS ? closestMatch(name, names) : null;
  const addAt = (key: string) => (message: string, hint?: string) =>
    void problems.push({ file: 'template.yaml', key, message, ...(hint === undefined ? {} : { hint }) });
  for (const [key, { font }] of manifest.editables) {
    if (font === null) continue;
    const add = addAt(key);
    const unknownTexts = (font.texts ?? []).filter((text) => !texts.has(text));
    for (const text of unknownTexts) {
      const meant = near(text, texts);
      add(`${key} names the text ${text}, which is no editable`, meant === null ? undefined : `Did you mean ${meant}?`);
    }
    for (const name of font.allowedFonts ?? []) {
      if (carried.has(name)) continue;
      const hint = problems.length < MOST_HINTS ? fontHint(name, carried) : undefined;
      add(`${key} allows the font ${name}, which is not in the package`, hint);
    }
    if (unknownTexts.length > 0 || isUsed(font)) continue;
    const meant = near(font.replaces, usesOf.keys());
    const where = font.texts === null ? 'no text of the animation' : 'none of its texts';
    add(
      `${key} replaces ${font.replaces}, and ${where} is set in that`,
      meant === null ? undefined : `Did you mean ${meant}?`,
    );
  }
  return problems;
}
