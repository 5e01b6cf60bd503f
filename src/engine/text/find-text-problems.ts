import { normalizeLineBreaks } from '../../template/lottie/lottie-slots.ts';
import type { LaidOutText } from './lay-out-layers.ts';
import type { TextFinding } from './text-finding.ts';

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
