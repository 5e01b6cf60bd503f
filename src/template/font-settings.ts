import { defined } from '../kernel/defined.ts';
import { type Diagnostic, errorAt, type Span } from '../kernel/diagnostic.ts';
import { isRecord } from '../kernel/json.ts';
import { child, type TreeNode } from '../kernel/yaml/tree.ts';
import type { FontSettings } from './render-input.ts';

/** Field of a text style in a bound animation that contains the settings of its editable. */
export const STYLE_SETTINGS = 'font_settings';

const TAG = /^[\x20-\x7e]{4}$/;
/** Limit for axes or features; no font in use has more. */
const MAX_TAGS = 64;
/** Axis positions are 16.16 fixed-point numbers. @see OpenType 1.9, "fvar" */
const MAX_POSITION = 32_767;
const MAX_FEATURE = 65_535;

interface SettingsRule {
  readonly isValid: (value: unknown) => value is number;
  readonly expected: string;
  readonly example: string;
}

const RULES: Readonly<Record<keyof FontSettings, SettingsRule>> = {
  axes: {
    isValid: (value): value is number => Number.isFinite(value) && Math.abs(Number(value)) <= MAX_POSITION,
    expected: `a number from -${MAX_POSITION} to ${MAX_POSITION}`,
    example: '{ wght: 650 }',
  },
  features: {
    isValid: (value): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_FEATURE,
    expected: '0 (off), 1 (on) or the number of an alternate',
    example: '{ tnum: 1, liga: 0 }',
  },
};

export const SETTINGS_FIELDS = ['axes', 'features'] as const;

/**
 * Reads `axes` and `features` of an entry in template.yaml. Adds all problems to `problems`.
 *
 * @param owner name of the entry, for messages
 */
export function readFontSettings(node: TreeNode, owner: string, problems: Diagnostic[]): FontSettings {
  const settings: Partial<Record<keyof FontSettings, Record<string, number>>> = {};
  for (const field of SETTINGS_FIELDS) {
    const map = child(node, field);
    if (map === null) continue;
    const { isValid, expected, example } = RULES[field];
    const report = (at: Span, message: string): void => {
      problems.push(errorAt('template_invalid', at, message, `Write it like ${field}: ${example}`));
    };
    if (map.kind !== 'map' || map.entries.size > MAX_TAGS) {
      report(map.span, `${field} of ${owner} must be a map of at most ${MAX_TAGS} tags`);
      continue;
    }
    const values: Record<string, number> = {};
    for (const [tag, { keySpan, value }] of map.entries) {
      const number = value.kind === 'scalar' ? value.value : null;
      if (!TAG.test(tag)) report(keySpan, `${tag} in ${field} of ${owner} is not a tag: a tag has four characters`);
      else if (!isValid(number)) report(value.span, `${tag} in ${field} of ${owner} must be ${expected}`);
      else values[tag] = number;
    }
    if (Object.keys(values).length > 0) settings[field] = values;
  }
  return settings;
}

/** Returns the settings that `bindFonts` wrote into a text style. Ignores invalid ones. */
export function settingsOfStyle(style: Readonly<Record<string, unknown>>): FontSettings {
  const written = style[STYLE_SETTINGS];
  if (!isRecord(written)) return {};
  const valid = (field: keyof FontSettings): FontSettings => {
    const values = written[field];
    if (!isRecord(values)) return {};
    const entries = Object.entries(values).filter(([tag, value]) => TAG.test(tag) && RULES[field].isValid(value));
    return entries.length === 0 ? {} : { [field]: Object.fromEntries(entries.slice(0, MAX_TAGS)) };
  };
  return { ...valid('axes'), ...valid('features') };
}

/** Merges settings. Those of the text take precedence over those of its font. */
export function mergeSettings(font: FontSettings, text: FontSettings): FontSettings {
  const axes = { ...font.axes, ...text.axes };
  const features = { ...font.features, ...text.features };
  return {
    ...(Object.keys(axes).length === 0 ? {} : { axes }),
    ...(Object.keys(features).length === 0 ? {} : { features }),
  };
}

/** Returns the settings of a font or text without its other fields; null if it has none. */
export function settingsIn({ axes, features }: FontSettings): FontSettings | null {
  const settings = { ...defined({ axes, features }) };
  return Object.keys(settings).length === 0 ? null : settings;
}
