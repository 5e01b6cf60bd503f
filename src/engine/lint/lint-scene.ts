import type { LottieNode } from '../../template/lottie/lottie-node.ts';
import { normalizeLineBreaks, textStyles } from '../../template/lottie/lottie-slots.ts';
import type { Scene } from '../../template/scene.ts';
import { checkScene } from '../check-scene.ts';
import { mediaFindings } from '../scene-finding.ts';
import { textFindings } from '../text/text-findings.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { findSightings } from './find-sightings.ts';
import type { LintFinding, Sighting } from './lint-finding.ts';
import { lintImages } from './lint-images.ts';
import { lookAtTexts, type TextSight } from './look-at-texts.ts';

/** @see https://www.w3.org/TR/WCAG22/#contrast-minimum */
const NEEDED = { large: 3, small: 4.5 };
/** Pixels of a picture of 1,080 lines from which on a text counts as large. */
const LARGE = 24;

/**
 * What a viewer would notice of one video: glyphs that no font has, texts that do not fit or cannot be read, images that
 * are enlarged until they look soft, clips and sounds that end too early. Each is told with the moment at which it is best seen. Draws on the calling thread.
 *
 * @throws SceneError for a scene that cannot be drawn
 */
export async function lintScene(scene: Scene): Promise<LintFinding[]> {
  checkScene(scene);
  const ofMedia = await mediaFindings(scene);
  const sightings = findSightings(scene);
  const texts = new Set(filledTextLayers(scene.animation).map(({ editable }) => editable));
  const findings = await textFindings(scene.animation, scene.fonts);
  const found: LintFinding[] = findings.flatMap((finding): LintFinding[] => {
    const { editable, text, font, characters, overflow } = finding;
    const sighting = editable === null ? undefined : sightings.get(editable);
    if (editable === null || sighting === undefined) return [];
    return finding.code === 'glyph_missing'
      ? [{ code: 'glyph_missing', editable, ...sighting, characters, font }]
      : [{ code: 'text_overflow', editable, ...sighting, text, beyond: 'box', overflow }];
  });
  const seen = new Map([...sightings].filter(([editable]) => texts.has(editable)));
  for (const [editable, sight] of await lookAtTexts(scene, seen)) {
    found.push(...lintSight(scene, editable, seen.get(editable)!, sight));
  }
  return [...found, ...lintImages(scene, sightings), ...ofMedia];
}

function lintSight(scene: Scene, editable: string, sighting: Sighting, { ratio, isCut }: TextSight): LintFinding[] {
  const styles = stylesOf(scene, editable);
  const size = Math.max(...styles.map(({ s }) => Number(s))) * (1080 / scene.animation.h);
  const needed = size >= LARGE ? NEEDED.large : NEEDED.small;
  const text = normalizeLineBreaks(styles[0]?.t ?? '');
  return [
    ...(ratio < needed ? [{ code: 'low_contrast', editable, ...sighting, ratio, needed } as const] : []),
    ...(isCut
      ? [{ code: 'text_overflow', editable, ...sighting, text, beyond: 'frame', overflow: null } as const]
      : []),
  ];
}

function stylesOf(scene: Scene, editable: string) {
  const layers = filledTextLayers(scene.animation).filter((one) => one.editable === editable);
  return layers.flatMap(({ layer }) => textStyles((layer.t as { d: LottieNode }).d));
}
