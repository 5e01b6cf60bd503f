import type { UnsupportedUse } from '../../template/lottie/find-unsupported.ts';
import type { Feature } from '../../template/lottie/unsupported-features.ts';
import type { LintFinding } from '../lint/lint-finding.ts';

/** Something about a template package that its designer had better know; none of it keeps it from being rendered. */
export type PackageFinding =
  /** What a viewer would notice of the template's own values. */
  | { readonly kind: 'seen'; readonly finding: LintFinding }
  /** Something of the animation that is not drawn as its designer sees it, at these places. */
  | {
      readonly kind: 'unsupported';
      readonly feature: Feature;
      readonly what: string;
      readonly uses: readonly UnsupportedUse[];
    }
  /** Filling the editable changes nothing on the still that should show it. */
  | {
      readonly kind: 'unseen';
      readonly editable: string;
      readonly still: string;
      /** Stills on which it changes something. */
      readonly shownOn: readonly string[];
      /** A time at which it changes something; null where it changes none of the frames that were drawn. */
      readonly seconds: number | null;
    }
  /** No editable names the still, or none of those that do is seen on it. */
  | {
      readonly kind: 'idle_still';
      readonly still: string;
      readonly named: number;
      /** A time at which one of those is seen; null where no frame shows one. */
      readonly seconds: number | null;
    }
  /** An image of the package has far more pixels than are ever drawn. */
  | {
      readonly kind: 'large_image';
      readonly path: string;
      readonly width: number;
      readonly height: number;
      readonly drawnWidth: number;
      readonly drawnHeight: number;
      readonly sizeBytes: number;
    }
  /** Fonts, and no licence beside them. */
  | { readonly kind: 'no_licence'; readonly fonts: readonly string[] };
