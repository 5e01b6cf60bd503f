import { type EditableKind, isSlotKind, kindFacts, SLOT_KINDS, slotFacts } from '../contract/fields/editable-kinds.ts';
import { didYouMean } from '../kernel/hints.ts';
import { type SlotUse, type SlotUses, usedStyles } from './lottie/slots/lottie-slots.ts';
import { fitsProperty } from './lottie/slots/slot-property.ts';
import type { FontSlot, Manifest } from './parse-manifest.ts';
import type { LottieDocument } from './render-input.ts';
import { fontHint } from './resolve-package-files.ts';
import { MAX_HINTS, type PackageProblem, type TemplatePackage } from './template-package.ts';

const FOOTAGE = /^\(Footage\)\/USER\/[^/]+$/;

const USE_NAMES: Readonly<Record<SlotUse['kind'], string>> = {
  text: 'a text',
  property: 'a property',
  image: 'an image',
  sound: 'a sound',
};

/** Checks all editables of the manifest against the uses of their slots in the animation. */
export function checkEditables(manifest: Manifest, uses: SlotUses): PackageProblem[] {
  return [...manifest.editables].flatMap(([key, { kind, stillcut }]) => {
    const { keyLetter, keyExample } = kindFacts(kind);
    const form = keyLetter === null ? FOOTAGE : new RegExp(`^${keyLetter}_\\d{2,}$`);
    const problems: (Problem | null)[] = [
      form.test(key) ? null : { message: `The key of ${article(kind)} must have the form of ${keyExample}` },
      kind === 'font' ? fontUseProblem(key, uses.get(key)) : useProblem(key, kind, uses.get(key)),
      valueProblem(key, kind, uses.get(key)),
      manifest.stillcuts.has(stillcut)
        ? null
        : { message: `The editable ${key} refers to the stillcut ${stillcut}, which is not defined under stillcuts` },
    ];
    return problems.flatMap((problem) => (problem === null ? [] : [{ file: 'template.yaml', key, ...problem }]));
  });
}

type Problem = Pick<PackageProblem, 'message' | 'hint' | 'unfilled'>;

function fontUseProblem(key: string, uses: readonly SlotUse[] | undefined): Problem | null {
  if (uses === undefined) return null;
  const message = `${key} is a font, but the animation uses this name as a "sid"`;
  return { message, hint: 'A font is chosen by name: it needs no "sid"' };
}

function useProblem(key: string, kind: EditableKind, uses: readonly SlotUse[] | undefined): Problem | null {
  if (uses === undefined) {
    const hint = `Add "sid": "${key}" to a layer, property or asset of the animation`;
    return { unfilled: key, message: `No element of animation.json has the "sid" ${key}`, hint };
  }
  if (uses.every((use) => use.kind === kindFacts(kind).fills)) return null;
  const kinds = [...new Set(uses.map((use) => USE_NAMES[use.kind]))].join(' and ');
  const message = `The editable ${key} is ${article(kind)}, but in animation.json it fills ${kinds}`;
  return { message, ...(kind === 'audio' ? { hint: 'A sound must be an asset that a layer of type 6 plays' } : {}) };
}

/** Reports a number, point or gradient that fills properties of another form. */
function valueProblem(key: string, kind: EditableKind, uses: readonly SlotUse[] = []): Problem | null {
  if (!isSlotKind(kind)) return null;
  const isWrong = (use: SlotUse): boolean => use.kind === 'property' && !fitsProperty(kind, use.node);
  if (!uses.some(isWrong)) return null;
  const message = `The editable ${key} is ${article(kind)}, but the value that it fills in animation.json is not`;
  const fillings = SLOT_KINDS.map((slot) => `a ${slot} ${slotFacts(slot).filling}`);
  const hint = `A${fillings.slice(0, -1).join(', ').slice(1)}, and ${fillings.at(-1)}`;
  return { message, hint };
}

function article(kind: EditableKind): string {
  return kind === 'image' || kind === 'audio' ? `an ${kind}` : `a ${kind}`;
}

/** Checks all font editables against the texts that they apply to and the available fonts. */
export function checkFontEditables(
  manifest: Manifest,
  animation: LottieDocument,
  { fonts, extraFonts }: Pick<TemplatePackage, 'fonts' | 'extraFonts'>,
): PackageProblem[] {
  const problems: PackageProblem[] = [];
  const availableFonts = new Set([...fonts.keys(), ...extraFonts.keys()]);
  const texts = new Set([...manifest.editables].flatMap(([key, { kind }]) => (kind === 'text' ? [key] : [])));
  /** Font → the editables that fill texts with this font. */
  const usesOf = new Map<string, Set<string | null>>();
  for (const { style, editable } of usedStyles(animation)) {
    usesOf.set(style.f, (usesOf.get(style.f) ?? new Set()).add(editable));
  }
  const isUsed = ({ replaces, texts: chosen }: FontSlot): boolean => {
    const uses = usesOf.get(replaces);
    return uses !== undefined && (chosen === null || chosen.some((text) => uses.has(text)));
  };
  const suggest = (name: string, names: Iterable<string>) =>
    problems.length < MAX_HINTS ? didYouMean(name, names) : undefined;
  const addAt = (key: string) => (message: string, hint?: string) =>
    void problems.push({ file: 'template.yaml', key, message, hint });
  for (const [key, { font }] of manifest.editables) {
    if (font === null) continue;
    const add = addAt(key);
    const unknownTexts = (font.texts ?? []).filter((text) => !texts.has(text));
    for (const text of unknownTexts) {
      add(`${key} refers to the text ${text}, which is not an editable`, suggest(text, texts));
    }
    for (const name of font.allowedFonts ?? []) {
      if (availableFonts.has(name)) continue;
      const hint = problems.length < MAX_HINTS ? fontHint(name, availableFonts) : undefined;
      add(`${key} allows the font ${name}, which is not in the package`, hint);
    }
    if (unknownTexts.length > 0 || isUsed(font)) continue;
    const where = font.texts === null ? 'no text of the animation' : 'none of its texts';
    add(`${key} replaces ${font.replaces}, but ${where} uses it`, suggest(font.replaces, usesOf.keys()));
  }
  return problems;
}
