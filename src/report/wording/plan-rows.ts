import { type Field, phraseOf } from '../../contract/fields/field.ts';
import { OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../contract/fields/transform-fields.ts';
import { OUTPUT_DEFAULTS } from '../../contract/wire/defaults.ts';
import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import { defined } from '../../kernel/defined.ts';
import { parseInputName } from '../../reconciler/lock/input-names.ts';
import type { LockRendering } from '../../reconciler/lock/lock.ts';
import type { FieldChange } from '../../reconciler/plan/plan.ts';
import type { ChangeDocument, InputDocument } from '../../reconciler/plan/plan-document.ts';
import { captionRows } from './caption-rows.ts';
import type { DiffRow, DisplayValue } from './diff-row.ts';
import { displayUrl } from './display-text.ts';
import type { ChangeGroup } from './fold-changes.ts';
import { sceneChangeWords } from './scene-words.ts';
/**
 * Returns what changed about a video: fields of the lock entry, then values in the order of the specification. Values of scenes
 * follow a row about their scene.
 */
export function rowsOf(change: ChangeDocument): DiffRow[] {
  // The rows of scenes show which were added, removed and moved.
  const differ = change.scenes?.some(({ difference }) => difference !== null) === true;
  const fields = change.fields.filter(({ field }) => field !== 'scenes' || !differ);
  const rows = [...fields.flatMap(fieldRows), ...inputRows(change.inputs.filter(isShown))];
  const ofVideo = rows.filter(({ scene }) => scene === undefined);
  return [
    ...ofVideo,
    ...measuredRows(change),
    ...sceneRows(change, rows),
    ...leftOutRows(change),
    ...destinationRows(change),
  ];
}

/** Shows what was measured of the last rendering's sound and of the new one, if the change is one of the sound. */
function measuredRows({ before, after, inputs }: ChangeDocument): DiffRow[] {
  const isOfSound = before === null || inputs.some(({ key, kind }) => kind === 'audio' || key.endsWith('loudness'));
  const rendered = before?.loudness;
  const measured = after?.loudness;
  return [
    ...(rendered && isOfSound ? [headingRow('rendered sound', measuredWords(rendered))] : []),
    ...(measured && isOfSound ? [headingRow('new sound', `${measuredWords(measured)}, measured by lint`)] : []),
  ];
}

/** The places of a template are recorded where a length is set: they appear and disappear with it. */
function isShown({ key, before, after }: InputDocument): boolean {
  return !key.endsWith('timeline.timing') || (before !== null && after !== null);
}

function sceneRows({ scenes = [], left_out: leftOut = [] }: ChangeDocument, rows: readonly DiffRow[]): DiffRow[] {
  const isLeftOut = (id: string): boolean => leftOut.some(({ scene, name }) => scene === id && name === undefined);
  return scenes.flatMap((scene) => {
    // It has a row with the reason.
    if (scene.difference === 'removed' && isLeftOut(scene.id)) return [];
    const values = rows.filter((row) => row.scene === scene.id);
    if (scene.difference === null) return values;
    // The only scene of a video needs no group.
    const words = sceneChangeWords(scene);
    if (scenes.length === 1 && words === '') return values;
    return [headingRow(scene.id, words), ...values];
  });
}

function leftOutRows({ left_out: leftOut = [] }: ChangeDocument): DiffRow[] {
  return leftOut.flatMap(({ scene, name, reason }) => {
    const part = [scene, name].filter((word) => word != null).join('.');
    // The reason of a change tells why the video itself is left out.
    return part === '' ? [] : [headingRow(part, `left out: ${reason}`)];
  });
}

function headingRow(name: string, heading: string): DiffRow {
  return { name, subject: null, before: null, after: null, heading };
}

/** Returns the rows of values in their order. Values with equal names also show their keys. */
export function inputRows(inputs: readonly InputDocument[]): DiffRow[] {
  const names = inputNames(inputs);
  return inputs.flatMap((input): DiffRow[] => {
    const rows = isCues(input) ? captionRows(input) : [inputRow(names.get(input.key)!, input)];
    return rows.map((row) => ({ ...row, ...defined({ scene: input.scene }) }));
  });
}

function isCues({ key, scene }: InputDocument): boolean {
  const { kind, name } = parseInputName(key, scene === undefined ? [] : [scene]);
  return kind === 'captions' && name === 'cues';
}

/** Maps the key of each value to its display name. */
export function inputNames(inputs: readonly InputDocument[]): ReadonlyMap<string, string> {
  const names = inputs.map(({ key, label, scene }) => label ?? nameOf(key, scene));
  const inScene = inputs.map(({ scene }, index) => JSON.stringify([scene, names[index]]));
  const isUnique = (index: number): boolean =>
    inScene.indexOf(inScene[index]!) === inScene.lastIndexOf(inScene[index]!);
  return new Map(inputs.map(({ key }, index) => [key, isUnique(index) ? names[index]! : `${names[index]!} (${key})`]));
}

/**
 * Returns the rows that all changes of a group share; destinations are reduced to their buckets. What differs between the videos of a
 * definition has a row without values.
 */
export function groupRowsOf({ changes, kind }: ChangeGroup): DiffRow[] {
  const [first] = changes;
  if (changes.length === 1) return rowsOf(first);
  const places = changes.flatMap(({ destinations = [] }) =>
    destinations.flatMap(({ kind, to }) => (kind === 'deliver' ? [to] : [])),
  );
  const roots = [...new Set(places.map((to) => `${rootOf(to)}…`))].sort();
  // What was measured differs between the videos of a group.
  const valuesOf = (change: ChangeDocument): DiffRow[] =>
    rowsOf({ ...change, destinations: [], before: null, after: null });
  const rows = kind === 'definition' ? sharedRows(changes.map(valuesOf)) : valuesOf(first);
  return roots.length === 0 ? rows : [...rows, destinationRow(null, { kind: 'name', name: roots.join(', ') })];
}

const DIFFERS = 'differs between the videos';

/** Returns whether the rows of a group leave out values, because they differ between its videos. */
export function hidesValues(group: ChangeGroup): boolean {
  if (group.kind !== 'definition') return group.kind === 'rest';
  return groupRowsOf(group).some(({ heading }) => heading === DIFFERS);
}

/** @param videos the rows of each */
function sharedRows(videos: readonly (readonly DiffRow[])[]): DiffRow[] {
  const sets = videos.map((rows) => new Set(rows.map((row) => JSON.stringify(row))));
  const isShared = (row: DiffRow): boolean => sets.every((set) => set.has(JSON.stringify(row)));
  const rows = videos.flat().map((row): DiffRow => {
    if (isShared(row)) return row;
    const { scene } = row;
    return { name: row.name, ...defined({ scene }), subject: null, before: null, after: null, heading: DIFFERS };
  });
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function destinationRow(before: DisplayValue | null, after: DisplayValue | null): DiffRow {
  return { name: 'delivered to', subject: null, before, after, isDestination: true };
}

/** Pairs each new destination with a destination that the video leaves, followed by the remaining old destinations. */
function destinationRows({ destinations = [], delivered = [] }: ChangeDocument): DiffRow[] {
  const show = (to: string | undefined): DisplayValue | null =>
    to === undefined ? null : { kind: 'name', name: displayUrl(to) };
  const left = destinations.flatMap(({ kind, to }) => (kind === 'release' ? [to] : []));
  const rows = destinations.flatMap(({ kind, to }): DiffRow[] => {
    if (kind === 'release') return [];
    const was = delivered.includes(to) ? to : takeLike(to, left);
    return [destinationRow(show(was), show(to))];
  });
  return [...rows, ...left.map((to) => destinationRow(show(to), null))];
}

/** Display names of the fields of a lock entry. */
export const FIELD_NAMES = {
  title: 'title',
  protect: 'protected',
  service: 'service',
  template: 'template',
  style_version: 'template version',
  scenes: 'scenes',
} as const;

function fieldRows(change: FieldChange): DiffRow[] {
  const { field, before, after } = change;
  if (field === 'captions.cues') return captionRows(change);
  const file = /^captions\.(.+)$/.exec(field)?.[1];
  if (file === undefined) return [fieldRow(change)];
  const heading = before === null ? 'added' : after === null ? 'removed' : 'changed';
  return [{ name: `captions file .${file}`, subject: null, before: null, after: null, heading }];
}

function fieldRow({ field, before, after }: FieldChange): DiffRow {
  const [, scene, property = field] = /^scenes\.(.+)\.([a-z_]+)$/.exec(field) ?? [];
  const show = (value: string | null): DisplayValue | null => {
    if (value === null) return null;
    if (field === 'protect') return { kind: 'name', name: value === 'true' ? 'yes' : 'no' };
    if (property === 'style_version') return { kind: 'name', name: shortId(value) };
    return field === 'service' || property === 'template'
      ? { kind: 'name', name: value }
      : { kind: 'text', text: value };
  };
  const name = FIELD_NAMES[property as keyof typeof FIELD_NAMES] ?? field.replace(/^labels\./, 'label ');
  return { name, subject: null, before: show(before), after: show(after), ...defined({ scene }) };
}

/** Names inputs without a label: `audio main`, `font Inter-Bold`. */
function nameOf(key: string, scene?: string): string {
  const { kind, name } = parseInputName(key, scene === undefined ? [] : [scene]);
  switch (kind) {
    case 'editable':
      return name;
    case 'track':
      return `audio ${name}`;
    case 'font':
      return `font ${name}`;
    case 'timeline':
      return name;
    case 'loudness':
      return 'loudness';
    case 'captions':
      return `captions ${name}`;
    case 'output':
      return key;
  }
}

function inputRow(name: string, { key, scene, kind, value, spoken, before, after }: InputDocument): DiffRow {
  const row = (old: DisplayValue | null, now: DisplayValue | null): DiffRow => {
    return { name, subject: null, before: old, after: now };
  };
  switch (kind) {
    case 'text':
      return row(showWords(before), { kind: 'text', text: value ?? after ?? '' });
    case 'color':
      return row(showColor(before), showColor(after));
    case 'font':
      return row(showName(before), showName(after));
    case 'image':
    case 'video':
    case 'audio': {
      const plain = kind === 'audio' ? 'plain' : 'cover';
      const path = spoken === undefined ? (value ?? null) : spokenWords(spoken);
      return sourceRow(name, { before, after: after ?? '', path }, plain);
    }
    default: {
      const id = parseInputName(key, scene === undefined ? [] : [scene]);
      if (id.kind === 'loudness') return row(showName(loudnessWords(before)), showName(loudnessWords(after)));
      if (id.kind === 'font' || id.kind === 'timeline' || id.kind === 'captions')
        return row(showName(before), showName(after));
      if (id.kind !== 'output') return row(showWords(before), showWords(after));
      // Without settings the main file is still there; an output beside it is not.
      const isMain = id.name === '';
      const words = (input: string | null): string | null => (input === null && !isMain ? null : outputWords(input));
      return row(showName(words(before)), showName(words(after)));
    }
  }
}

const MAX_SPOKEN = 80;

/** `"Light that lands softly." by anna`, which says more than the name of its file. */
function spokenWords({ text, voice }: NonNullable<InputDocument['spoken']>): string {
  const shown = text.length <= MAX_SPOKEN ? text : `${text.slice(0, MAX_SPOKEN).trimEnd().toWellFormed()}…`;
  return `${JSON.stringify(shown)} by ${voice}`;
}

function showName(name: string | null): DisplayValue | null {
  return name === null ? null : { kind: 'name', name };
}

/** @param plain text for a source without handling */
function sourceRow(
  name: string,
  { before, after, path }: { readonly before: string | null; readonly after: string; readonly path: string | null },
  plain: string,
): DiffRow {
  const was = before === null ? null : parseSourceInput(before);
  const is = parseSourceInput(after);
  const place = path ?? is.place;
  // The former file name is not recorded, so a replaced file is shown under its new name with both digests.
  const related = was !== null && (was.digest === null ? was.place === is.place : is.digest !== null);
  if (!related) {
    const old = was && describeSource(was.digest === null ? was.place : 'a file', was);
    return { name, subject: null, before: old, after: describeSource(place, is) };
  }
  const side = (shown: SourceInput, opposite: SourceInput): DisplayValue => {
    const handling = shown.handling !== opposite.handling && (shown.handling ?? plain);
    const words = [shown.digest !== opposite.digest && shown.digest, handling];
    return { kind: 'name', name: words.filter((word) => word).join(', ') };
  };
  return { name, subject: place, before: side(was, is), after: side(is, was) };
}

/** Formats `location (digest, handling)`, without empty parts. */
function describeSource(place: string, { digest, handling }: SourceInput): DisplayValue {
  const details = [digest, handling].filter((detail) => detail !== null);
  return { kind: 'name', name: details.length === 0 ? place : `${place} (${details.join(', ')})` };
}

function showWords(input: string | null): DisplayValue | null {
  if (input === null) return null;
  const digest = shortDigest(input);
  return digest === null ? { kind: 'text', text: input } : { kind: 'name', name: `sha256 ${digest}` };
}

function showColor(input: string | null): DisplayValue | null {
  return input !== null && /^(?:[0-9A-F]{6}|[0-9A-F]{8})$/.test(input)
    ? { kind: 'color', color: input }
    : showWords(input);
}

/** Shortens ids that contain a digest. */
function shortId(id: string): string {
  return id.replace(/[0-9a-f]{16,}$/, (digits) => digits.slice(0, 8));
}

/** Removes and returns an old destination, preferably in the same bucket and with the same extension. */
function takeLike(to: string, left: string[]): string | undefined {
  const extensionOf = (address: string): string => address.slice(address.lastIndexOf('.'));
  const likeness = left.map((address) => {
    return 2 * Number(rootOf(address) === rootOf(to)) + Number(extensionOf(address) === extensionOf(to));
  });
  return left.splice(Math.max(0, likeness.indexOf(Math.max(...likeness))), 1)[0];
}

/** Returns scheme and bucket. */
function rootOf(to: string): string {
  return /^[a-z0-9]+:(?:\/\/)?[^/]*\//.exec(to)?.[0] ?? to;
}

/** The input that `desiredVideo` writes for a source, parsed. */
interface SourceInput {
  /** URL or digest of a file. */
  readonly place: string;
  /** First 8 digits; null for a URL. */
  readonly digest: string | null;
  /** Settings beside the source, such as `contain` or `volume 0.5`; null if there are none. */
  readonly handling: string | null;
}

/** Parses the recorded input of a source. Returns text in any other format as the location. */
function parseSourceInput(input: string): SourceInput {
  const [, place = input, settings = ''] = /^(.*?)((?: [a-z_]+=\S+)*)$/s.exec(input) ?? [];
  const pairs = settings
    .split(' ')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  const worded = WORDED.map(([name]) => name);
  const picture = pairs
    .filter(([name]) => !worded.includes(name) && name !== 'crop_strategy')
    .map((pair) => pair.join('='));
  const strategy = pairs.find(([name]) => name === 'crop_strategy')?.[1];
  const phrases = WORDED.flatMap(([name, field]) => {
    const value = pairs.find((pair) => pair[0] === name)?.[1];
    return (value === undefined ? null : phraseOf(field, value)) ?? [];
  });
  // `cover` without further settings is the default.
  const first = picture.length > 0 || strategy !== 'cover' ? [strategy ?? [], ...picture].flat().join(' ') : '';
  const parts = first === '' ? phrases : [first, ...phrases];
  return { place, digest: shortDigest(place), handling: parts.length === 0 ? null : parts.join(', ') };
}

/** Fields of transforms that have a phrase. */
const WORDED = Object.entries<Field>({ ...TRANSFORM_FIELDS.video, ...TRACK_FIELDS }).filter(
  ([, { phrase }]) => phrase !== undefined,
);

/** Formats what was measured of a finished sound. */
export function measuredWords({ integrated, true_peak }: SoundMeasures): string {
  return `${integrated.toFixed(1)} LUFS, peaks ${true_peak.toFixed(1)} dBTP`;
}

/** Returns the rows of the further files of a rendering, with what was measured of their sounds. @param shown formats a URL */
export function outputRows(
  outputs: LockRendering['outputs'] = [],
  shown: (url: string) => string = displayUrl,
): [name: string, value: string][] {
  return outputs.flatMap(({ name, video_url, loudness }) => [
    [`output ${name}`, shown(video_url)],
    ...(loudness === undefined ? [] : [[`loudness ${name}`, measuredWords(loudness)] satisfies [string, string]]),
  ]);
}

/** Formats a recorded loudness. */
function loudnessWords(input: string | null): string | null {
  const [, target, peak] = /^target=(\S+) true_peak=(\S+)$/.exec(input ?? '') ?? [];
  return target === undefined ? input : `${target} LUFS, peaks up to ${peak} dBTP`;
}

/** Formats the recorded input of an output; null means the default output. */
function outputWords(input: string | null): string {
  const pairs = new Map((input ?? '').split(' ').map((pair) => pair.split('=') as [string, string]));
  const { format, codec, ...rest } = OUTPUT_FIELDS;
  const words = Object.entries<Field>({ format, codec, ...rest }).flatMap(([name, field]) => {
    const value = pairs.get(name) ?? (name === 'format' ? OUTPUT_DEFAULTS.format : undefined);
    return (value === undefined ? null : phraseOf(field, value)) ?? [];
  });
  return words.join(', ');
}

/** Returns the first 8 digits of a text that starts with a full `sha256:…`; null for any other text. */
function shortDigest(input: string): string | null {
  return /^sha256:([0-9a-f]{8})[0-9a-f]{56}(?: |$)/.exec(input)?.[1] ?? null;
}
