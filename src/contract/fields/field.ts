/** The facts of every field, whatever its kind. Types, schemas, checks, forms, wording and reference derive from them. */
interface FieldFacts {
  /** Name in forms, which have no control for a field without it. */
  readonly label?: string;
  /** One or more sentences, for editors, the HTTP interface and the reference. */
  readonly description: string;
  /** The only sources that the field affects, if an editable accepts both; all if absent. */
  readonly affects?: 'clips' | 'still images';
  readonly onlyWith?: Relation;
  /** Definitions have the field in a map of this name, without the prefix: `duck_depth` is `duck: {depth: …}`. */
  readonly group?: string;
  /** Phrase in plans; `{}` is the value. Empty for none; plans show `name=value` if absent. */
  readonly phrase?: string;
}

/** A field that may be used only with another field, or with a certain value of it. */
export interface Relation {
  readonly field: string;
  /** Any if absent. */
  readonly value?: string;
  /** The field implies the value if the other field is absent. Otherwise the default of that field applies. */
  readonly isImplied?: true;
  /** The value also requires the field. */
  readonly isRequired?: true;
}

export interface NumberField extends FieldFacts {
  readonly kind: 'number';
  /** Smallest value. */
  readonly min?: number;
  /** Limit that values must exceed. */
  readonly above?: number;
  /** Largest value. */
  readonly max?: number;
  readonly multipleOf?: number;
  /** `share`: 1 is the whole, which forms show as 100 %. */
  readonly unit?: 'seconds' | 'pixels' | 'share' | 'percent' | 'LUFS' | 'dB';
  readonly default?: number;
}

interface ChoiceField extends FieldFacts {
  readonly kind: 'choice';
  readonly values: readonly string[];
  /** Names of the values in forms; the values themselves if absent. */
  readonly labels?: readonly string[];
  readonly default?: string;
  /** Editors insert the default with the name of the field. */
  readonly isProposed?: true;
}

interface BooleanField extends FieldFacts {
  readonly kind: 'boolean';
  readonly default?: boolean;
}

/** 6 or 8 hexadecimal digits: RRGGBB or RRGGBBAA. */
interface ColorField extends FieldFacts {
  readonly kind: 'color';
  readonly default?: string;
}

/** Names of tracks, sorted and separated by commas. Definitions have a name or a list. */
interface NamesField extends FieldFacts {
  readonly kind: 'names';
  readonly default?: string;
}

/** A text of at least one character. */
interface TextField extends FieldFacts {
  readonly kind: 'text';
  /** In UTF-16 units. */
  readonly maxLength: number;
  readonly default?: string;
}

/** A language (BCP 47). */
interface LanguageField extends FieldFacts {
  readonly kind: 'language';
  readonly default?: string;
}

export type Field = NumberField | ChoiceField | BooleanField | ColorField | NamesField | TextField | LanguageField;

/** Fields by name, in the order of documentation and forms. */
export type Fields = Readonly<Record<string, Field>>;

/** Type of a field's value. */
export type FieldValue<F> = F extends { readonly values: readonly (infer V)[] }
  ? V
  : F extends { readonly kind: 'number' }
    ? number
    : F extends { readonly kind: 'boolean' }
      ? boolean
      : string;

/** Type of the JSON object with the fields of a table, all optional. */
export type FieldValues<T> = { -readonly [N in keyof T]?: FieldValue<T[N]> };

/** Defaults of the fields that have a default. */
type FieldDefaults<T> = {
  readonly [N in keyof T as T[N] extends { readonly default: unknown } ? N : never]: T[N] extends {
    readonly default: infer D;
  }
    ? D
    : never;
};

export function defaultsOf<T extends Fields>(fields: T): FieldDefaults<T> {
  const defaults = Object.entries(fields).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(defaults.map(([name, field]) => [name, field.default])) as FieldDefaults<T>;
}

/** A well-formed tag. @see BCP 47 (RFC 5646), 2.1 */
export const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** Up to 16 names of tracks. */
const NAMES = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(?:,[A-Za-z0-9][A-Za-z0-9_-]{0,63}){0,15}$/;

/** Returns the value of a field of names. */
export function joinedNames(names: readonly string[]): string {
  return [...new Set(names)].sort().join(',');
}

/** Returns whether a JSON value is a value of the field, apart from its relation to other fields. */
export function isValueOf(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'number': {
      const { min = -Infinity, max = Infinity, above = -Infinity, multipleOf } = field;
      const isInRange = Number.isFinite(value) && (value as number) >= min && (value as number) <= max;
      return (
        isInRange && (value as number) > above && (multipleOf === undefined || (value as number) % multipleOf === 0)
      );
    }
    case 'choice':
      return field.values.some((known) => known === value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'names':
      return typeof value === 'string' && NAMES.test(value);
    case 'text':
      return typeof value === 'string' && value !== '' && value.length <= field.maxLength;
    case 'language':
      return typeof value === 'string' && LANGUAGE_TAG.test(value);
    case 'color':
      return typeof value === 'string' && /^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value);
  }
}

/** Returns whether the other field of a relation has its value. @param values by name; an absent field has its default */
export function isRelationMet(
  { field, value, isImplied }: Relation,
  values: Readonly<Record<string, unknown>>,
  fields: Fields,
): boolean {
  if (value === undefined) return Object.hasOwn(values, field);
  if (!Object.hasOwn(values, field)) return isImplied === true || fields[field]!.default === value;
  return values[field] === value;
}

/** Describes the values of a field, after "must be": `a number from 0 to 4`. */
export function expectedValue(field: Field): string {
  switch (field.kind) {
    case 'number':
      return expectedNumber(field);
    case 'choice':
      return `one of ${field.values.join(', ')}`;
    case 'boolean':
      return 'true or false';
    case 'names':
      return 'names of tracks, separated by commas';
    case 'text':
      return `a text of up to ${field.maxLength} characters`;
    case 'language':
      return 'a BCP 47 tag like en, pt-BR or zh-Hant';
    case 'color':
      return '6 or 8 hexadecimal digits';
  }
}

function expectedNumber({ min, above, max, multipleOf, unit }: NumberField): string {
  const noun = unit === 'seconds' || unit === 'LUFS' ? unit : multipleOf === 2 ? 'an even number' : 'a number';
  if (above !== undefined) return `${noun} above ${above}`;
  return `${noun} from ${min ?? -Infinity}${max === undefined ? '' : ` to ${max}`}`;
}

/** Returns the words of plans for a value, such as `fade-in 0.5 s`; null if it needs none. @param text the recorded value */
export function phraseOf({ kind, phrase = '' }: Field, text: string): string | null {
  const isSilent = phrase === '' || (kind === 'boolean' && text !== 'true') || (kind === 'choice' && text === 'none');
  return isSilent ? null : phrase.replace('{}', () => text);
}

/** Returns the description of a field with its values, its relation and its default, for Markdown. */
export function fieldText(field: Field): string {
  const { description, affects, onlyWith, default: value } = field;
  const facts = [
    ...(affects === undefined ? [] : [`Applies to ${affects}`]),
    ...valuesText(field),
    ...(onlyWith === undefined ? [] : [relationText(onlyWith)]),
    ...(value === undefined ? [] : [`Default: \`${value}\``]),
  ];
  return [description, ...facts.map((fact) => `${fact}.`)].join(' ');
}

function relationText({ field, value, isRequired }: Relation): string {
  const condition = value === undefined ? `\`${field}\` is given` : `\`${field}\` is \`${value}\``;
  return isRequired ? `Required if ${condition}, and refused otherwise` : `Only if ${condition}`;
}

/** Returns a Markdown list of fields. */
export function fieldList(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field]) => `- \`${name}\`: ${fieldText(field)}`)
    .join('\n');
}

function valuesText(field: Field): string[] {
  switch (field.kind) {
    case 'number': {
      const { min, max } = field;
      return min === undefined || max === undefined ? [] : [`From ${min} to ${max}`];
    }
    case 'choice':
      return [`One of ${field.values.map((value) => `\`${value}\``).join(', ')}`];
    case 'boolean':
    case 'names':
    case 'text':
    case 'language':
      return [];
    case 'color':
      return ['RRGGBB or RRGGBBAA'];
  }
}

/** Removes the alpha of an opaque colour. @param color 6 or 8 upper-case hexadecimal digits */
export function plainColor(color: string): string {
  return color.replace(/^(.{6})FF$/, '$1');
}

/** Removes fields that repeat a default or are undefined. */
export function withoutDefaults<T extends object>(fields: T, defaults: Readonly<Record<string, unknown>>): Partial<T> {
  const kept = Object.entries(fields).filter(([name, value]) => value !== undefined && value !== defaults[name]);
  return Object.fromEntries(kept) as Partial<T>;
}
