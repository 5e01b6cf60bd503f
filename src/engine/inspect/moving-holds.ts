import { placesOf } from '../../contract/timeline/place.ts';
import { defined } from '../../kernel/defined.ts';
import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { Still } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { packRenderInput } from '../packed-input.ts';
import type { ComparedStill, StillComparison } from '../stills/compare-stills.ts';
import { MAX_STILL_SHARE } from '../stills/max-still-share.ts';

/** Compares stills of two inputs, in a render pool or on this thread. */
export type CompareStills = (comparison: StillComparison) => Promise<readonly ComparedStill[]>;

/** A hold at which the picture moves, so that it looks frozen while it is held. */
export interface MovingHold {
  /** Index in `timing` of the template; null for the hold of a template without `timing`. */
  readonly place: number | null;
  /** Held frame, and its time from the start. */
  readonly frame: number;
  readonly seconds: number;
  /** Share of pixels that differ from those of the frame before or after, whichever differs more, 0..1. */
  readonly changedShare: number;
}

/**
 * Finds the holds of a template at which its picture moves, with the template's own values.
 *
 * @throws RenderError for a package that cannot be drawn
 */
export async function findMovingHolds(template: TemplatePackage, compare: CompareStills): Promise<MovingHold[]> {
  const { fps, frameCount, spec, stills } = template;
  const stillcuts = Object.fromEntries(stills.map(({ name, frame }) => [name, frame]));
  const places = placesOf({ rate: fps, frames: frameCount, stillcuts, ...defined({ timing: spec.timing }) });
  const holds = places.flatMap(({ kind, from }, place) => (kind === 'hold' ? [{ place, frame: from }] : []));
  const pairs = holds.flatMap(({ frame }) =>
    [frame - 1, frame].flatMap((first) => (first >= 0 && first + 1 < frameCount ? [{ frame, first }] : [])),
  );
  if (pairs.length === 0) return [];
  const renderInput = bindMapping(template, { resources: {} }, new Map());
  const inputAt = (frames: readonly number[]) =>
    packRenderInput({ ...renderInput, stills: frames.map((frame): Still => ({ name: String(frame), frame })) });
  const compared = await compare({
    before: inputAt(pairs.map(({ first }) => first)),
    after: inputAt(pairs.map(({ first }) => first + 1)),
    jpegQuality: null,
  });
  return holds.flatMap(({ place, frame }): MovingHold[] => {
    const shares = compared.flatMap(({ changedShare }, index) =>
      pairs[index]!.frame === frame && changedShare !== null ? [changedShare] : [],
    );
    const changedShare = Math.max(0, ...shares);
    if (changedShare <= MAX_STILL_SHARE) return [];
    return [{ place: spec.timing === undefined ? null : place, frame, seconds: frame / fps, changedShare }];
  });
}
