import { EDITABLE_KIND_NAMES, isCaptionsKey } from '../../contract/fields/editable-kinds.ts';
import { MAX_SIDE_PIXELS } from '../../contract/fields/output-fields.ts';
import { present } from '../../kernel/defined.ts';
import { isRecord } from '../../kernel/json.ts';
import {
  type BakedExpression,
  bakeExpressions,
  type Evaluate,
  restoreExpressions,
} from '../expressions/bake-expressions.ts';
import { checkAnimation } from '../lottie/check-animation.ts';
import { textStyles } from '../lottie/slots/lottie-slots.ts';
import { findUnsupported, type UnsupportedUse } from '../lottie/unsupported/find-unsupported.ts';
import type { LottieDocument } from '../render-input.ts';
import { IDENTITY, still } from './add-background.ts';
import { type ChosenStill, chooseStills } from './choose-stills.ts';
import type { FoundEditable, InitNote } from './editable-targets.ts';
import { extractFonts } from './extract-fonts.ts';
import { extractImages } from './extract-images.ts';
import { proposeEditables, readNames, readSlots, reportUnnamed, slotIds } from './find-editables.ts';
import { isNumbered, KeyGenerator } from './key-generator.ts';
import type { LottieSource, NeededFile } from './lottie-source.ts';
import { manifestText, placeText, textLength } from './manifest-text.ts';
import { markedTiming } from './marked-timing.ts';
import { dropUnused, renumberLayers, upgradeDocument } from './normalize-document.ts';
import { type SharedColor, sharedColors, solidsToShapes, suggestColors } from './suggest-colors.ts';

/** A package created from an animation, with notes about the conversion. */
export interface NewPackage {
  /** By path relative to the package's folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly name: string;
  readonly animation: LottieDocument;
  readonly editables: readonly (FoundEditable & { readonly stillcut: string; readonly maxLength: number | null })[];
  readonly stills: readonly ChosenStill[];
  readonly needs: readonly NeededFile[];
  readonly notes: readonly InitNote[];
  /** Unsupported features of the source animation after its upgrade. */
  readonly unsupported: readonly UnsupportedUse[];
  /** Colours that could become editables. */
  readonly colors: readonly SharedColor[];
}

export interface InitPackageOptions {
  /** Name of the template; defaults to the source's name. */
  readonly name?: string | undefined;
  /** Minimum number of layers for a colour to become an editable; null for named colours only. */
  readonly colorLayers: number | null;
  /** Adds layers with further editables, after all other editables are known. */
  readonly addLayers?: (animation: LottieDocument, keys: KeyGenerator) => readonly FoundEditable[];
  /** Evaluates expressions. If absent, expressions are kept and have no effect. */
  readonly evaluate?: Evaluate | undefined;
}

/**
 * Creates a template package from an animation. Editables come from slots and names, or else are proposed. Images, sounds and
 * fonts become files.
 *
 * @returns the package, or the problems as sentences
 */
export function initPackage(
  source: LottieSource,
  options: InitPackageOptions,
): NewPackage | { readonly problems: string[] } {
  const read = readAnimation(source.animation);
  if ('problems' in read) return read;
  const { animation, notes } = read;
  notes.push(...upgradeDocument(animation).map(changed));
  restoreExpressions(animation);
  if (options.evaluate !== undefined) notes.push(...bakeNotes(bakeExpressions(animation, options.evaluate)));
  const unsupported = findUnsupported(animation);
  notes.push(...makeEven(animation), ...dropUnused(animation));
  if (options.colorLayers !== null && solidsToShapes(animation) > 0) {
    notes.push(changed('Converted solids to shapes, so that their colours are editable'));
  }
  const { found, images, colors } = findAll(animation, source, options, notes);
  if (found.length === 0) return { problems: [nothingToEdit(colors)] };
  const fonts = extractFonts(animation, source);
  notes.push(...fonts.notes);
  const { stills, stillOf, neverShown } = chooseStills(animation, found);
  const shown = found.filter(({ key }) => !neverShown.includes(key));
  if (shown.length === 0) return { problems: ['No editable is visible in any frame'] };
  notes.push(...lockHidden(found.filter(({ key }) => neverShown.includes(key))));
  const editables = inOrder(shown).map((editable) => ({
    ...editable,
    stillcut: stillOf.get(editable.key)!,
    maxLength: kindOf(editable) === 'text' ? Math.max(...editable.nodes.flatMap(textStyles).map(textLength)) : null,
  }));
  const timing = markedTiming(animation);
  notes.push(...timing.notes);
  notes.push(...shrinkBoxes(editables));
  animation.slots = slotsOf(editables);
  recordRemoved(animation, notes);
  const name = options.name ?? source.name;
  const manifest = manifestText({
    name,
    description: describe(animation),
    stillcuts: stills.map((still) => ({ name: still.name, seconds: round(still.frame / animation.fr) })),
    timing: timing.places.map((place) => placeText(place, (frame) => round(frame / animation.fr))),
    editables: editables.map((editable) => ({
      ...editable,
      kind: kindOf(editable),
      required: kindOf(editable) === 'text' && editable.origin !== 'proposed',
    })),
  });
  const encoder = new TextEncoder();
  const files = new Map([
    ['template.yaml', encoder.encode(manifest)],
    ['animation.json', encoder.encode(`${JSON.stringify(animation)}\n`)],
    ...images.files,
    ...fonts.files,
  ]);
  const needs = [...fonts.needs, ...images.needs];
  return { files, name, animation, editables, stills, needs, notes, unsupported, colors };
}

/** Checks an animation and copies it, scaled down to the largest size and with unique layer numbers. */
function readAnimation(
  written: unknown,
): { readonly animation: LottieDocument; readonly notes: InitNote[] } | { readonly problems: string[] } {
  const check = (value: unknown): string[] => checkAnimation(value, { suppliedAssets: ALL, suppliedFonts: ALL });
  const scaled = scaleDown(written);
  const problems = check(scaled);
  const isMisnumbered = problems.length > 0 && problems.every((problem) => DUPLICATE_NUMBER.test(problem));
  if (problems.length > 0 && !isMisnumbered) return { problems };
  const animation = structuredClone(scaled) as LottieDocument;
  const notes: InitNote[] = [];
  if (scaled !== written) notes.push(changed(`The size became ${animation.w} × ${animation.h}: 4096 pixels at most`));
  if (isMisnumbered) {
    notes.push(changed(`${renumberLayers(animation)} layers were renumbered`));
    const remaining = check(animation);
    if (remaining.length > 0) return { problems: remaining };
  }
  return { animation, notes };
}

/** Finds the editables of an animation, and turns its images into files. */
function findAll(
  animation: LottieDocument,
  source: LottieSource,
  { colorLayers, addLayers }: InitPackageOptions,
  notes: InitNote[],
) {
  const keys = new KeyGenerator(slotIds(animation));
  const found = readNamed(animation, keys, notes);
  const images = extractImages(animation, source);
  if (found.length === 0) {
    const proposed = proposeEditables(animation, keys);
    found.push(...proposed.editables);
    notes.push(...proposed.notes);
  } else {
    // Slots are the texts that a player can change. Other texts can be editable too.
    if (found.every(({ origin }) => origin === 'slot'))
      found.push(...proposeEditables(animation, keys, ['text']).editables);
    notes.push(...reportUnnamed(animation, new KeyGenerator([...slotIds(animation), ...found.map(({ key }) => key)])));
  }
  if (colorLayers !== null) found.push(...suggestColors(animation, keys, colorLayers));
  const colors = sharedColors(animation);
  found.push(...(addLayers?.(animation, keys) ?? []));
  return { found, images, colors };
}

function changed(message: string): InitNote {
  return { kind: 'changed', message };
}

/** Makes editables that no frame shows fixed. */
function lockHidden(hidden: readonly FoundEditable[]): InitNote[] {
  for (const { nodes } of hidden) for (const node of nodes) delete node.sid;
  return hidden.map(({ label }) => ({
    kind: 'skipped',
    message: `${JSON.stringify(label)} is not editable: it is not visible in any frame`,
  }));
}

/** Records the removals in the notes in the animation, for later checks of the package. */
function recordRemoved(animation: LottieDocument, notes: readonly InitNote[]): void {
  const removed = notes.flatMap((note) => note.removed ?? []);
  if (removed.length === 0) return;
  animation.removed = [...(Array.isArray(animation.removed) ? animation.removed : []), ...removed];
}

/** Reports the number of expressions that became keyframes, and each reason why an expression did not. */
function bakeNotes(expressions: readonly BakedExpression[]): InitNote[] {
  const failed = expressions.filter(({ failure }) => failure !== null);
  const live = expressions.filter(({ isLive, failure }) => isLive && failure === null).length;
  const count = expressions.length - failed.length - live;
  const message = `${count} ${count === 1 ? 'expression' : 'expressions'} became keyframes`;
  const followText = `${live === 1 ? 'expression is' : 'expressions are'} evaluated for each video, because they follow editables`;
  const reasons = new Set(
    failed.map(({ layer, failure }) => `An expression of the layer ${JSON.stringify(layer)} stays: ${failure}`),
  );
  return present([
    count > 0 && changed(message),
    live > 0 && changed(`${live} ${followText}`),
    ...[...reasons].map((reason) => ({ kind: 'skipped', message: reason }) as const),
  ]);
}

/** Matches the problem that `checkAnimation` reports for duplicate layer numbers. */
const DUPLICATE_NUMBER = /\/ind: .* is used by two layers$/;

/** A set that contains all strings. It disables the check for missing files, which are reported separately. */
const ALL: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

/** Reads the editables that the designer named, before files are renamed. */
function readNamed(animation: LottieDocument, keys: KeyGenerator, notes: InitNote[]): FoundEditable[] {
  const slots = readSlots(animation, keys);
  const names = readNames(animation);
  notes.push(...slots.notes, ...names.notes);
  return [...slots.editables, ...names.editables];
}

/** Scales an animation that is too large down to the largest size, by nesting it in a composition. */
function scaleDown(animation: unknown): unknown {
  if (!isRecord(animation) || !Array.isArray(animation.layers)) return animation;
  const [width, height] = [Number(animation.w), Number(animation.h)];
  const scale = MAX_SIDE_PIXELS / Math.max(width, height);
  if (!(scale < 1) || !(Math.min(width, height) >= 1)) return animation;
  const { ip, op, assets } = animation;
  const ks = { ...structuredClone(IDENTITY), s: still([scale * 100, scale * 100, 100]) };
  const id = 'full_size';
  const layer = { ty: 0, ind: 1, nm: 'full size', refId: id, w: width, h: height, ip, op, st: 0, sr: 1, ks };
  return {
    ...animation,
    w: Math.max(2, Math.floor((width * scale) / 2) * 2),
    h: Math.max(2, Math.floor((height * scale) / 2) * 2),
    assets: [...(Array.isArray(assets) ? assets : []), { id, layers: animation.layers }],
    layers: [layer],
  };
}

/** Removes an odd row or column, because chroma is subsampled. Padding would be visible as a black line. */
function makeEven(animation: LottieDocument): InitNote[] {
  const { w, h } = animation;
  const even = (side: number): number => Math.max(2, Math.floor(side / 2) * 2);
  animation.w = even(w);
  animation.h = even(h);
  if (animation.w === w && animation.h === h) return [];
  const message = `Changed the size ${w} × ${h} to ${animation.w} × ${animation.h}: both must be even`;
  const what = `${w - animation.w} column and ${h - animation.h} row of pixels`;
  return [{ kind: 'changed', message, removed: [{ what, layer: 'all layers' }] }];
}

/** Note about texts that were set to shrink to fit. */
export const SHRUNK_NOTE = 'Texts in boxes shrink to fit';

/** Sets texts in boxes to shrink to fit, because users may enter longer texts than the example. */
function shrinkBoxes(editables: readonly FoundEditable[]): InitNote[] {
  const texts = editables.filter(({ kind }) => kind === 'text');
  const boxed = texts
    .flatMap(({ nodes }) => nodes.flatMap(textStyles))
    .filter(({ sz, rs }) => Array.isArray(sz) && sz.length > 1 && sz.every((side) => side > 0) && rs === undefined);
  for (const style of boxed) style.rs = 2;
  return boxed.length === 0 ? [] : [changed(SHRUNK_NOTE)];
}

function nothingToEdit(colors: readonly SharedColor[]): string {
  const nothing = 'The animation has nothing to edit: no slot, static text, image or sound';
  const [first] = colors;
  if (first === undefined) return nothing;
  const count = colors.filter(({ layerCount }) => layerCount === first.layerCount).length;
  return `${nothing}; --colors ${first.layerCount} makes ${count === 1 ? 'a colour' : `${count} colours`} editable`;
}

/** Sorts editables by kind, and those with numbered keys also by number. */
function inOrder(editables: readonly FoundEditable[]): FoundEditable[] {
  return [...editables].sort(
    (a, b) =>
      EDITABLE_KIND_NAMES.indexOf(a.kind) - EDITABLE_KIND_NAMES.indexOf(b.kind) ||
      Number(isCaptionsKey(a.key)) - Number(isCaptionsKey(b.key)) ||
      (isNumbered(a.kind) ? compareKeys(a.key, b.key) : 0),
  );
}

function compareKeys(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Returns the kind in the manifest: an image whose file name is that of a video becomes a video, a text called `s_01` captions. */
function kindOf({ key, kind }: FoundEditable): string {
  if (kind === 'text' && isCaptionsKey(key)) return 'captions';
  return kind === 'image' && /\.(?:mp4|mov|webm)$/i.test(key) ? 'video' : kind;
}

/**
 * Returns the default values of all editables except images and sounds, for Lottie players. Omits editables whose nodes have
 * different values, because a slot sets all of them to the same value.
 */
function slotsOf(editables: readonly FoundEditable[]): Record<string, unknown> {
  return Object.fromEntries(
    editables.flatMap(({ key, kind, nodes }) => {
      const [node] = nodes;
      if (!isNumbered(kind) || node === undefined) return [];
      const values = new Set(
        nodes.map((target) => JSON.stringify(kind === 'text' ? textStyles(target).map(({ t }) => t) : target.k)),
      );
      if (values.size > 1) return [];
      const { sid: _, ...value } = node;
      return [[key, { p: structuredClone(value) }]];
    }),
  );
}

function describe({ w, h, fr, ip, op }: LottieDocument): string {
  return `${w} × ${h}, ${round(fr)} frames per second, ${round((op - ip) / fr)} seconds`;
}

function round(value: number): number {
  return Number(value.toFixed(3));
}

export function isPackage(result: ReturnType<typeof initPackage>): result is NewPackage {
  return 'files' in result;
}
