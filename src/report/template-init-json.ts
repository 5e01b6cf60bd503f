import type { NewPackage } from '../template/init/init-package.ts';
import { textStyles } from '../template/lottie/lottie-slots.ts';

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
    editables: editables.map(({ key, kind, label, origin, former, stillcut, maxLength, nodes }) => ({
      key,
      kind,
      label,
      origin,
      former,
      stillcut,
      max_length: maxLength,
      example_text: kind === 'text' ? (textStyles(nodes[0]!)[0]?.t ?? null) : null,
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
