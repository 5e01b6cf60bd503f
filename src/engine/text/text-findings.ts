import { normalizeLineBreaks } from '../../template/lottie/lottie-slots.ts';
import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import { type LaidOutText, layOutLayers } from './lay-out-layers.ts';

/**
 * What a viewer would notice about the texts of an animation, without drawing anything: the same that `typesetTexts` finds.
 * Fonts are parsed once per process.
 *
 * @throws SceneError template_invalid for a font that is not there or cannot be used
 */
export async function textFindings(
  animation: LottieDocument,
  fonts: readonly SceneFont[],
): Promise<readonly TextFinding[]> {
  return findTextProblems(await layOutLayers(animation, fonts));
}

/** What of these texts a viewer would notice, each once, in the order of the layers. Hidden layers count for nothing. */
export function findTextProblems(texts: readonly LaidOutText[]): TextFinding[] {
  const findings = new Map<string, TextFinding>();
  for (const { layer, spec, layout } of texts) {
    if (layer.layer.hd === true) continue;
    const about = { editable: layer.editable, text: normalizeLineBreaks(spec.text), font: spec.font };
    const { missing, overflow } = layout;
    const own: TextFinding[] = [
      ...(missing.length > 0 ? [{ code: 'glyph_missing' as const, ...about, characters: missing, overflow: 0 }] : []),
      ...(overflow > 0 ? [{ code: 'text_overflow' as const, ...about, characters: [], overflow }] : []),
    ];
    for (const finding of own) findings.set(JSON.stringify(finding), finding);
  }
  return [...findings.values()];
}

/** Something about a text that a viewer would notice, told by whoever sets it. */
export interface TextFinding {
  readonly code: 'glyph_missing' | 'text_overflow';
  /** The editable that the text fills (`editable` of the text's node, as `bindMapping` writes it); null for a fixed text. */
  readonly editable: string | null;
  /** The words, with line breaks as `\n`. */
  readonly text: string;
  /** Name of the text's font. */
  readonly font: string;
  /** What has no glyph in any font, each once (grapheme clusters); empty for an overflow. */
  readonly characters: readonly string[];
  /** Of an overflow: how far it goes over the box, as a share of the box's height (or width, where a word is too wide). */
  readonly overflow: number;
}
