import { isSlotKind } from '../contract/fields/editable-kinds.ts';
import type { Place } from '../contract/timeline/place.ts';
import type { Editable, StyleVersion } from '../contract/wire/style-version.ts';
import { defined } from '../kernel/defined.ts';
import { isRecord } from '../kernel/json.ts';
import { formatColor } from './color.ts';
import type { LottieNode } from './lottie/lottie-layers.ts';
import {
  fontNames,
  normalizeLineBreaks,
  type SlotUse,
  type SlotUses,
  textStyles,
} from './lottie/slots/lottie-slots.ts';
import { propertyText } from './lottie/slots/slot-property.ts';
import { layerSpans } from './lottie/visibility/layer-spans.ts';
import type { ManifestEditable } from './parse-manifest.ts';
import type { LottieDocument } from './render-input.ts';
import type { TemplatePackage } from './template-package.ts';

interface SpecParts extends Pick<TemplatePackage, 'manifest' | 'animation' | 'fonts' | 'extraFonts'> {
  readonly uses: SlotUses;
  /** In frames; undefined for the default. */
  readonly timing: readonly Place[] | undefined;
}

/**
 * Derives the mapping specification of a package, as in the HTTP interface. Example values, fonts, sizes and durations
 * come from the slot uses in the animation, everything else from the manifest.
 */
export function deriveSpec(id: string, parts: SpecParts): StyleVersion {
  const { manifest, animation, fonts, extraFonts, timing } = parts;
  const availableFonts = [...fonts.keys(), ...extraFonts.keys()];
  const editables: Record<string, Editable> = {};
  const durations = assetDurations(animation);
  for (const [key, editable] of manifest.editables) {
    editables[key] = describe(key, editable, parts, { availableFonts, durations });
  }
  const available = extraFonts.size === 0 ? {} : { available_fonts: availableFonts };
  return {
    id,
    editables,
    fonts: fontNames(animation).filter((name) => fonts.has(name)),
    ...available,
    ...defined({ timing }),
  };
}

/** Returns `slots[id].p`, the default value for all uses of a slot. */
export function slotValue(animation: LottieDocument, id: string): LottieNode | null {
  const slots = animation.slots;
  const slot = isRecord(slots) && Object.hasOwn(slots, id) ? slots[id] : null;
  return isRecord(slot) && isRecord(slot.p) ? slot.p : null;
}

function describe(
  key: string,
  editable: ManifestEditable,
  { animation, uses: allUses, fonts: files }: SpecParts,
  { availableFonts, durations }: { readonly availableFonts: string[]; readonly durations: ReadonlyMap<string, number> },
): Editable {
  const uses = allUses.get(key) ?? [];
  const slot = slotValue(animation, key);
  const shared = {
    stillcut: editable.stillcut,
    label: editable.label,
    ...(editable.required && editable.kind !== 'captions' ? {} : { required: false }),
  };
  const { kind } = editable;
  if (isSlotKind(kind)) {
    return { input_type: kind, example_text: propertyText(kind, slot ?? uses[0]?.node ?? {}), ...shared };
  }
  switch (kind) {
    case 'text':
    case 'captions': {
      const styles = uses.flatMap((use) => (use.kind === 'text' ? use.styles : []));
      const example = (slot === null ? undefined : textStyles(slot)[0]?.t) ?? styles[0]?.t ?? '';
      return {
        input_type: kind,
        example_text: normalizeLineBreaks(example),
        fonts: [...new Set(styles.map((style) => style.f))],
        ...shared,
        ...(editable.maxLength === null ? {} : { max_length: editable.maxLength }),
      };
    }
    case 'color': {
      const value = (slot ?? uses[0]?.node)?.k;
      const fonts = uses.flatMap((use) => (use.kind === 'property' ? use.fonts.filter((name) => files.has(name)) : []));
      return {
        input_type: 'color',
        example_text: formatColor(Array.isArray(value) ? value : []),
        fonts: [...new Set(fonts)],
        ...shared,
      };
    }
    case 'image':
    case 'video': {
      const asset = uses.find((use) => use.kind === 'image');
      const size = { width: Number(asset?.node.w), height: Number(asset?.node.h) };
      const image = { input_type: kind, ...shared, ...size };
      return kind === 'image' ? image : { ...image, ...duration(durations, assetIds(uses)) };
    }
    case 'audio':
      return { input_type: 'audio', ...shared, ...duration(durations, assetIds(uses)) };
    case 'font': {
      const { replaces, allowedFonts } = editable.font!;
      return { input_type: 'font', fonts: [replaces], ...shared, allowed_fonts: [...(allowedFonts ?? availableFonts)] };
    }
  }
}

function assetIds(uses: readonly SlotUse[]): string[] {
  return uses.flatMap((use) => (use.kind === 'image' || use.kind === 'sound' ? [use.assetId] : []));
}

/** Returns the longest time for which each asset is shown or played, in seconds. */
function assetDurations(animation: LottieDocument): Map<string, number> {
  const longest = new Map<string, number>();
  for (const { layer, from, to, clock } of layerSpans(animation)) {
    const frames = (to - (clock?.start ?? from)) / (clock?.stretch ?? 1);
    const id = String(layer.refId);
    longest.set(id, Math.max(longest.get(id) ?? 0, frames / animation.fr));
  }
  return longest;
}

/** Returns the `duration` field; empty if no layer shows any of the assets. */
function duration(durations: ReadonlyMap<string, number>, assets: readonly string[]): { duration?: number } {
  const longest = assets.reduce((max, id) => Math.max(max, durations.get(id) ?? 0), 0);
  return longest === 0 ? {} : { duration: Math.round(longest * 1000) / 1000 };
}
