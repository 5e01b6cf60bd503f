import type { Span } from '../diagnostic.ts';
import type { LintSeverities } from './lint-severities.ts';

/** The kinds that a package can offer. */
export type EditableKind = 'text' | 'color' | 'image' | 'video' | 'audio' | 'font';

/** Which font an editable of kind font stands in for, and where. */
export interface FontSlot {
  /** `fName` of the animation's font. */
  readonly replaces: string;
  /** Keys of the texts that it is replaced in; null: in all. */
  readonly texts: readonly string[] | null;
  /** Null: any that the package carries. */
  readonly allowedFonts: readonly string[] | null;
}

/** What `template.yaml` says of one editable. */
export interface ManifestEditable {
  readonly kind: EditableKind;
  readonly label: string;
  /** Name of the still that shows it. */
  readonly stillcut: string;
  readonly required: boolean;
  /** Unicode code points, texts alone. */
  readonly maxLength: number | null;
  /** Of kind font alone; null for every other. */
  readonly font: FontSlot | null;
  /** Where it stands in the manifest. */
  readonly at: Span;
}

/** `template.yaml`: what people may change in an animation, and which frames show it. */
export interface Manifest {
  readonly name: string;
  readonly description: string | null;
  /** Name → seconds from the start. */
  readonly stillcuts: ReadonlyMap<string, { readonly timeSeconds: number; readonly at: Span }>;
  /** In the order in which a person fills them. */
  readonly editables: ReadonlyMap<string, ManifestEditable>;
  /** Names of the fonts that are asked first for what a text's own font has no glyph for, in this order. */
  readonly fallbackFonts: ReadonlyMap<string, Span>;
  /** What people should know of this template; reelform.yaml may say otherwise. */
  readonly lint: LintSeverities;
}
