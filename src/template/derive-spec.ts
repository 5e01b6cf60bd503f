import { isRecord } from '../is-record.ts';
import type { Editable, StyleVersion } from '../service/wire.ts';
import { formatColor } from './color.ts';
import { type LottieNode, type SlotUse, type SlotUses, textStyles } from './lottie-slots.ts';
import type { Manifest, ManifestEditable } from './manifest.ts';
import type { LottieDocument } from './scene.ts';

/**
 * The mapping specification of a package, in the interface's own form. What the manifest does not say (example values,
 * fonts, sizes) is read from the places in the animation that the editable fills.
 */
export function deriveSpec(id: string, manifest: Manifest, animation: LottieDocument, uses: SlotUses): StyleVersion {
  const editables: Record<string, Editable> = {};
  for (const [key, editable] of manifest.editables) {
    editables[key] = describe(editable, uses.get(key) ?? [], slotValue(animation, key));
  }
  return { id, editables, fonts: fontNames(animation) };
}

/** `slots[id].p`, the value that stands in for every use of the slot when nobody fills it. */
export function slotValue(animation: LottieDocument, id: string): LottieNode | null {
  const slots = animation.slots;
  const slot = isRecord(slots) && Object.hasOwn(slots, id) ? slots[id] : null;
  return isRecord(slot) && isRecord(slot.p) ? slot.p : null;
}

/** The names in `fonts.list`, in its order. */
export function fontNames(animation: LottieDocument): string[] {
  const list = isRecord(animation.fonts) ? animation.fonts.list : null;
  if (!Array.isArray(list)) return [];
  return list.flatMap((font) => (isRecord(font) && typeof font.fName === 'string' ? [font.fName] : []));
}

function describe(editable: ManifestEditable, uses: readonly SlotUse[], slot: LottieNode | null): Editable {
  const shared = {
    stillcut: editable.stillcut,
    label: editable.label,
    ...(editable.required ? {} : { required: false }),
  };
  switch (editable.kind) {
    case 'text': {
      const styles = uses.flatMap((use) => (use.kind === 'text' ? use.styles : []));
      const example = (slot === null ? undefined : textStyles(slot)[0]?.t) ?? styles[0]?.t ?? '';
      return {
        input_type: 'text',
        example_text: example.replaceAll('\r', '\n'),
        fonts: [...new Set(styles.map((style) => style.f))],
        ...shared,
        ...(editable.maxLength === null ? {} : { max_length: editable.maxLength }),
      };
    }
    case 'color': {
      const value = (slot ?? uses[0]?.node)?.k;
      const fonts = uses.flatMap((use) => (use.kind === 'property' ? use.fonts : []));
      return {
        input_type: 'color',
        example_text: formatColor(Array.isArray(value) ? value : []),
        fonts: [...new Set(fonts)],
        ...shared,
      };
    }
    case 'image': {
      const asset = uses.find((use) => use.kind === 'image')?.node;
      return { input_type: 'image', ...shared, width: Number(asset?.w), height: Number(asset?.h) };
    }
  }
}
