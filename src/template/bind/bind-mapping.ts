import { type EditableKind, isSlotKind } from '../../contract/fields/editable-kinds.ts';
import { secondsOf } from '../../contract/video-measures.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import type {
  AudioResource,
  FontResource,
  Mapping,
  MediaResource,
  TextResource,
  Transform,
} from '../../contract/wire/mapping.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { shareJson } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { parseColor } from '../color.ts';
import { slotValue } from '../derive-spec.ts';
import { mergeSettings, STYLE_SETTINGS, settingsIn } from '../font-settings.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { outlinedFonts } from '../lottie/slots/glyph-outlines.ts';
import {
  findSlotUses,
  fontList,
  fontNames,
  isReplaced,
  soundAssetIds,
  type TextStyle,
  textStyles,
  usedStyles,
} from '../lottie/slots/lottie-slots.ts';
import { writeProperty } from '../lottie/slots/slot-property.ts';
import type { FontSlot } from '../parse-manifest.ts';
import type { FontSettings, InputDocument, InputFont, LottieDocument, RenderInput } from '../render-input.ts';
import type { PackageFont, TemplatePackage } from '../template-package.ts';
import { outputBasis, videoMeasures } from '../video-measures.ts';
import { MediaBinder, withoutSounds } from './bind-media.ts';
import { inputFile } from './resolve-output.ts';
import { trackSounds, withDucking } from './track-sounds.ts';

const DEFAULT_TRANSFORM: Transform = { crop_strategy: TRANSFORM_DEFAULTS.image.crop_strategy };

/** The values for a template, and the requested output. */
export interface BindRequest extends Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'> {
  readonly output?: OutputRequest | undefined;
  /** Fingerprint of the video, for the file's metadata. */
  readonly fingerprint?: string | null | undefined;
}

/**
 * Fills a template with a mapping that `checkMapping` accepts. Writes texts, colours and font names into the animation, and
 * returns font files, images, clips and sounds separately. Slots without a value keep the template's value. Stores the key
 * of each filled node in its field `editable`, so that findings can name it.
 *
 * @param fetched the bytes of each media resource by editable key, and of each track by `trackKey`
 */
export function bindMapping(
  template: TemplatePackage,
  { output, fingerprint = null, ...values }: BindRequest,
  fetched: ReadonlyMap<string, SourceBytes>,
): RenderInput {
  const { animation, ...document } = bindValues(template, values, fetched);
  return { animation, ...document, ...inputFile(outputBasis(template), output, fingerprint) };
}

export type BoundValues = InputDocument & Pick<RenderInput, 'sounds'>;

/** Returns the fields of `bindMapping` that do not depend on the output. */
export function bindValues(
  template: TemplatePackage,
  { resources, audio_tracks = {}, font_changes = {} }: Omit<BindRequest, 'output' | 'fingerprint'>,
  fetched: ReadonlyMap<string, SourceBytes>,
): BoundValues {
  const { copy, sounds } = copierOf(template.animation);
  const { animation, slotted } = copy();
  const media = new MediaBinder(template.animation);

  for (const [key, uses] of findSlotUses(slotted, sounds)) {
    const resource = Object.hasOwn(resources, key) ? resources[key] : undefined;
    const text = (resource as TextResource | undefined)?.source.text ?? null;
    const templateValue = slotValue(animation, key);
    const kind = template.manifest.editables.get(key)?.kind;
    const bytes = fetched.get(key);
    for (const use of uses) {
      delete use.node.sid;
      use.node.editable = key;
      switch (use.kind) {
        case 'text':
          writeText(use.styles, text, templateValue);
          break;
        case 'property':
          writeValue(use.node, text, templateValue, kind);
          break;
        case 'sound': {
          const transform = (resource as AudioResource | undefined)?.transform ?? {};
          if (bytes !== undefined) media.addSound(use.assetId, { bytes, name: key, transform });
          break;
        }
        case 'image': {
          const transform = { ...DEFAULT_TRANSFORM, ...(resource as MediaResource | undefined)?.transform };
          const picture =
            bytes === undefined ? packagedPicture(template, use.assetId) : { bytes, name: key, transform };
          if (picture !== null) media.addPicture(use, { ...picture, isVideo: kind === 'video' });
        }
      }
    }
  }
  delete animation.slots;
  for (const asset of animation.assets ?? []) {
    const [picture, sound] = [packagedPicture(template, asset.id), template.sounds.get(asset.id)];
    if (picture !== null) media.addPicture({ node: asset, assetId: asset.id }, { ...picture, isVideo: false });
    if (sound !== undefined)
      media.addSound(asset.id, { bytes: sound.bytes, name: sound.path, transform: {}, isOwn: true });
  }
  const fonts = bindFonts(animation, template, { resources, font_changes });
  const span = { startSeconds: 0, endSeconds: secondsOf(videoMeasures(template)) };
  return {
    animation: withoutSounds(animation, sounds),
    fonts,
    images: media.images,
    clips: media.clips,
    sounds: withDucking([...media.sounds, ...trackSounds(span, audio_tracks, fetched)]),
  };
}

/** A copy of an animation for the values of an input. */
interface AnimationCopy {
  readonly animation: LottieDocument;
  /** The parts of `animation` that may name slots. */
  readonly slotted: Pick<LottieDocument, 'layers' | 'assets'>;
}

interface AnimationCopier {
  copy(): AnimationCopy;
  /** See `soundAssetIds`. */
  readonly sounds: ReadonlySet<string>;
}

/**
 * Copies the layers and assets of an animation that values and fonts may change. All inputs of a template share the rest, so that
 * work on it is done once: it must not be modified.
 */
const copierOf = remembered((animation: LottieDocument): AnimationCopier => {
  if (isRecord(animation.fonts)) shareJson(animation.fonts);
  const layers = animation.layers.map(nodeCopier);
  const assets = animation.assets?.map((asset): NodeCopier<typeof asset> => {
    if (!Array.isArray(asset.layers)) return nodeCopier(asset);
    const { layers: assetLayers, ...fields } = asset;
    const [ofFields, ofLayers] = [nodeCopier(fields), assetLayers.map(nodeCopier)];
    return {
      hasSlots: ofFields.hasSlots || ofLayers.some(({ hasSlots }) => hasSlots),
      copy: () => ({ ...asset, ...ofFields.copy(), layers: ofLayers.map(({ copy }) => copy()) }),
    };
  });
  const slottedIn = <Node>(nodes: readonly Node[], copiersOf: readonly NodeCopier<Node>[]): Node[] =>
    nodes.filter((_, index) => copiersOf[index]!.hasSlots);
  return {
    sounds: soundAssetIds(animation),
    copy() {
      const copiedLayers = layers.map(({ copy }) => copy());
      const copiedAssets = assets?.map(({ copy }) => copy());
      return {
        animation: { ...animation, ...defined({ assets: copiedAssets }), layers: copiedLayers },
        slotted: {
          assets: slottedIn(copiedAssets ?? [], assets ?? []),
          layers: slottedIn(copiedLayers, layers),
        },
      };
    },
  };
});

interface NodeCopier<Node> {
  /** The node or a part of it may name a slot. */
  readonly hasSlots: boolean;
  copy(): Node;
}

/** Copies the parts of a node that name slots, and its text, whose font may be replaced. Copies share the rest. */
function nodeCopier<Node>(node: Node): NodeCopier<Node> {
  const hasSlots = JSON.stringify(node)?.includes('"sid":') ?? false;
  return { hasSlots, copy: (partCopier(node) ?? (() => node)) as () => Node };
}

/** Returns null for a value that no input changes. */
function partCopier(value: unknown): (() => unknown) | null {
  if (typeof value !== 'object' || value === null) return null;
  if (isRecord(value) && typeof value.sid === 'string') return wholeCopier(value);
  const all = Object.entries(value).map(([key, part]) => {
    const copy = key === 't' && isRecord(part) ? wholeCopier(part) : partCopier(part);
    return { key, part, copy };
  });
  const parts = all.flatMap(({ key, copy }) => (copy === null ? [] : [{ key, copy }]));
  if (parts.length === 0) return null;
  for (const { part, copy } of all) if (copy === null && typeof part === 'object' && part !== null) shareJson(part);
  return () => {
    const copied = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    for (const { key, copy } of parts) copied[key] = copy();
    return copied;
  };
}

/** Copies through JSON, which is several times faster than cloning objects. */
function wholeCopier(value: object): () => unknown {
  const text = JSON.stringify(value);
  return () => JSON.parse(text);
}

function writeText(styles: readonly TextStyle[], text: string | null, templateValue: LottieNode | null): void {
  const words = text ?? (templateValue === null ? null : (textStyles(templateValue)[0]?.t ?? null));
  // Lottie breaks lines at a carriage return.
  if (words !== null) for (const style of styles) style.t = words.replaceAll(/\r\n?|\n/g, '\r');
}

function writeValue(
  node: LottieNode,
  text: string | null,
  templateValue: LottieNode | null,
  kind: EditableKind | undefined,
): void {
  const color = text === null ? null : parseColor(text);
  if (text !== null && kind !== undefined && isSlotKind(kind)) writeProperty(kind, node, text);
  else if (color !== null) Object.assign(node, { a: 0, k: color });
  else if (templateValue !== null) Object.assign(node, structuredClone(templateValue));
}

/** Returns the template's file for an image; null if it has none. */
function packagedPicture({ images }: TemplatePackage, assetId: string) {
  const file = images.get(assetId);
  const transform: Transform = { crop_strategy: 'fill' };
  return file === undefined ? null : { bytes: file.bytes, name: file.path, transform, isOwn: true as const };
}

type FontRequest = Pick<Mapping, 'resources' | 'font_changes'>;

/**
 * Replaces the fonts of an animation's texts: by the first font editable that applies to the text, or else by
 * `font_changes`. Adds the new fonts to `fonts.list`, with the ascent of the replaced font, so that the first line of a text
 * box stays in place.
 *
 * @param animation modified
 * @returns the fonts that the input needs: those of texts, then the fallbacks in order
 * @throws ReelformError template_invalid for a font that is not in the package
 */
function bindFonts(animation: LottieDocument, template: TemplatePackage, request: FontRequest): InputFont[] {
  const choose = fontChoice(template, request);
  const list = fontList(animation);
  const added: LottieNode[] = [];
  // By name; of several entries with the same name, the first wins.
  const listed = new Map([...list].reverse().map((font) => [font.fName, font]));
  for (const { style, editable } of usedStyles(animation)) {
    const { chosen, settings: ofSlot } = choose(style.f, editable);
    const settings = settingsIn(mergeSettings(ofSlot, template.manifest.editables.get(editable ?? '')?.settings ?? {}));
    delete style[STYLE_SETTINGS];
    if (settings !== null) style[STYLE_SETTINGS] = settings;
    if (chosen === style.f) continue;
    if (!listed.has(chosen)) {
      const font = listedFont(chosen, listed.get(style.f));
      listed.set(chosen, font);
      added.push(font);
    }
    style.f = chosen;
  }
  const own = isRecord(animation.fonts) ? animation.fonts : {};
  // Inputs whose fonts are those of the template share its list.
  const isSame = added.length === 0 && Array.isArray(own.list) && own.list.length === list.length;
  if (!isSame) animation.fonts = { ...own, list: [...list, ...added] };
  const fallbacks = new Set(template.fallbackFonts);
  const outlined = outlinedFonts(template.animation);
  const isDrawnByFile = (name: string): boolean => template.fonts.has(name) || !outlined.has(name);
  const named = [...new Set(fontNames(animation))].filter((name) => !fallbacks.has(name) && isDrawnByFile(name));
  return [...named, ...fallbacks].map((name) => {
    const font = fontOf(template, name);
    return { ...settingsIn(font), name, bytes: font.bytes, isFallback: fallbacks.has(name) };
  });
}

/** A font and the settings of the editable that chooses it. */
interface FontChoice {
  readonly chosen: string;
  readonly settings: FontSettings;
}

/** @returns a function from a text's font and editable to its new font */
function fontChoice(
  { manifest }: TemplatePackage,
  { resources, font_changes: changes = {} }: FontRequest,
): (font: string, editable: string | null) => FontChoice {
  const slots = [...manifest.editables].flatMap(([key, { font, settings }]): (FontSlot & FontChoice)[] => {
    const resource = Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (font === null || resource === undefined) return [];
    return [{ ...font, settings, chosen: (resource as FontResource).source.font }];
  });
  // An editable for certain texts takes precedence over an editable for all texts.
  slots.sort((a, b) => Number(a.texts === null) - Number(b.texts === null));
  return (font, editable) => {
    const slot = slots.find((candidate) => isReplaced(candidate, font, editable));
    if (slot !== undefined) return slot;
    return { chosen: Object.hasOwn(changes, font) ? changes[font]!.source.font : font, settings: {} };
  };
}

/** @param replaced the entry of the font to replace */
function listedFont(name: string, replaced: LottieNode | undefined): LottieNode {
  const [, family = name, style = 'Regular'] = /^(.+)-([^-]+)$/.exec(name) ?? [];
  return { fName: name, fFamily: family, fStyle: style, ascent: replaced?.ascent ?? 75, origin: 3 };
}

function fontOf(template: TemplatePackage, name: string): PackageFont {
  const file = template.fonts.get(name) ?? template.extraFonts.get(name);
  if (file !== undefined) return file;
  throw new ReelformError('template_invalid', `The template has no font ${name}`);
}
