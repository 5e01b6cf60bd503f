import { isRecord } from '../../kernel/json.ts';
import { type NewPackage, SHRUNK_NOTE } from '../../template/init/init-package.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/slots/lottie-slots.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import { layOutLayers } from '../text/lay-out-layers.ts';
import { textLayers } from '../text/text-layers.ts';

/** `rs` of a text that shrinks to fit its box. */
const SHRINK = 2;

/**
 * Returns the package without shrinking for texts whose original words already exceed their box, because shrinking would change
 * how they look. Removes the note about shrinking if no text shrinks. Without the fonts, returns the package unchanged.
 */
export async function keepTextSizes(created: NewPackage): Promise<NewPackage> {
  const parsed = parseTemplatePackage('', created.files);
  if (!parsed.ok) return created;
  const { fonts, extraFonts, fallbackFonts } = parsed.value;
  const files = [...fonts, ...extraFonts].map(([name, { path: _, ...font }]) => {
    return { ...font, name, isFallback: fallbackFonts.includes(name) };
  });
  const animation = structuredClone(created.animation);
  const shrunk = new Set<unknown>();
  for (const { layer, document, spec, layout } of await layOutLayers(animation, files)) {
    if (spec.resize !== 'shrink' || layout.size === spec.size) continue;
    delete document.rs;
    shrunk.add((layer.layer.t as { d: LottieNode }).d.sid);
  }
  if (shrunk.size === 0) return created;
  for (const [key, slot] of Object.entries(isRecord(animation.slots) ? animation.slots : {})) {
    if (!shrunk.has(key) || !isRecord(slot) || !isRecord(slot.p)) continue;
    for (const style of textStyles(slot.p)) delete style.rs;
  }
  const text = new TextEncoder().encode(`${JSON.stringify(animation)}\n`);
  const keys = new Set<unknown>(created.editables.map(({ key }) => key));
  const shrinks = textLayers(animation).some(
    ({ layer, documents }) =>
      keys.has((layer.t as { d: LottieNode }).d.sid) && documents.some(({ rs }) => rs === SHRINK),
  );
  const notes = shrinks ? created.notes : created.notes.filter(({ message }) => message !== SHRUNK_NOTE);
  return { ...created, animation, notes, files: new Map([...created.files, ['animation.json', text]]) };
}
