import { isRecord } from '../is-record.ts';
import { fontProblem } from './check-font.ts';
import { type LottieNode, type SlotUse, type SlotUses, textStyles } from './lottie-slots.ts';
import type { EditableKind, Manifest } from './manifest.ts';
import type { LottieDocument } from './scene.ts';
import type { PackageFile } from './template-package.ts';

/** Something wrong with a package: where in it, what, and what to do. */
export interface PackageProblem {
  /** The file below the package's folder that has to change. */
  readonly file: string;
  /** The editable or still of template.yaml that it is about, where there is one. */
  readonly key?: string;
  readonly message: string;
  readonly hint?: string;
  /** The key that no place of the animation has. */
  readonly unfilled?: string;
}

/** Pixels of an image's area. */
const MAX_SIDE = 8192;

const FONT_ENDINGS = ['ttf', 'otf', 'woff2', 'woff'];

const KEY_FORMS: Record<EditableKind, { readonly form: RegExp; readonly example: string }> = {
  text: { form: /^t_\d{2,}$/, example: 't_01' },
  color: { form: /^c_\d{2,}$/, example: 'c_01' },
  image: { form: /^\(Footage\)\/USER\/[^/]+$/, example: '(Footage)/USER/photo.jpg' },
};

const USE_KINDS: Record<EditableKind, SlotUse['kind']> = { text: 'text', color: 'property', image: 'image' };

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
    if (found === undefined) {
      problems.push({
        file,
        key,
        unfilled: key,
        message: `Nothing in animation.json is filled by ${key}`,
        hint: `Give a layer, property or asset of the animation "sid": "${key}"`,
      });
    } else if (found.some((use) => use.kind !== USE_KINDS[editable.kind])) {
      const kinds = [...new Set(found.map((use) => use.kind))].join(' and ');
      problems.push({
        file,
        key,
        message: `The editable ${key} is ${article(editable.kind)}, but in animation.json it fills ${kinds}`,
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

/** The font files that the animation's texts need, and what is missing of them. */
export function resolveFonts(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
): { fonts: Map<string, PackageFile>; problems: PackageProblem[] } {
  const fonts = new Map<string, PackageFile>();
  const problems: PackageProblem[] = [];
  const listed = isRecord(animation.fonts) && Array.isArray(animation.fonts.list) ? animation.fonts.list : [];
  for (const font of listed) {
    if (!isRecord(font) || typeof font.fName !== 'string') continue;
    const path = FONT_ENDINGS.map((ending) => `fonts/${font.fName}.${ending}`).find((name) => files.has(name));
    if (path === undefined) {
      const message = `The font ${font.fName} of the animation is not in the package`;
      problems.push({ file: 'animation.json', message, hint: `Add fonts/${font.fName}.ttf (or .otf, .woff2, .woff)` });
      continue;
    }
    const bytes = files.get(path)!;
    const problem = fontProblem(bytes);
    if (problem === null) fonts.set(font.fName, { path, bytes });
    else problems.push({ file: path, message: `The file ${problem}`, hint: 'Put the font in again' });
  }
  const names = new Set(listed.map((font) => (isRecord(font) ? font.fName : null)));
  for (const name of usedFonts(animation)) {
    if (!names.has(name)) {
      problems.push({ file: 'animation.json', message: `A text uses the font ${name}, which is not in fonts.list` });
    }
  }
  return { fonts, problems };
}

/** The image file behind each image asset that does not carry its image inside. */
export function resolveImages(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
): { images: Map<string, PackageFile>; problems: PackageProblem[] } {
  const images = new Map<string, PackageFile>();
  const problems: PackageProblem[] = [];
  for (const asset of animation.assets ?? []) {
    const name = asset.p;
    if (typeof name !== 'string' || name.startsWith('data:')) continue;
    const path = `${typeof asset.u === 'string' ? asset.u : ''}${name}`;
    const bytes = path.split('/').includes('..') ? undefined : files.get(path);
    const file = 'animation.json';
    if (![asset.w, asset.h].every(isSide)) {
      const size = `${asset.w}×${asset.h}`;
      problems.push({
        file,
        message: `The asset ${asset.id} is ${size}; it takes whole numbers of 1 to ${MAX_SIDE} pixels`,
      });
    } else if (bytes === undefined) {
      problems.push({ file, message: `The image ${path} of asset ${asset.id} is not in the package` });
    } else {
      images.set(asset.id, { path, bytes });
    }
  }
  return { images, problems };
}

function isSide(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SIDE;
}

function usedFonts(animation: LottieDocument): Set<string> {
  const names = new Set<string>();
  const visit = (layers: unknown): void => {
    if (!Array.isArray(layers)) return;
    for (const layer of layers as LottieNode[]) {
      if (isRecord(layer) && isRecord(layer.t) && isRecord(layer.t.d)) {
        for (const style of textStyles(layer.t.d)) names.add(style.f);
      }
    }
  };
  visit(animation.layers);
  for (const asset of animation.assets ?? []) visit(asset.layers);
  return names;
}

function article(kind: EditableKind): string {
  return kind === 'image' ? 'an image' : `a ${kind}`;
}
