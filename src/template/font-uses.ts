import type { Span } from '../kernel/diagnostic.ts';
import { mergeSettings, settingsIn } from './font-settings.ts';
import { isReplaced, usedStyles } from './lottie/slots/lottie-slots.ts';
import type { FontSettings } from './render-input.ts';
import type { PackageFile, TemplatePackage } from './template-package.ts';

/** A font of a package with certain settings. */
export interface FontUse extends PackageFile, FontSettings {
  readonly name: string;
  /** Location of the settings in template.yaml; null without settings. */
  readonly at: Span | null;
}

/**
 * Returns the fonts of a package with all settings in which they can be used: the settings of the font, of texts, and of font
 * editables that can choose the font.
 */
export function fontUses({ fonts, extraFonts, manifest, animation }: TemplatePackage): FontUse[] {
  const all = new Map([...fonts, ...extraFonts]);
  const packaged = [...all].map(
    ([name, file]): FontUse => ({ name, ...file, at: manifest.fonts.get(name)?.at ?? null }),
  );
  const slots = [...manifest.editables.values()].filter(({ font }) => font !== null);
  const uses = usedStyles(animation).flatMap(({ style, editable }): FontUse[] => {
    const text = manifest.editables.get(editable ?? '');
    const choices = slots
      .filter(({ font }) => isReplaced(font!, style.f, editable))
      .flatMap((slot) => (slot.font!.allowedFonts ?? [...all.keys()]).map((name) => ({ name, slot })));
    return [{ name: style.f, slot: undefined }, ...choices].flatMap(({ name, slot }): FontUse[] => {
      const settings = mergeSettings(slot?.settings ?? {}, text?.settings ?? {});
      const at = (settingsIn(text?.settings ?? {}) === null ? slot : text)?.at ?? null;
      const file = all.get(name);
      if (file === undefined || settingsIn(settings) === null) return [];
      return [{ name, ...file, ...mergeSettings(file, settings), at }];
    });
  });
  const distinct = new Map(uses.map((use) => [JSON.stringify([use.name, use.at?.start, settingsIn(use)]), use]));
  return [...packaged, ...distinct.values()];
}
