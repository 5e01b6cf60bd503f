import type { Span } from '../diagnostic.ts';
import { nearest } from '../nearest.ts';
import type { SlotUse, SlotUses } from './lottie-slots.ts';
import type { EditableKind, FontSlot, Manifest } from './manifest.ts';
import { fontHint } from './resolve-fonts.ts';
import type { LottieDocument } from './scene.ts';
import type { TemplatePackage } from './template-package.ts';
import { usedStyles } from './used-fonts.ts';

/** Something wrong with a package: where in it, what, and what to do. */
export interface PackageProblem {
  /** The file below the package's folder that has to change. */
  readonly file: string;
  /** The editable or still of template.yaml that it is about, where there is one. */
  readonly key?: string;
  /** Where in template.yaml, where that is not the editable. */
  readonly at?: Span;
  readonly message: string;
  readonly hint?: string;
  /** The key that no place of the animation has. */
  readonly unfilled?: string;
}

const FOOTAGE = /^\(Footage\)\/USER\/[^/]+$/;

const KEY_FORMS: Record<EditableKind, { readonly form: RegExp; readonly example: string }> = {
  text: { form: /^t_\d{2,}$/, example: 't_01' },
  color: { form: /^c_\d{2,}$/, example: 'c_01' },
  image: { form: FOOTAGE, example: '(Footage)/USER/photo.jpg' },
  video: { form: FOOTAGE, example: '(Footage)/USER/clip.mp4' },
  audio: { form: FOOTAGE, example: '(Footage)/USER/music.mp3' },
  font: { form: /^f_\d{2,}$/, example: 'f_01' },
};

/** What an editable fills; a font fills no place of its own. */
const USE_KINDS: Readonly<Record<Exclude<EditableKind, 'font'>, SlotUse['kind']>> = {
  text: 'text',
  color: 'property',
  image: 'image',
  video: 'image',
  audio: 'sound',
};

const WHERE: Readonly<Record<SlotUse['kind'], string>> = {
  text: 'a text',
  property: 'a property',
  image: 'an image',
  sound: 'a sound',
};

/** Holds every editable of the manifest against the place in the animation that it is meant to fill. */
export function checkEditables(manifest: Manifest, uses: SlotUses): PackageProblem[] {
  const problems: PackageProblem[] = [];
  for (const [key, editable] of manifest.editables) {
    const file = 'template.yaml';
    const { form, example } = KEY_FORMS[editable.kind];
    if (!form.test(key)) {
      problems.push({ file, key, message: `The key of ${article(editable.kind)} must have the form of ${example}` });
    }
    const found = uses.get(key);
    if (editable.kind === 'font') {
      if (found !== undefined) {
        const message = `${key} is a font, but the animation has places of that name`;
        problems.push({ file, key, message, hint: 'A font is chosen by name: it needs no "sid"' });
      }
    } else if (found === undefined) {
      problems.push({
        file,
        key,
        unfilled: key,
        message: `Nothing in animation.json is filled by ${key}`,
        hint: `Give a layer, property or asset of the animation "sid": "${key}"`,
      });
    } else if (found.some(({ kind }) => kind !== USE_KINDS[editable.kind as keyof typeof USE_KINDS])) {
      const kinds = [...new Set(found.map(({ kind }) => WHERE[kind]))].join(' and ');
      problems.push({
        file,
        key,
        message: `The editable ${key} is ${article(editable.kind)}, but in animation.json it fills ${kinds}`,
        ...(editable.kind === 'audio' ? { hint: 'A sound is an asset that a layer of type 6 plays' } : {}),
      });
    }
    if (!manifest.stillcuts.has(editable.stillcut)) {
      problems.push({
        file,
        key,
        message: `The editable ${key} is shown on the still ${editable.stillcut}, which is not under stillcuts`,
      });
    }
  }
  return problems;
}

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

/** Whether an editable of kind font replaces the font of a text. */
export function isReplaced({ replaces, texts }: FontSlot, font: string, editable: string | null): boolean {
  return font === replaces && (texts === null || (editable !== null && texts.includes(editable)));
}

function article(kind: EditableKind): string {
  return kind === 'image' || kind === 'audio' ? `an ${kind}` : `a ${kind}`;
}
