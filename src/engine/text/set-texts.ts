import { isRecord } from '../../is-record.ts';
import type { LottieDocument, SceneFont } from '../../template/scene.ts';
import type { TextFinding } from './text-finding.ts';

/**
 * The animation with its fonts inside, for a rasteriser that takes a font from the document or silently from the system.
 *
 * @param animation not written to
 */
export async function setTexts(
  animation: LottieDocument,
  fonts: readonly SceneFont[],
): Promise<{ readonly animation: LottieDocument; readonly findings: readonly TextFinding[] }> {
  const list = isRecord(animation.fonts) && Array.isArray(animation.fonts.list) ? animation.fonts.list : [];
  const files = new Map(fonts.map((font) => [font.name, font.bytes]));
  const embedded = list.map((font: unknown) => {
    const bytes = isRecord(font) ? files.get(String(font.fName)) : undefined;
    if (!isRecord(font) || bytes === undefined) return font;
    return { ...font, origin: 3, fPath: `data:font/ttf;base64,${Buffer.from(bytes).toString('base64')}` };
  });
  return { animation: { ...animation, fonts: { list: embedded } }, findings: [] };
}
