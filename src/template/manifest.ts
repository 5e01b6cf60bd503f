import type { Span } from '../diagnostic.ts';

/** The kinds that a package can offer today. */
export type EditableKind = 'text' | 'color' | 'image';

/** What `template.yaml` says of one editable. */
export interface ManifestEditable {
  readonly kind: EditableKind;
  readonly label: string;
  /** Name of the still that shows it. */
  readonly stillcut: string;
  readonly required: boolean;
  /** Unicode code points, texts alone. */
  readonly maxLength: number | null;
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
}
