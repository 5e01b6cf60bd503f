import type { SlotUse, SlotUses } from './lottie/lottie-slots.ts';
import type { EditableKind, Manifest } from './manifest.ts';
import type { PackageProblem } from './package-problem.ts';

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

function article(kind: EditableKind): string {
  return kind === 'image' || kind === 'audio' ? `an ${kind}` : `a ${kind}`;
}
