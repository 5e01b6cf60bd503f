import { EDITABLE_KINDS, isSlotKind, type SlotKind, slotFacts } from '../../contract/fields/editable-kinds.ts';
import { expectedValue, type Field, type Fields, isRelationMet, isValueOf } from '../../contract/fields/field.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS, type TransformedKind } from '../../contract/fields/transform-fields.ts';
import { MAX_TRACK_NAME, MAX_TRACKS, trackKey } from '../../contract/wire/mapping.ts';
import { normalizeSlotText } from '../../contract/wire/slot-text.ts';
import type { Editable, StyleVersion } from '../../contract/wire/style-version.ts';
import { suggestion } from '../../kernel/hints.ts';
import { isRecord, jsonPointer } from '../../kernel/json.ts';
import { parseColor } from '../color.ts';

type MappingProblemCode =
  | 'unknown_editable'
  | 'missing_editable'
  | 'wrong_kind'
  | 'invalid_color'
  | 'invalid_url'
  | 'text_too_long'
  | 'font_missing'
  | 'unknown_property'
  | 'definition_invalid';

/** A problem of a resource. */
export interface FieldProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer relative to the resource. */
  readonly at: string;
  readonly detail: string;
}

/** A problem of a mapping, as reported by the service. */
export interface MappingProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer into the request. */
  readonly pointer: string;
  /** Key of the editable, `audio_tracks.<track>` or `font_changes.<font>`. */
  readonly editable: string;
  readonly detail: string;
  /** Id of the scene that the mapping belongs to; absent for the only mapping of a video. */
  readonly scene?: string;
}

/** A mapping whose entries may be any JSON. */
export interface UncheckedMapping {
  readonly resources: Readonly<Record<string, unknown>>;
  readonly audio_tracks?: Readonly<Record<string, unknown>> | undefined;
  readonly font_changes?: Readonly<Record<string, unknown>> | undefined;
}

/** Limit for a text in Unicode code points, unless the editable has its own limit. */
const MAX_TEXT = 2_000;
/** JSON pointer to the mapping of a video of one template, as a URI fragment. */
export const MAPPING_POINTER = '#/mapping';

/**
 * Validates a mapping against a specification. Returns all problems in the order of the specification. A mapping without
 * problems can be bound.
 *
 * @param at pointers to the mapping and its tracks in their request
 */
export function checkMapping(
  mapping: UncheckedMapping,
  spec: StyleVersion,
  at = { mapping: MAPPING_POINTER, tracks: `${MAPPING_POINTER}/audio_tracks` },
): MappingProblem[] {
  const availableFonts = spec.available_fonts ?? spec.fonts;
  return [
    ...checkResources(mapping.resources, spec, { availableFonts, pointer: `${at.mapping}/resources` }),
    ...checkTracks(mapping.audio_tracks ?? {}, at.tracks),
    ...checkFontChanges(mapping.font_changes ?? {}, spec, { availableFonts, pointer: `${at.mapping}/font_changes` }),
  ];
}

interface CheckedPart {
  readonly availableFonts: readonly string[];
  /** Of the part in the request. */
  readonly pointer: string;
}

function checkResources(
  resources: UncheckedMapping['resources'],
  spec: StyleVersion,
  { availableFonts, pointer: at }: CheckedPart,
): MappingProblem[] {
  const problems: MappingProblem[] = [];
  for (const [key, editable] of Object.entries(spec.editables)) {
    if (Object.hasOwn(resources, key)) {
      const found = checkEntry(resources[key], editable, availableFonts);
      problems.push(...atPointer(found, `${at}${jsonPointer([key])}`, key));
    } else if (editable.required !== false) {
      const detail = `${key} has no value`;
      problems.push({ code: 'missing_editable', pointer: at, editable: key, detail });
    }
  }
  const known = Object.keys(spec.editables);
  for (const key of Object.keys(resources)) {
    if (Object.hasOwn(spec.editables, key)) continue;
    const detail = `the template has no editable ${key}${suggestion(key, known)}`;
    problems.push({ code: 'unknown_editable', pointer: `${at}${jsonPointer([key])}`, editable: key, detail });
  }
  return problems;
}

/** Validates the tracks of a video or a scene. @param at pointer to the tracks */
export function checkTracks(tracks: Readonly<Record<string, unknown>>, at: string): MappingProblem[] {
  const names = Object.keys(tracks);
  const problems: MappingProblem[] = [];
  const report = (detail: string): void =>
    void problems.push({ code: 'definition_invalid', pointer: at, editable: 'audio_tracks', detail });
  if (names.length > MAX_TRACKS) report(`${names.length} tracks, at most ${MAX_TRACKS}`);
  for (const name of names.slice(0, MAX_TRACKS)) {
    const pointer = `${at}${jsonPointer([name])}`;
    if (name === '' || name.length > MAX_TRACK_NAME) {
      report(`the name of a track must have 1 to ${MAX_TRACK_NAME} characters`);
    } else problems.push(...atPointer(checkTrack(tracks[name]), pointer, trackKey(name)));
  }
  return problems;
}

function checkFontChanges(
  changes: Readonly<Record<string, unknown>>,
  { fonts }: Pick<StyleVersion, 'fonts'>,
  { availableFonts, pointer: at }: CheckedPart,
): MappingProblem[] {
  return Object.entries(changes).flatMap(([name, entry]) => {
    const pointer = `${at}${jsonPointer([name])}`;
    const editable = `font_changes.${name}`;
    if (!fonts.includes(name)) {
      const detail = `no text of the template uses ${name}${suggestion(name, fonts)}`;
      return [{ code: 'font_missing', pointer, editable, detail } as const];
    }
    return atPointer(checkEntry(entry, { input_type: 'font' }, availableFonts), pointer, editable);
  });
}

function atPointer(problems: readonly FieldProblem[], pointer: string, editable: string): MappingProblem[] {
  return problems.map(({ at, ...problem }) => ({ ...problem, pointer: `${pointer}${at}`, editable }));
}

/** Checks a track: a sound that may have times of its speech, and whose transform has more fields. */
function checkTrack(entry: unknown): FieldProblem[] {
  if (!isRecord(entry)) return checkEntry(entry, { input_type: 'audio' }, []);
  const { speech, transform, ...sound } = entry;
  return [
    ...checkEntry(sound, { input_type: 'audio' }, []),
    ...checkTransform(transform, 'track'),
    ...(speech === undefined || isSpeech(speech) ? [] : [SPEECH_PROBLEM]),
  ];
}

/** Sentences of half an hour. */
const MAX_SPANS = 5000;
const SPEECH_PROBLEM: FieldProblem = {
  code: 'definition_invalid',
  at: '/speech',
  detail: `speech must be at most ${MAX_SPANS} pairs of seconds, in their order`,
};

function isSpeech(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MAX_SPANS) return false;
  let before = 0;
  return value.every((span) => {
    if (!Array.isArray(span) || span.length !== 2 || !span.every(Number.isFinite)) return false;
    const [from, to] = span as [number, number];
    const isInOrder = before <= from && from < to;
    before = to;
    return isInOrder;
  });
}

type EditableRules = Pick<Editable, 'input_type' | 'max_length' | 'allowed_fonts'>;

function checkEntry(entry: unknown, editable: EditableRules, availableFonts: readonly string[]): FieldProblem[] {
  const kind = editable.input_type;
  if (kind === 'captions') return [{ code: 'wrong_kind', at: '', detail: 'captions fill it, not a value' }];
  const field = EDITABLE_KINDS[kind].source;
  const value = isRecord(entry) && isRecord(entry.source) ? entry.source[field] : undefined;
  if (!isRecord(entry) || typeof value !== 'string') {
    const what = kind === 'text' || kind === 'color' ? `a ${kind}` : `an editable of kind ${kind}`;
    return [{ code: 'wrong_kind', at: '', detail: `${what} needs source.${field}` }];
  }
  return [
    ...unknownFields(entry, field === 'remote_url' ? ['source', 'transform'] : ['source'], ''),
    ...unknownFields(entry.source as Record<string, unknown>, [field], '/source'),
    ...checkValue(value, entry.transform, editable, availableFonts),
  ];
}

function checkValue(
  value: string,
  transform: unknown,
  editable: EditableRules,
  availableFonts: readonly string[],
): FieldProblem[] {
  const { input_type: kind } = editable;
  if (isSlotKind(kind)) return checkSlot(kind, value);
  switch (kind) {
    case 'text':
    case 'captions':
      return checkText(value, editable.max_length);
    case 'color':
      return checkColor(value);
    case 'font':
      return checkFont(value, editable.allowed_fonts, availableFonts);
    case 'image':
    case 'video':
    case 'audio':
      return [...checkUrl(value), ...checkTransform(transform, kind)];
  }
}

function checkText(text: string, max_length = MAX_TEXT): FieldProblem[] {
  const length = [...text].length;
  if (length <= max_length) return [];
  return [{ code: 'text_too_long', at: '', detail: `${length} characters, at most ${max_length}` }];
}

function checkColor(text: string): FieldProblem[] {
  if (parseColor(text) !== null) return [];
  return [{ code: 'invalid_color', at: '', detail: `${quoted(text)} is not 6 or 8 hexadecimal digits` }];
}

function checkSlot(kind: SlotKind, text: string): FieldProblem[] {
  if (normalizeSlotText(kind, text) !== null) return [];
  return [
    { code: 'wrong_kind', at: '', detail: `${quoted(text)} is not a ${kind} such as ${slotFacts(kind).example}` },
  ];
}

function checkFont(
  name: string,
  allowed: readonly string[] | undefined,
  availableFonts: readonly string[],
): FieldProblem[] {
  const at = '/source/font';
  const choice = allowed ?? availableFonts;
  if (choice.includes(name)) return [];
  if (!availableFonts.includes(name)) {
    const detail = `the template has no font ${quoted(name)}${suggestion(name, choice)}`;
    return [{ code: 'font_missing', at, detail }];
  }
  return [{ code: 'definition_invalid', at, detail: `${name} is not allowed here: use one of ${choice.join(', ')}` }];
}

/** Validates the `remote_url` of a source: http and https URLs, and `urn:sha256:` for uploads. */
export function checkUrl(text: string): FieldProblem[] {
  const invalid = (detail: string): FieldProblem[] => [{ code: 'invalid_url', at: '/source/remote_url', detail }];
  if (/^urn:sha256:[0-9a-f]{64}$/.test(text)) return [];
  if (text.length > 8_192) return invalid('the URL has more than 8192 characters');
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return invalid('a source must be an http or https URL');
  if (url.username !== '' || url.password !== '') return invalid('the URL contains a user name or a password');
  return [];
}

function unknownFields(record: Record<string, unknown>, known: readonly string[], at: string): FieldProblem[] {
  return Object.keys(record)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: 'unknown_property',
      at: `${at}${jsonPointer([name])}`,
      detail: `there is no field ${name}${suggestion(name, known)}`,
    }));
}

/** Shortens and quotes untrusted text. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}

/** Validates the `transform` of an entry, which may be any JSON, against the supported fields. */
export function checkTransform(transform: unknown, kind: TransformedKind | 'track'): FieldProblem[] {
  if (transform === undefined) return [];
  if (!isRecord(transform)) return [invalid('', 'transform must be an object')];
  const problems = Object.entries(transform).flatMap(([name, value]) => checkField(name, value, transform, kind));
  return [...problems, ...checkRequired(transform, kind), ...checkMovement(transform, kind), ...checkLevel(transform)];
}

function checkField(name: string, value: unknown, transform: Json, kind: TransformedKind | 'track'): FieldProblem[] {
  const fields = fieldsOf(kind);
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) {
    return [{ code: 'unknown_property', at: jsonPointer(['transform', name]), detail: unknownField(name, kind) }];
  }
  const { onlyWith } = field;
  if (onlyWith !== undefined && !isRelationMet(onlyWith, transform, fields)) {
    const detail = `${name} can only be used with ${[onlyWith.field, onlyWith.value ?? []].flat().join(' ')}`;
    if (!isInvalid(onlyWith.field, transform, fields)) return [invalid(`/${name}`, detail)];
  }
  return isValueOf(field, value) ? [] : [invalid(`/${name}`, `${name} must be ${expectedValue(field)}`)];
}

type Json = Readonly<Record<string, unknown>>;

/** Returns whether the other field has an invalid value, which is reported for that field. */
function isInvalid(field: string, transform: Json, fields: Fields): boolean {
  return Object.hasOwn(transform, field) && !isValueOf(fields[field]!, transform[field]);
}

/** Checks the fields that a value of another field requires: the rectangle of a manual crop. */
function checkRequired(transform: Json, kind: TransformedKind | 'track'): FieldProblem[] {
  return Object.entries<Field>(fieldsOf(kind)).flatMap(([name, { onlyWith }]) => {
    const { field = '', value, isRequired = false } = onlyWith ?? {};
    if (!isRequired || transform[field] !== value || Object.hasOwn(transform, name)) return [];
    return [invalid('', `${field} ${value} also needs ${name}`)];
  });
}

function checkLevel({ level, volume }: Json): FieldProblem[] {
  if (level === undefined || volume === undefined) return [];
  return [invalid('/volume', 'volume cannot be used with level')];
}

function checkMovement(
  { crop_strategy, animate_strategy = 'none' }: Json,
  kind: TransformedKind | 'track',
): FieldProblem[] {
  if (kind !== 'video' || crop_strategy !== 'manual' || animate_strategy === 'none') return [];
  return [invalid('/animate_strategy', 'crop_strategy manual can only be used with animate_strategy none')];
}

function fieldsOf(kind: TransformedKind | 'track'): Fields {
  return kind === 'track' ? TRACK_FIELDS : TRANSFORM_FIELDS[kind];
}

function unknownField(name: string, kind: TransformedKind | 'track'): string {
  const kinds = Object.keys(TRANSFORM_FIELDS) as TransformedKind[];
  const allowedKinds = kinds.filter((candidate) => Object.hasOwn(TRANSFORM_FIELDS[candidate], name));
  if (allowedKinds.length > 0) return `${name} can only be used with a source of kind ${allowedKinds.join(' or ')}`;
  return `a transform has no field ${name}${suggestion(name, Object.keys(fieldsOf(kind)))}`;
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/transform${at}`, detail };
}
