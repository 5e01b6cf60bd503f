import { type EditableKind, isSlotKind, kindFacts, SLOT_KINDS, slotFacts } from '../contract/fields/editable-kinds.ts';
import { type Diagnostic, errorAt, type Result, startOf } from '../kernel/diagnostic.ts';
import type { Sha256 } from '../kernel/digest.ts';
import { parseLfsPointer, pointerError } from '../kernel/file-kind.ts';
import { didYouMean } from '../kernel/hints.ts';
import { checkJsonBounds } from '../kernel/json.ts';
import { deriveSpec } from './derive-spec.ts';
import { checkAnimation, MAX_DEPTH } from './lottie/check-animation.ts';
import { findSlotUses, type SlotUse, type SlotUses, usedStyles } from './lottie/slots/lottie-slots.ts';
import { fitsProperty } from './lottie/slots/slot-property.ts';
import { placeFrames } from './package-timing.ts';
import { type FontSlot, type Manifest, parseManifest } from './parse-manifest.ts';
import type { LottieDocument, Still } from './render-input.ts';
import { fontHint, resolveFonts, resolveImages, resolveSounds } from './resolve-package-files.ts';
import { MAX_HINTS, type PackageProblem, packageDigest, type TemplatePackage } from './template-package.ts';

/** Limits that allow several megabytes of layers, shapes and keyframes. An embedded image counts as a single value. */
export const ANIMATION_BOUNDS = { values: 1_500_000, depth: 1_000, numberBytes: 1_000 };

/** Files that every package has. */
const TEXTS: readonly string[] = ['template.yaml', 'animation.json'];

/** A set that contains all strings. */
const ANY: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

/**
 * Reads a template package from its files. Returns a package that can be rendered, or all problems.
 *
 * @param folder repository-relative, with `/` as separator; empty for a package without a folder
 * @param files all files below the folder, by relative path
 * @param options.acceptsPointers true for a package that can be planned with but not drawn: its fonts, images and sounds may
 *   be Git LFS pointers
 */
export function parseTemplatePackage(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  { acceptsPointers = false }: { readonly acceptsPointers?: boolean } = {},
): Result<TemplatePackage> {
  const pointers = pointersIn(files).filter((path) => !acceptsPointers || TEXTS.includes(path));
  if (pointers.length > 0) {
    const diagnostics = pointers.map((path) => pointerError(pathIn(folder, path), startOf(pathIn(folder, path))));
    return { ok: false, diagnostics };
  }
  const text = (name: string): string | undefined => {
    const bytes = files.get(name);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  };
  const manifestText = text('template.yaml');
  const animationText = text('animation.json');
  const missing = TEXTS.filter((name) => !files.has(name));
  if (manifestText === undefined || animationText === undefined) {
    return { ok: false, diagnostics: missing.map((file) => missingFile(folder, file)) };
  }
  const animationBytes = files.get('animation.json')!;
  const isShallow = checkJsonBounds(animationBytes, { ...ANIMATION_BOUNDS, depth: MAX_DEPTH }) === null;
  const excess = isShallow ? null : checkJsonBounds(animationBytes, ANIMATION_BOUNDS);
  if (excess !== null) {
    const message = `The animation has ${excess}, which takes too long to render`;
    const hint = 'Reduce keyframes and points, or replace complex parts with an image or a video';
    return { ok: false, diagnostics: [toDiagnostic({ file: 'animation.json', message, hint }, folder, null)] };
  }
  const manifest = parseManifest(pathIn(folder, 'template.yaml'), manifestText);
  const animation = parseAnimation(animationText, isShallow);
  const diagnostics = [
    ...(manifest.ok ? [] : manifest.diagnostics),
    ...animation.problems.map((message) => toDiagnostic({ file: 'animation.json', message }, folder, null)),
  ];
  if (!manifest.ok || animation.document === null) return { ok: false, diagnostics };
  return assemble(folder, files, manifest.value, animation.document);
}

/** Returns the paths of the files of a package that are Git LFS pointers. */
export function pointersIn(files: ReadonlyMap<string, Uint8Array>): string[] {
  return [...files].filter(([, bytes]) => parseLfsPointer(bytes) !== null).map(([path]) => path);
}

function assemble(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Manifest,
  animation: LottieDocument,
): Result<TemplatePackage> {
  const uses = findSlotUses(animation);
  const { problems: fontProblems, ...fonts } = resolveFonts(animation, files, manifest);
  const { problems: imageProblems, images } = resolveImages(animation, files);
  const { problems: soundProblems, sounds } = resolveSounds(animation, files);
  const frameCount = Math.round(animation.op - animation.ip);
  const places =
    manifest.timing === null ? null : placeFrames(manifest.timing, { fps: animation.fr, frames: frameCount });
  const problems = [
    ...checkFrames(animation),
    ...(places?.problems ?? []),
    ...checkEditables(manifest, uses),
    ...checkFontEditables(manifest, animation, fonts),
    ...fontProblems,
    ...imageProblems,
    ...soundProblems,
  ];
  if (problems.length > 0) {
    return {
      ok: false,
      diagnostics: problems.map((problem, index) =>
        toDiagnostic(index < MAX_HINTS ? suggestSlot(problem, [...uses.keys()]) : problem, folder, manifest),
      ),
    };
  }
  const parts = {
    folder,
    manifest,
    animation,
    ...fonts,
    images,
    sounds,
    width: animation.w,
    height: animation.h,
    fps: animation.fr,
    frameCount,
    stills: stillFrames(manifest, animation.fr, frameCount),
  };
  const digest = digestOf(parts);
  if (typeof digest === 'object') return { ok: false, diagnostics: [toDiagnostic(digest, folder, null)] };
  const id = `tsv_${digest.slice(0, 24)}`;
  return { ok: true, value: { ...parts, digest, spec: deriveSpec(id, { ...parts, uses, timing: places?.timing }) } };
}

/** Computes the digest. Returns a problem for lone surrogates in texts and for numbers out of range. */
function digestOf(parts: Parameters<typeof packageDigest>[0]): Sha256 | PackageProblem {
  try {
    return packageDigest(parts);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { file: 'animation.json', message: `The animation is not portable JSON: ${error.message}` };
  }
}

function parseAnimation(
  text: string,
  isShallow: boolean,
): { document: LottieDocument | null; problems: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { document: null, problems: [`The animation is not valid JSON: ${(error as Error).message}`] };
  }
  // The package's files are checked later, by name.
  const problems = checkAnimation(value, { suppliedAssets: ANY, suppliedFonts: ANY, isShallow });
  return { document: problems.length === 0 ? (value as LottieDocument) : null, problems };
}

/** Checks that there is at least one frame, and that sides are even because chroma is subsampled. */
function checkFrames({ w, h, ip, op }: LottieDocument): PackageProblem[] {
  if (Math.round(op - ip) < 1) return [{ file: 'animation.json', message: 'The animation is shorter than one frame' }];
  if (w % 2 === 0 && h % 2 === 0) return [];
  return [{ file: 'animation.json', message: `The size is ${w}×${h}, but both must be even whole numbers` }];
}

/** Suggests the nearest slot, because a misspelt name is more likely than a missing slot. */
function suggestSlot(problem: PackageProblem, slots: readonly string[]): PackageProblem {
  return problem.unfilled === undefined
    ? problem
    : { ...problem, hint: didYouMean(problem.unfilled, slots) ?? problem.hint };
}

function missingFile(folder: string, file: string): Diagnostic {
  const message = `The template package${folder === '' ? '' : ` ${folder}`} has no ${file}`;
  return errorAt('template_invalid', startOf(pathIn(folder, file)), message);
}

function toDiagnostic(problem: PackageProblem, folder: string, manifest: Manifest | null): Diagnostic {
  const editable = manifest?.editables.get(problem.key ?? '');
  const at = problem.at ?? editable?.at ?? startOf(pathIn(folder, problem.file));
  return errorAt('template_invalid', at, problem.message, problem.hint);
}

function pathIn(folder: string, file: string): string {
  return folder === '' ? file : `${folder}/${file}`;
}

/** Returns the frames of the stills; a time after the end gives the last frame. */
function stillFrames(manifest: Manifest, fps: number, frameCount: number): Still[] {
  return [...manifest.stillcuts].map(([name, { timeSeconds }]) => ({
    name,
    frame: Math.min(frameCount - 1, Math.round(timeSeconds * fps)),
  }));
}

const FOOTAGE = /^\(Footage\)\/USER\/[^/]+$/;

const USE_NAMES: Readonly<Record<SlotUse['kind'], string>> = {
  text: 'a text',
  property: 'a property',
  image: 'an image',
  sound: 'a sound',
};

/** Checks all editables of the manifest against the uses of their slots in the animation. */
function checkEditables(manifest: Manifest, uses: SlotUses): PackageProblem[] {
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
  if (kind === 'captions') return 'a text of kind captions';
  return kind === 'image' || kind === 'audio' ? `an ${kind}` : `a ${kind}`;
}

/** Checks all font editables against the texts that they apply to and the available fonts. */
function checkFontEditables(
  manifest: Manifest,
  animation: LottieDocument,
  { fonts, extraFonts }: Pick<TemplatePackage, 'fonts' | 'extraFonts'>,
): PackageProblem[] {
  const problems: PackageProblem[] = [];
  const availableFonts = new Set([...fonts.keys(), ...extraFonts.keys()]);
  const texts = new Set(
    [...manifest.editables].flatMap(([key, { kind }]) => (kind === 'text' || kind === 'captions' ? [key] : [])),
  );
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
