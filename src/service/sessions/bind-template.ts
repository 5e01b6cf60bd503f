import {
  type AnyRenderInput,
  type PackedInput,
  type PackedTemplate,
  packTemplate,
  unpackAnimation,
} from '../../engine/packed-input.ts';
import { type BindRequest, bindMapping } from '../../template/bind/bind-mapping.ts';
import { usedFonts } from '../../template/lottie/slots/lottie-slots.ts';
import type { TemplatePackage } from '../../template/template-package.ts';

/** The input of a session. Its animation stays packed: only render processes parse it. */
export type BoundInput = PackedInput & UsedFonts;

interface UsedFonts {
  /** Names of the fonts of its texts. */
  readonly usedFonts: readonly string[];
}

/** The input of a session of one template. */
export type BoundTemplate = PackedTemplate & UsedFonts;

/** A package with its animation as bytes, which cross processes hundreds of times faster than objects. */
export interface PackedPackage extends Omit<TemplatePackage, 'animation'> {
  /** JSON in UTF-8. */
  readonly animation: Uint8Array;
}

/**
 * A template of a registry. The animation of an uploaded template is packed, because only sandboxed processes parse it.
 */
export type SessionTemplate = TemplatePackage | PackedPackage;

export interface BindInput {
  readonly template: SessionTemplate;
  readonly request: BindRequest;
  /** @see bindMapping */
  readonly fetched: ReadonlyMap<string, Uint8Array>;
}

interface BindOptions {
  /** The tenant whose input it is. */
  readonly owner: string;
  readonly signal?: AbortSignal;
}

/** Fills a template with a mapping, @see bindMapping. @throws the signal's reason */
export type BindTemplate<Input extends AnyRenderInput = BoundTemplate> = (
  input: BindInput,
  options: BindOptions,
) => Promise<Input>;

/** Binds in this process. */
export function bindHere({ template, request, fetched }: BindInput): BoundTemplate {
  const animation = unpackAnimation(template.animation);
  const renderInput = bindMapping({ ...template, animation }, request, fetched);
  const files = new Set(renderInput.fonts.map(({ name }) => name));
  return {
    ...packTemplate(renderInput),
    usedFonts: usedFonts(renderInput.animation).filter((name) => files.has(name)),
  };
}
