import type { Span } from '../diagnostic.ts';
import { mergeSettings, settingsIn } from './font-settings.ts';
import { usedStyles } from './lottie/lottie-slots.ts';
import type { FontSettings } from './scene.ts';
import type { PackageFile, TemplatePackage } from './template-package.ts';

/** A font of a package as something sets it. */
export interface FontUse extends PackageFile, FontSettings {
  readonly name: string;
  /** Where template.yaml sets it; null if it is used as it is. */
  readonly at: Span | null;
}

/** Returns every font of a package with its settings, and again for each text with settings of its own. */
export function fontUses({ fonts, extraFonts, manifest, animation }: TemplatePackage): FontUse[] {
  const all = new Map([...fonts, ...extraFonts]);
  const own = [...all].map(([name, file]): FontUse => ({ name, ...file, at: manifest.fonts.get(name)?.at ?? null }));
  const texts = usedStyles(animation).flatMap(({ style, editable }): FontUse[] => {
    const text = editable === null ? undefined : manifest.editables.get(editable);
    const file = all.get(style.f);
    if (text === undefined || file === undefined || settingsIn(text.settings) === null) return [];
    return [{ name: style.f, ...file, ...mergeSettings(file, text.settings), at: text.at }];
  });
  const distinct = new Map(texts.map((use) => [`${use.name}\n${use.at?.start}`, use]));
  return [...own, ...distinct.values()];
}
