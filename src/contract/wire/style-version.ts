import type { EditableKind } from '../fields/editable-kinds.ts';
import type { Place } from '../timeline/place.ts';
import type { RequestProblem } from './problem.ts';

/** An editable of a template style version. */
export interface Editable {
  input_type: EditableKind;
  /** Colour: 6 or 8 hexadecimal digits without `#`; number, point and gradient: the text of the value. */
  example_text?: string;
  stillcut: string;
  fonts?: string[];
  /** Pixels of the area that an image fills. */
  width?: number;
  height?: number;
  label?: string;
  /** True when absent. */
  required?: boolean;
  /** Unicode code points. */
  max_length?: number;
  /** Seconds. */
  duration?: number;
  allowed_fonts?: string[];
}

/** The mapping specification, `GET /v2/template_style_versions/{id}/specs`. */
export interface StyleVersion {
  id: string;
  /** In the order of the template. */
  editables: Record<string, Editable>;
  fonts: string[];
  /** Fonts available to `font_changes`; `fonts` if absent. */
  available_fonts?: string[];
  /** Where the template can become longer or shorter, in its frames and in order of priority; the default if absent. */
  timing?: readonly Place[];
}

/** Returns whether a template has a text that shows captions. */
export function hasCaptionsLayer({ editables }: Pick<StyleVersion, 'editables'>): boolean {
  return Object.values(editables).some(({ input_type }) => input_type === 'captions');
}

export type StyleVersionStatus = 'processing' | 'edit_ready' | 'failed';

/** `GET /v2/template_style_versions/{id}`: the specification and its processing state. */
export interface StyleVersionDetails extends StyleVersion {
  /** The template's name. */
  name: string;
  status: StyleVersionStatus;
  /** Reasons of a failure. */
  errors: RequestProblem[];
  /** SHA-256 of everything in the package that affects frames. */
  digest: string;
  /** Pixels. */
  width: number;
  height: number;
  fps: number;
  /** Seconds. */
  duration: number;
  /** PNG URLs by name; empty until `edit_ready`. */
  stillcuts: Record<string, string>;
  created_at: string;
}
