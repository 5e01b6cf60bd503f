import { isSlotKind, kindFacts, type SlotKind, slotFacts } from '../../contract/fields/editable-kinds.ts';
import type { Fields } from '../../contract/fields/field.ts';
import { TRANSFORM_FIELDS } from '../../contract/fields/transform-fields.ts';
import type { Editable, StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, errorAt, type Locate } from '../../kernel/diagnostic.ts';
import { closestMatch, didYouMean, formatList } from '../../kernel/hints.ts';
import {
  type Description,
  describeProperty,
  type PropertyCodes,
  shown,
  type Violation,
} from '../../kernel/json-schema/violation.ts';
import { definitionFileSchema, type NamedSpec } from './definition-schema.ts';
import { exampleOf, needsQuotes } from './editable-docs.ts';
import { propertyAdvice } from './property-advice.ts';

/** Kind of a checked document, which determines wording and codes. */
export type CheckedDocument =
  | { readonly kind: 'config' }
  | { readonly kind: 'definition'; readonly template: NamedSpec | null };

const CONFIG_CODES: PropertyCodes = { invalid: 'config_invalid', missing: 'config_invalid' };
const DEFINITION_CODES: PropertyCodes = { invalid: 'definition_invalid', missing: 'missing_property' };

/** Converts violations to diagnostics with source locations. */
export function violationDiagnostics(
  violations: readonly Violation[],
  subject: CheckedDocument,
  locate: Locate,
): Diagnostic[] {
  return violations.map((violation) => {
    const { code, message, hint, path = violation.path, part = 'value' } = describe(violation, subject);
    const place = locate(path, part);
    const sentence = message.replace(/^a (?=scene |definition )/, 'A ');
    const text = place.row === undefined ? sentence : `${sentence} (${place.row})`;
    return errorAt(code, place.span, text, place.hint ?? hint);
  });
}

function describe(violation: Violation, subject: CheckedDocument): Description {
  if (subject.kind === 'config') {
    return describeProperty(violation, violation.path.join('.') || 'reelform.yaml', CONFIG_CODES);
  }
  const { template } = subject;
  const misused = violation.keyword === 'false schema' ? describeTransitionField(violation.path) : null;
  if (misused !== null) return misused;
  const placed = describePlacement(violation);
  if (placed !== null) return placed;
  const special = template === null ? null : describeResource(violation, template, DEFINITION_CODES);
  const whole = violation.path.length === 0 ? { ...violation, schema: withAllProperties(violation.schema) } : violation;
  return special ?? describeProperty(whole, nameOfPath(violation.path), DEFINITION_CODES, adviceAt(violation));
}

/** Types of transitions with a field; those with frames if absent. */
const TRANSITION_FIELDS: Readonly<Record<string, string>> = { direction: 'slide, push and wipe', color: 'dip' };

/** Describes a field that the type of a transition does not have; null for other values. */
function describeTransitionField([section, field = '']: readonly string[]): Description | null {
  if (section !== 'transition') return null;
  const types = TRANSITION_FIELDS[field];
  const message = types === undefined ? `A cut has no ${field}` : `Only transitions of type ${types} have a ${field}`;
  return { code: 'definition_invalid', message, hint: `Remove ${field}, or write another type`, part: 'key' };
}

/** Properties of scenes and their videos with several forms: what they can be, and an example. */
const PLACEMENTS: Readonly<Record<string, readonly [asked: string, hint: string]>> = {
  duration: ['seconds, content or fill', 'Write seconds like 4.5, or {content: true, min: 3, max: 8}'],
  transition: ['cut or a map', 'Write it like {type: fade, duration: 0.4}'],
  scenes: ['a list that is not empty', 'Write it like [{template: intro}, {template: outro}]'],
};

/** What to write for a missing property, by the property that needs it. */
const MISSING: Readonly<Record<string, string>> = {
  duration: 'Add content: true',
  transition: 'Add a type and a duration in seconds, like {type: fade, duration: 0.4}',
};

/** Describes a wrong length, transition or list of scenes as a whole; null for other values. */
function describePlacement(violation: Violation): Description | null {
  const { path, keyword, data, ofName } = violation;
  const [section] = path;
  const isOfScene = section === 'scenes' && path.length === 3;
  const property = isOfScene ? path[2]! : section;
  if (property === undefined || ofName || path.length !== (isOfScene ? 3 : 1)) return null;
  if (keyword === 'required' && Object.hasOwn(MISSING, property)) {
    const described = describeProperty(violation, nameOfPath(path), DEFINITION_CODES);
    return { ...described, hint: MISSING[property] };
  }
  const isWhole = ['enum', 'const', 'type', 'minItems', 'anyOf'].includes(keyword);
  if (!isWhole || !Object.hasOwn(PLACEMENTS, property)) return null;
  const [asked, hint] = PLACEMENTS[property]!;
  const came = keyword === 'minItems' ? '' : `, not ${shown(data)}`;
  const message = `${nameOfPath(path)} must be ${asked}${came}`;
  return {
    code: DEFINITION_CODES.invalid,
    message,
    hint: describeProperty(violation, property, DEFINITION_CODES).hint ?? hint,
  };
}

/** Names a value of a definition: `output.height`, or `each.id of a scene`. */
function nameOfPath(path: readonly string[]): string {
  const [section, , ...inside] = path;
  if (section !== 'scenes' || path.length < 2) return path.join('.') || 'a definition';
  return inside.length === 0 ? 'a scene' : `${inside.join('.')} of a scene`;
}

function adviceAt({ path }: Violation): (property: string, known: readonly string[]) => string | undefined {
  return (property, known) => propertyAdvice(path, property, known);
}

/** Merged definitions have no `extends`, `each` and `id`, but files have. */
function withAllProperties(schema: Violation['schema']): Violation['schema'] {
  return { ...schema, properties: definitionFileSchema().properties! };
}

/**
 * Describes a violation below `resources`, `audio` or `fonts` in terms of the template; `null` if the general wording is
 * sufficient.
 */
function describeResource(violation: Violation, template: NamedSpec, codes: PropertyCodes): Description | null {
  const { path, keyword, params } = violation;
  if (path[0] === 'fonts' && path.length === 1 && keyword === 'additionalProperties')
    return unknownFont(String(params.additionalProperty), template);
  if (path[0] === 'audio' && path.length > 1 && !violation.ofName)
    return describeEntry(violation, `the track ${path[1]}`, TRACK, codes);
  if (path[0] !== 'resources') return null;
  if (path.length === 1) {
    if (keyword === 'additionalProperties') return unknownEditable(String(params.additionalProperty), template);
    if (keyword === 'required') return missingEditable(String(params.missingProperty), template.spec);
    return null;
  }
  const key = path[1]!;
  const editable = template.spec.editables[key]!;
  return describeEntry(violation, nameOf(key, editable), editable, codes);
}

/** A track accepts the same values as an editable of kind audio. */
const TRACK: Editable = { input_type: 'audio', stillcut: '' };

function describeEntry(violation: Violation, name: string, editable: Editable, codes: PropertyCodes): Description {
  const inside = violation.path.slice(2).join('.');
  return (
    describeValue(violation, name, editable) ??
    describeProperty(violation, inside === '' ? name : `${inside} of ${name}`, codes, adviceAt(violation))
  );
}

/** `t_01 (Headline)` */
function nameOf(key: string, { label }: Editable): string {
  return label === undefined ? key : `${key} (${label})`;
}

/** A letter for the kind and a number. */
const SHORT_KEY = /^[a-z]_\d+$/;

function unknownEditable(key: string, { name, spec }: NamedSpec): Description {
  const editables = Object.entries(spec.editables);
  const names = editables.flatMap(([known, { label }]) => (label === undefined ? [known] : [known, label]));
  const meant = closestMatch(key, names);
  const near = editables.find(([known, { label }]) => known === meant || label === meant);
  // Similar keys such as f_01 and t_01 are of different kinds.
  const isOtherKind = near?.[0] === meant && SHORT_KEY.test(key) && near?.[0][0] !== key[0];
  const found = isOtherKind ? undefined : near;
  const hint =
    found === undefined
      ? `It has ${editables.map(([known]) => known).join(', ')}`
      : `Did you mean ${nameOf(...found)}?`;
  return {
    code: 'unknown_editable',
    message: `The template ${name} has no editable ${shown(key)}`,
    hint,
    path: ['resources', key],
    part: 'key',
  };
}

function unknownFont(font: string, { name, spec: { fonts } }: NamedSpec): Description {
  const hint = didYouMean(font, fonts) ?? (fonts.length > 0 ? `It has ${formatList(fonts)}` : 'Remove it');
  const message = `The template ${name} has no replaceable font ${shown(font)}`;
  return { code: 'unknown_font', message, hint, path: ['fonts', font], part: 'key' };
}

function missingEditable(key: string, { editables }: StyleVersion): Description {
  const editable = editables[key]!;
  const value = exampleOf(editable)[0];
  const hint = `Add ${key}: ${value === undefined ? '…' : needsQuotes(editable) ? shown(value) : value}`;
  const message = `${nameOf(key, editable)} has no value`;
  return { code: 'missing_editable', message, hint, path: ['resources', key], part: 'key' };
}

function describeValue(violation: Violation, name: string, editable: Editable): Description | null {
  const { path, keyword, params, data, schema } = violation;
  const kind = kindFacts(editable.input_type as string)?.noun ?? 'of an unsupported kind';
  const field = path.length > 2 ? path.at(-1) : undefined;
  const isSource = path.length === 2 || ['source', 'text', 'remote_url', 'font'].includes(field ?? '');
  const wrong = (message: string, hint?: string): Description => ({ code: 'wrong_kind', message, hint });
  switch (keyword) {
    case 'not':
      if (editable.input_type === 'captions') {
        return wrong(
          `${name} shows captions and takes no value`,
          'Remove it, and write captions: {from: …} beside resources',
        );
      }
      return wrong(`${name} is ${kind}, which this version of reelform does not support`, 'Remove it');
    case 'type': {
      if (!isSource) return null;
      const hint = `Write ${kind}${example(editable)}`;
      return data === null
        ? wrong(`${name} has no value`, hint)
        : wrong(`${name} must be ${kind}, not ${shown(data)}`, hint);
    }
    case 'minLength':
      if (SPOKEN.includes(field ?? '')) return null;
      return wrong(`${name} has no value`, `Write ${kind}${example(editable)}`);
    case 'pattern':
      if (field === 'background') return invalidColor(`background of ${name}`, data);
      if (isSlotKind(editable.input_type)) return invalidSlot(name, editable.input_type, data);
      return editable.input_type === 'color' ? invalidColor(name, data) : invalidSource(name, data);
    case 'enum':
      return isSource && editable.input_type === 'font' ? fontNotAllowed(name, data, editable) : null;
    case 'maxLength':
      return tooLong(name, [...String(data)].length, schema.maxLength ?? 0);
    case 'additionalProperties': {
      if (field !== 'source') return null;
      const came = String(params.additionalProperty);
      const takes = Object.keys(schema.properties ?? {}).join();
      const value = exampleOf(editable)[0];
      const hint = takes === 'remote_url' ? `Write the path or URL directly: source: ${value}` : `Write ${takes} instead of ${came}`; // biome-ignore format: two kinds
      const message = `${name} is ${kind}: its source needs ${takes}, not ${shown(came)}`;
      return { ...wrong(message, hint), path: [...path, came], part: 'key' };
    }
    case 'false schema':
      return transformField(name, field ?? '');
    default:
      return null;
  }
}

/** Texts of a spoken track. */
const SPOKEN: readonly string[] = ['speak', 'caption', 'voice'];

/** Field of a video's transform → its rule and a hint. */
const TRANSFORM_RULES: Readonly<Record<string, readonly [rule: string, hint: string]>> = {
  trim_start_time: ['cannot be combined with trim_strategy none', 'Remove one of the two'],
  volume: ['cannot be combined with level', 'Remove one of the two'],
  source: ['cannot be combined with speak', 'Remove one of the two'],
  words: ['cannot be combined with speak', 'Remove it: the times of the words come with the speech'],
  animate_strategy: [
    'cannot be combined with crop_strategy manual',
    'Remove animate_strategy, or write crop_strategy: cover',
  ],
  animate_speed: [
    'needs an animate_strategy other than none',
    'Add animate_strategy: zoom-in, or remove animate_speed',
  ],
};

function example(editable: Editable): string {
  const value = exampleOf(editable)[0];
  return value === undefined ? '' : `, like ${shown(value)}`;
}

function invalidColor(name: string, data: unknown): Description {
  const message = `${name} must be a colour of 6 or 8 hexadecimal digits, not ${shown(data)}`;
  return { code: 'invalid_color', message, hint: 'Write it like "#EEADA7", in quotes' };
}

function invalidSlot(name: string, kind: SlotKind, data: unknown): Description {
  const { form, example, isYamlNumber } = slotFacts(kind);
  const message = `${name} must be ${form}, not ${shown(data)}`;
  return { code: 'wrong_kind', message, hint: `Write it like ${isYamlNumber ? example : `"${example}", in quotes`}` };
}

function invalidSource(name: string, data: unknown): Description {
  const message = `${name} must be a path or an http(s) URL, not ${shown(data)}`;
  return { code: 'invalid_url', message, hint: 'Write https://… or the path of a file in the repository' };
}

function tooLong(name: string, length: number, limit: number): Description {
  const message = `${name} can have at most ${limit} characters, not ${length}`;
  return { code: 'text_too_long', message, hint: `Shorten it by ${length - limit}` };
}

function fontNotAllowed(name: string, data: unknown, { allowed_fonts: allowed = [] }: Editable): Description {
  const message = `${name} must be one of the fonts ${formatList(allowed)}, not ${shown(data)}`;
  return { code: 'unknown_font', message, hint: didYouMean(String(data), allowed) ?? `Write ${allowed[0]}` };
}

function transformField(name: string, field: string): Description {
  const { onlyWith } = (TRANSFORM_FIELDS.video as Fields)[field] ?? {};
  const [rule, hint] = TRANSFORM_RULES[field] ?? [
    `can only be used with ${onlyWith?.field} ${onlyWith?.value}`,
    `Remove ${field}, or write ${onlyWith?.field}: ${onlyWith?.value}`,
  ];
  return { code: 'definition_invalid', message: `${name}: ${field} ${rule}`, hint, part: 'key' };
}
