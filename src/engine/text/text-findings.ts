import { normalizeLineBreaks } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputFont, LottieDocument } from '../../template/render-input.ts';
import { type LaidOutText, layOutLayers } from './lay-out-layers.ts';

/**
 * Returns the same findings as `typesetTexts`, missing glyphs and overflowing texts, without typesetting. Parses each font once
 * per process.
 *
 * @throws RenderError template_invalid for a font that is missing or unusable
 */
export async function textFindings(
  animation: LottieDocument,
  fonts: readonly InputFont[],
): Promise<readonly TextFinding[]> {
  return findTextProblems(await layOutLayers(animation, fonts));
}

/** Returns the findings for laid-out texts, without duplicates, in layer order. Ignores hidden layers. */
export function findTextProblems(texts: readonly LaidOutText[]): TextFinding[] {
  const findings = new Map<string, TextFinding>();
  const add = (finding: TextFinding): void => void findings.set(JSON.stringify(finding), finding);
  for (const { layer, spec, layout } of texts) {
    if (layer.layer.hd === true) continue;
    const subject = { editable: layer.editable, text: normalizeLineBreaks(spec.text), font: spec.font };
    const { missing, overflow } = layout;
    if (missing.length > 0) add({ code: 'glyph_missing', ...subject, characters: missing, overflow: 0 });
    if (overflow > 0) add({ code: 'text_overflow', ...subject, characters: [], overflow });
  }
  return [...findings.values()];
}

/** Removes duplicates: each drawing that shows a text reports it. */
export function distinctFindings(findings: readonly TextFinding[]): TextFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** A text defect that viewers would notice. */
export interface TextFinding {
  readonly code: 'glyph_missing' | 'text_overflow';
  /**
   * The editable that fills the text, which `bindMapping` writes to the text's node; null for a fixed text.
   */
  readonly editable: string | null;
  /**
   * For a text of a video of several scenes, the scene: 0 for the scene of the frames that were drawn, -1 for the scene before it, 1
   * for that after it.
   */
  readonly scene?: -1 | 0 | 1;
  /** The text, with line breaks as `\n`. */
  readonly text: string;
  /** Name of the text's font. */
  readonly font: string;
  /** Grapheme clusters without a glyph in any font, without duplicates; empty for an overflow. */
  readonly characters: readonly string[];
  /** Excess over the box as a share of its height, or of its width if a word is too wide; 0 for a missing glyph. */
  readonly overflow: number;
}
