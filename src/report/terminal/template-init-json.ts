import { formatColor } from '../../template/bind/color.ts';
import type { NewPackage } from '../../template/init/init-package.ts';
import { normalizeLineBreaks, textStyles } from '../../template/lottie/lottie-slots.ts';
import { isStill } from '../../template/lottie/walk-lottie.ts';

/** A package that was made, and where. */
export interface InitReport {
  readonly made: NewPackage;
  /** As it is told. */
  readonly folder: string;
  /** Other animations of the same file. */
  readonly others: readonly string[];
  /** Why the package cannot be rendered though it has all that it needs: nothing, as a rule. */
  readonly problems: readonly string[];
}

/** The report about a new package, for machines. */
export function initJson({ made, folder, others, problems }: InitReport): object {
  const { name, animation, editables, stills, needs, notes, unsupported, colors, files } = made;
  return {
    format_version: '1.0',
    name,
    folder,
    ready: needs.length === 0 && problems.length === 0,
    width: animation.w,
    height: animation.h,
    fps: animation.fr,
    frames: Math.round(animation.op - animation.ip),
    editables: editables.map((one) => ({
      key: one.key,
      kind: one.kind,
      label: one.label,
      origin: one.origin,
      former: one.former,
      stillcut: one.stillcut,
      max_length: one.maxLength,
      example_text: exampleOf(one),
    })),
    stillcuts: stills.map((still) => ({ name: still.name, frame: still.frame, origin: still.origin })),
    files: [...files.keys()],
    needs,
    notes,
    unsupported,
    colors: colors.map(({ color, layerCount }) => ({ color, layers: layerCount })),
    other_animations: others,
    problems,
  };
}

/** The template's own value as a definition writes it: the text, or the colour's digits; null for any other kind. */
export function exampleOf({ kind, nodes: [node] }: NewPackage['editables'][number]): string | null {
  if (node === undefined) return null;
  if (kind === 'text') return normalizeLineBreaks(textStyles(node)[0]?.t ?? '');
  return kind === 'color' && isStill(node) ? formatColor(node.k) : null;
}
