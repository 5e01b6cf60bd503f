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
      /** When it is shown, as far as times and opacities tell; null: never. */
      readonly seconds: number | null;
    }
  /** No editable names the still, or none of those that do is seen on it. */
  | { readonly kind: 'idle_still'; readonly still: string; readonly named: number }
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
