import { isRecord } from '../../../kernel/json.ts';
import { type LottieNode, records } from '../lottie-layers.ts';

/** `ty` of the effect in documents of Bodymovin, and the name that After Effects has for it. */
const SET_MATTE = 28;
const MATCH_NAME = 'ADBE Set Matte3';
/** Value of "Use For Matte" → `tt` of a track matte, and of an inverted track matte. */
const MODES: Readonly<Record<number, readonly [plain: number, inverted: number]>> = { 4: [1, 2], 5: [3, 4] };

/**
 * Returns layers whose effect Set Matte has become a track matte: a copy of the layer that it names, above them. Effects that are
 * no plain alpha or luminance matte, and layers that have a matte already, are left as they are.
 */
export function withSetMattes(layers: readonly unknown[]): readonly unknown[] {
  if (!layers.some((layer) => isRecord(layer) && setMatteOf(layer, layers) !== null)) return layers;
  let highest = Math.max(
    0,
    ...layers.map((layer) => (isRecord(layer) && typeof layer.ind === 'number' ? layer.ind : 0)),
  );
  return layers.flatMap((layer): readonly unknown[] => {
    const found = isRecord(layer) ? setMatteOf(layer, layers) : null;
    if (found === null) return [layer];
    const { hd: _, tt: __, tp: ___, ...copy } = found.matte;
    const { ef, ...masked } = layer as LottieNode;
    const effects = (ef as unknown[]).filter((effect) => effect !== found.effect);
    return [
      { ...copy, ind: ++highest, td: 1 },
      { ...masked, ...(effects.length === 0 ? {} : { ef: effects }), tt: found.mode },
    ];
  });
}

interface SetMatte {
  readonly effect: LottieNode;
  readonly matte: LottieNode;
  /** `tt` of the layer. */
  readonly mode: number;
}

/** Returns the effects of layers that are drawn as track mattes. */
export function setMatteEffects(layers: readonly LottieNode[]): LottieNode[] {
  return layers.flatMap((layer) => {
    const found = setMatteOf(layer, layers);
    return found === null ? [] : [found.effect];
  });
}

function setMatteOf(layer: LottieNode, siblings: readonly unknown[]): SetMatte | null {
  const found = records(layer.ef, '').filter(([{ ty, mn }]) => ty === SET_MATTE || mn === MATCH_NAME);
  const effect = found[0]?.[0];
  if (found.length !== 1 || effect === undefined || effect.en === 0 || Number(layer.tt) > 0) return null;
  const values = records(effect.ef, '').map(([{ v }]) => (isRecord(v) ? v.k : undefined));
  const [index, use = 4, isInverted = 0] = values;
  const modes = MODES[Number(use)];
  const matte = siblings.find((sibling) => isRecord(sibling) && sibling.ind === index && sibling !== layer);
  if (!isRecord(matte) || modes === undefined) return null;
  return { effect, matte, mode: modes[isInverted === 1 ? 1 : 0] };
}
