import { type CaptionStyle, plainCaptionStyle } from '../../contract/captions/caption-style.ts';
import { CAPTION_STYLES } from '../../contract/captions/caption-styles.ts';
import { CAPTION_STYLE_FIELDS } from '../../contract/fields/caption-style-fields.ts';
import { type Diagnostic, errorAt, type Locate, type Span } from '../../kernel/diagnostic.ts';
import { didYouMean, formatList } from '../../kernel/hints.ts';

/** Styles of captions of reelform.yaml by name, with all that they start from. */
export type CaptionStyles = ReadonlyMap<string, CaptionStyle>;

/** A style with the name of the style that it starts from. */
export type WrittenStyle = CaptionStyle & { readonly extends?: string };

/** Returns whether a field of a style is used as written, rather than as its YAML value. */
export function isStyleText(field: string): boolean {
  if (!Object.hasOwn(CAPTION_STYLE_FIELDS, field)) return field === 'extends';
  const { kind } = CAPTION_STYLE_FIELDS[field as keyof typeof CAPTION_STYLE_FIELDS];
  return kind === 'text' || kind === 'color' || kind === 'choice';
}

/** Returns a style of reelform.yaml, or a built-in one; null if there is none. */
export function namedStyle(name: string, styles: CaptionStyles): CaptionStyle | null {
  const isBuiltIn = Object.hasOwn(CAPTION_STYLES, name);
  return styles.get(name) ?? (isBuiltIn ? CAPTION_STYLES[name as keyof typeof CAPTION_STYLES] : null);
}

export function unknownStyle(name: string, known: readonly string[], at: Span): Diagnostic {
  const names = [...new Set([...known, ...Object.keys(CAPTION_STYLES)])];
  const hint = didYouMean(name, names) ?? `The styles are ${formatList(names)}`;
  return errorAt('caption_style_unknown', at, `There is no style of captions ${JSON.stringify(name)}`, hint);
}

/** Reads `caption_styles` of reelform.yaml, which the schema has accepted. */
export function readCaptionStyles(
  written: Readonly<Record<string, WrittenStyle>> = {},
  locate: Locate,
): { readonly styles: CaptionStyles; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const resolve = (name: string, above: readonly string[]): CaptionStyle => {
    const { extends: base, ...fields } = written[name]!;
    if (base === undefined) return fields;
    const at = locate(['caption_styles', name, 'extends'], 'value').span;
    // A style may start from the built-in style that it replaces.
    const isOwn = Object.hasOwn(written, base) && base !== name;
    if (isOwn && above.includes(base)) {
      const circle = [...above.slice(above.indexOf(base)), name, base].join(' → ');
      diagnostics.push(
        errorAt('extends_cycle', at, `The style extends itself: ${circle}`, 'Remove one of these extends'),
      );
      return fields;
    }
    const builtIn = isOwn ? null : namedStyle(base, new Map());
    if (!isOwn && builtIn === null) diagnostics.push(unknownStyle(base, Object.keys(written), at));
    return { ...(isOwn ? resolve(base, [...above, name]) : builtIn), ...fields };
  };
  const styles = new Map(Object.keys(written).map((name) => [name, plainCaptionStyle(resolve(name, []))]));
  return { styles, diagnostics };
}
