import { nearest } from '../../nearest.ts';
import { fontHint } from '../lottie/resolve-fonts.ts';
import { isReplaced, usedStyles } from '../lottie/used-fonts.ts';
import type { Manifest } from '../manifest.ts';
import type { PackageProblem } from '../package-problem.ts';
import type { LottieDocument } from '../scene.ts';
import type { TemplatePackage } from '../template-package.ts';

/** Holds every font editable against the texts that it is meant to change and the fonts that are there to choose from. */
export function checkFontEditables(
  manifest: Manifest,
  animation: LottieDocument,
  { fonts, extraFonts }: Pick<TemplatePackage, 'fonts' | 'extraFonts'>,
): PackageProblem[] {
  const problems: PackageProblem[] = [];
  const carried = [...fonts.keys(), ...extraFonts.keys()];
  const texts = [...manifest.editables].flatMap(([key, { kind }]) => (kind === 'text' ? [key] : []));
  const styles = usedStyles(animation);
  const addAt = (key: string) => (message: string, hint?: string) =>
    void problems.push({ file: 'template.yaml', key, message, ...(hint === undefined ? {} : { hint }) });
  for (const [key, { font }] of manifest.editables) {
    if (font === null) continue;
    const add = addAt(key);
    const unknownTexts = (font.texts ?? []).filter((text) => !texts.includes(text));
    for (const text of unknownTexts) {
      const meant = nearest(text, texts);
      add(`${key} names the text ${text}, which is no editable`, meant === null ? undefined : `Did you mean ${meant}?`);
    }
    for (const name of font.allowedFonts ?? []) {
      if (!carried.includes(name))
        add(`${key} allows the font ${name}, which is not in the package`, fontHint(name, carried));
    }
    if (unknownTexts.length > 0 || styles.some(({ style, editable }) => isReplaced(font, style.f, editable))) continue;
    const used = [...new Set(styles.map(({ style }) => style.f))];
    const meant = nearest(font.replaces, used);
    const where = font.texts === null ? 'no text of the animation' : 'none of its texts';
    add(
      `${key} replaces ${font.replaces}, and ${where} is set in that`,
      meant === null ? undefined : `Did you mean ${meant}?`,
    );
  }
  return problems;
}
