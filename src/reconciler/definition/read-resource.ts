import { isSlotKind, type SlotKind, slotFacts } from '../../contract/fields/editable-kinds.ts';
import { type Fields, joinedNames } from '../../contract/fields/field.ts';
import { TRACK_FIELDS } from '../../contract/fields/transform-fields.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import { isOfSlotForm, normalizeSlotText } from '../../contract/wire/slot-text.ts';
import type { Editable } from '../../contract/wire/style-version.ts';
import type { Code } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/digest.ts';
import { didYouMean, formatList } from '../../kernel/hints.ts';
import { isRecord } from '../../kernel/json.ts';
import { child, type ScalarNode, type TreeNode, textOf, toJson } from '../../kernel/yaml/tree.ts';
import { resolvePath } from './definition-file.ts';
import type { Source, VideoResource, VideoSound } from './video.ts';

/** A value, or a problem that a schema cannot express; `null` for a form that the schema has rejected already. */
export type Read<T> =
  /** `node` contains the text, font or source. */
  | { readonly ok: true; readonly value: T; readonly node: TreeNode }
  | {
      readonly ok: false;
      readonly code: Code;
      readonly message: string;
      readonly hint: string;
      readonly node: ScalarNode;
    }
  | null;

/** Names of the fonts of a template; `null` if unknown. */
export type KnownFonts = readonly string[] | null;

/**
 * Reads the value of an editable, in its short form or in the full form of the service interface. Images, clips and sounds have
 * a further form: a map of the source and its transform's fields.
 *
 * @param fonts names that may be used; `null` if unknown
 */
export function readResource(node: TreeNode, editable: Editable, fonts: KnownFonts): Read<VideoResource> {
  const { input_type: kind, allowed_fonts: allowed } = editable;
  if (isSlotKind(kind)) return readSlot(node, kind);
  switch (kind) {
    case 'text': {
      const text = textOf(sourceNode(node, 'text'));
      return text === null ? null : { ok: true, node, value: { kind, text } };
    }
    case 'color': {
      const color = parseHexColor(textOf(sourceNode(node, 'text')) ?? '');
      return color === null ? null : { ok: true, node, value: { kind, color } };
    }
    case 'image':
    case 'video': {
      const transform = readTransform(transformFields(node));
      return withSource(node, transform, (source, transform) => ({ kind, source, transform }));
    }
    case 'audio': {
      const sound = readSound(node);
      return sound?.ok ? { ...sound, value: { kind, ...sound.value } } : sound;
    }
    case 'font': {
      const font = readFont(node, fonts);
      // The schema has rejected fonts that are not allowed.
      if (font?.ok === false && allowed?.includes(font.node.text) === false) return null;
      return font?.ok ? { ...font, value: { kind, font: font.value } } : font;
    }
    default:
      return null;
  }
}

/** Reads the text of a kind with a slot. */
function readSlot(node: TreeNode, kind: SlotKind): Read<VideoResource> {
  const written = sourceNode(node, 'text');
  if (written?.kind !== 'scalar' || written.value === null) return null;
  const text = normalizeSlotText(kind, written.text);
  if (text !== null) return { ok: true, node, value: { kind: 'text', text } };
  const { problem } = slotFacts(kind);
  // The schema has rejected all other texts.
  if (problem === undefined || !isOfSlotForm(kind, written.text)) return null;
  return { ok: false, code: 'wrong_kind', ...problem, node: written };
}

/** Reads a sound, in the same forms as an image or a clip. */
export function readSound(node: TreeNode): Read<VideoSound> {
  return withSource(node, readAudioTransform(node), (source, transform) => ({ source, transform }));
}

/**
 * Reads the name of a font, and checks that the template has it if `fonts` is known.
 */
export function readFont(node: TreeNode, fonts: KnownFonts): Read<string> {
  const written = sourceNode(node, 'font');
  if (written?.kind !== 'scalar' || written.value === null) return null;
  const font = written.text;
  if (fonts === null || fonts.includes(font)) return { ok: true, node: written, value: font };
  const hint = didYouMean(font, fonts) ?? `It has ${formatList(fonts) || 'none'}`;
  const message = `The template has no font ${JSON.stringify(font)}`;
  return { ok: false, code: 'unknown_font', message, hint, node: written };
}

function sourceNode(node: TreeNode, field: 'text' | 'remote_url' | 'font'): TreeNode | null {
  if (node.kind !== 'map') return node;
  const source = child(node, 'source');
  return source?.kind === 'map' ? child(source, field) : null;
}

function withSource<T, U>(node: TreeNode, transform: U | null, make: (source: Source, transform: U) => T): Read<T> {
  const beside = node.kind === 'map' ? child(node, 'source') : null;
  const written = beside?.kind === 'scalar' ? beside : sourceNode(node, 'remote_url');
  if (written?.kind !== 'scalar' || written.value === null || transform === null) return null;
  const read = readSource(written);
  if (read === null) return null;
  return read.ok ? { ok: true, node: written, value: make(read.source, transform) } : { ...read, node: written };
}

/** A source, or a problem that a schema cannot express; `null` for another protocol, which the schema has rejected. */
type ReadSource =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string }
  | null;

/** Reads a repository path or an http(s) URL. */
function readSource(node: ScalarNode): ReadSource {
  const { text } = node;
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) {
    const resolved = resolvePath(text, node.baseFile);
    return resolved.ok ? { ok: true, source: { kind: 'file', path: resolved.path } } : resolved;
  }
  const invalid = (message: string, hint: string): ReadSource => ({ ok: false, code: 'invalid_url', message, hint });
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null) return invalid('The text is not a valid URL', 'Write https://host/path, without spaces');
  if (url.username !== '' || url.password !== '') {
    return invalid('The URL contains a user name or a password', 'Use a signed URL or a file in the repository');
  }
  return /^https?:$/.test(url.protocol) ? { ok: true, source: { kind: 'url', url: text } } : null;
}

/** Reads the `transform` of an image or video and adds its defaults; `null` for a form that the schema has rejected. */
function readTransform(node: TreeNode | null): Transform | null {
  if (node === null) return { crop_strategy: 'cover' };
  if (node.kind !== 'map') return null;
  const written = toJson(node, (path) => path[0] === 'background') as Transform;
  const transform: Transform = {
    crop_strategy: 'cover',
    ...(written.trim_start_time === undefined ? {} : { trim_strategy: 'manual' }),
    ...written,
  };
  if (written.background === undefined) return transform;
  const background = parseHexColor(String(written.background));
  return background === null ? null : { ...transform, background };
}

/** Reads the transform of a sound; `null` for a form that the schema has rejected. */
export function readAudioTransform(node: TreeNode): AudioTransform | null {
  const fields = transformFields(node);
  if (fields === null) return {};
  return fields.kind === 'map' ? (withoutGroups(toJson(fields, () => false) as JsonRecord) as AudioTransform) : null;
}

type JsonRecord = Readonly<Record<string, Json>>;

/** Returns the fields of groups beside the others, with the name of the group in front. */
function withoutGroups(fields: JsonRecord): JsonRecord {
  const pairs = Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
    if (!isRecord(value)) return [[name, value]];
    return Object.entries(value as JsonRecord).map(([member, field]) => [
      `${name}_${member}`,
      fieldValue(`${name}_${member}`, field),
    ]);
  });
  return Object.fromEntries(pairs);
}

function fieldValue(name: string, value: Json): Json {
  const isNames = (TRACK_FIELDS as Fields)[name]?.kind === 'names';
  return isNames ? joinedNames([value].flat() as string[]) : value;
}

/** Returns the fields of a transform: those of `transform` in the full form, or those beside the source. */
export function transformFields(node: TreeNode | null): TreeNode | null {
  if (node?.kind !== 'map') return null;
  const isFull = child(node, 'source')?.kind === 'map' || node.entries.has('transform');
  if (isFull) return child(node, 'transform');
  return { ...node, entries: new Map([...node.entries].filter(([name]) => !BESIDE.includes(name))) };
}

/** Properties of media and of tracks that are no fields of their transform. */
const BESIDE: readonly string[] = ['source', 'words', 'speak', 'voice', 'caption', 'options'];

/** Normalizes `#EEADA7` or `eeada7ff` to 6 or 8 upper-case digits; `null` for any other text. */
export function parseHexColor(text: string): string | null {
  return /^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? text.replace('#', '').toUpperCase() : null;
}
