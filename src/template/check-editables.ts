import { isSlotKind } from '../contract/wire/slot-text.ts';
import { didYouMean } from '../kernel/hints.ts';
import { type SlotUse, type SlotUses, usedStyles } from './lottie/slots/lottie-slots.ts';
import { propertyKind } from './lottie/slots/slot-property.ts';
import type { EditableKind, FontSlot, Manifest } from './parse-manifest.ts';
import type { LottieDocument } from './render-input.ts';
import { fontHint } from './resolve-package-files.ts';
import { MAX_HINTS, type PackageProblem, type TemplatePackage } from './template-package.ts';

const FOOTAGE = /^\(Footage\)\/USER\/[^/]+$/;

const KEY_FORMS: Record<EditableKind, { readonly form: RegExp; readonly example: string }> = {
  text: { form: /^t_\d{2,}$/, example: 't_01' },
  color: { form: /^c_\d{2,}$/, example: 'c_01' },
  number: { form: /^n_\d{2,}$/, example: 'n_01' },
  point: { form: /^p_\d{2,}$/, example: 'p_01' },
  gradient: { form: /^g_\d{2,}$/, example: 'g_01' },
  image: { form: FOOTAGE, example: '(Footage)/USER/photo.jpg' },
  video: { form: FOOTAGE, example: '(Footage)/USER/clip.mp4' },
  audio: { form: FOOTAGE, example: '(Footage)/USER/music.mp3' },
  font: { form: /^f_\d{2,}$/, example: 'f_01' },
};

/** Kind of slot use for each kind of editable; a font has none. */
const USE_KINDS: Readonly<Record<Exclude<EditableKind, 'font'>, SlotUse['kind']>> = {
  text: 'text',
  color: 'property',
  number: 'property',
  point: 'property',
  gradient: 'property',
  image: 'image',
  video: 'image',
  audio: 'sound',
};

const USE_NAMES: Readonly<Record<SlotUse['kind'], string>> = {
  text: 'a text',
  property: 'a property',
  image: 'an image',
  sound: 'a sound',
};

/** Checks all editables of the manifest against the uses of their slots in the animation. */
export function checkEditables(manifest: Manifest, uses: SlotUses): PackageProblem[] {
  return [...manifest.editables].flatMap(([key, { kind, stillcut }]) => {
    const { form, example } = KEY_FORMS[kind];
    const problems: (Problem | null)[] = [
      form.test(key) ? null : { message: `The key of ${article(kind)} must have the form of ${example}` },
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

function useProblem(key: string, kind: keyof typeof USE_KINDS, uses: readonly SlotUse[] | undefined): Problem | null {
  if (uses === undefined) {
    const hint = `Add "sid": "${key}" to a layer, property or asset of the animation`;
    return { unfilled: key, message: `No element of animation.json has the "sid" ${key}`, hint };
  }
  if (uses.every((use) => use.kind === USE_KINDS[kind])) return null;
  const kinds = [...new Set(uses.map((use) => USE_NAMES[use.kind]))].join(' and ');
  const message = `The editable ${key} is ${article(kind)}, but in animation.json it fills ${kinds}`;
  return { message, ...(kind === 'audio' ? { hint: 'A sound must be an asset that a layer of type 6 plays' } : {}) };
}

/** Reports a number, point or gradient that fills properties of another form. */
function valueProblem(key: string, kind: EditableKind, uses: readonly SlotUse[] = []): Problem | null {
  const isWrong = (use: SlotUse): boolean => use.kind === 'property' && propertyKind(use.node) !== kind;
  if (!isSlotKind(kind) || !uses.some(isWrong)) return null;
  const message = `The editable ${key} is ${article(kind)}, but the value that it fills in animation.json is not`;
  const hint = 'A number fills one value, a point two or three, and a gradient the "g" of a gradient fill or stroke';
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
