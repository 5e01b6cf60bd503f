import type { VideoResource } from '../definition/video.ts';
import type { Change, FieldChange, InputChange } from '../plan/plan.ts';

/** The label that a template gives to one of its editables, where it gives one. */
export type LabelLookup = (template: string, key: string) => string | undefined;

/** One side of a change as it can be shown. Everything in it is the user's, and not escaped. */
export type Shown =
  /** Words, which can be compared with words. */
  | { readonly kind: 'text'; readonly text: string }
  /** 6 or 8 hexadecimal digits. */
  | { readonly kind: 'color'; readonly color: string }
  /** A file, a URL, a digest, an id: compared as a whole. */
  | { readonly kind: 'name'; readonly name: string };

/** One thing that changed: `name: before → after`, or `name: subject (before → after)`. */
export interface Row {
  readonly name: string;
  /** What stays the same about both sides, such as the file whose bytes changed. */
  readonly subject: string | null;
  /** Null: there was nothing. */
  readonly before: Shown | null;
  /** Null: there is nothing any more. */
  readonly after: Shown | null;
}

/** What changed about a video: the lock's fields, then the values in the order of the specification. */
export function rowsOf(change: Change, label: LabelLookup = () => undefined): Row[] {
  const { template } = change.desired ?? change.before;
  const names = change.inputs.map(({ key }) => label(template, key) ?? key);
  const values = change.inputs.map((input, index): Row => {
    const name = names[index]!;
    const unique = names.indexOf(name) === names.lastIndexOf(name);
    return inputRow(unique ? name : `${name} (${input.key})`, input, change.desired?.resources.get(input.key));
  });
  return [...change.fields.map(fieldRow), ...values];
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'title',
  protect: 'protected',
  service: 'service',
  template: 'template',
  style_version: 'template version',
};

function fieldRow({ field, before, after }: FieldChange): Row {
  const show = (value: string | null): Shown | null => {
    if (value === null) return null;
    if (field === 'protect') return { kind: 'name', name: value === 'true' ? 'yes' : 'no' };
    if (field === 'style_version') return { kind: 'name', name: shortId(value) };
    return field === 'service' || field === 'template' ? { kind: 'name', name: value } : { kind: 'text', text: value };
  };
  const name = FIELD_NAMES[field] ?? field.replace(/^labels\./, 'label ');
  return { name, subject: null, before: show(before), after: show(after) };
}

function inputRow(name: string, { before, after }: InputChange, resource: VideoResource | undefined): Row {
  switch (resource?.kind) {
    case 'text':
      return { name, subject: null, before: showWords(before), after: { kind: 'text', text: resource.text } };
    case 'color':
      return { name, subject: null, before: showColor(before), after: { kind: 'color', color: resource.color } };
    case 'image':
      return imageRow(name, before, after!, resource);
    case undefined:
      return { name, subject: null, before: showWords(before), after: showWords(after) };
  }
}

function imageRow(name: string, before: string | null, after: string, image: VideoResource & { kind: 'image' }): Row {
  const { source } = image;
  const was = before === null ? null : parseImage(before);
  const is = parseImage(after);
  const place = source.kind === 'file' ? source.path : source.url;
  // A file's old name is not recorded, so two files are shown as the new one with both digests.
  const related = was !== null && (was.digest === null ? was.place === is.place : is.digest !== null);
  if (!related) {
    const old = was && describeImage(was.digest === null ? was.place : 'a file', was);
    return { name, subject: null, before: old, after: describeImage(place, is) };
  }
  const side = (one: ImageInput, other: ImageInput): Shown => {
    const words = [one.digest !== other.digest && one.digest, one.handling !== other.handling && one.handling];
    return { kind: 'name', name: words.filter((word) => word).join(', ') };
  };
  return { name, subject: place, before: side(was, is), after: side(is, was) };
}

interface ImageInput {
  readonly place: string;
  /** The first 8 digits; null for a URL. */
  readonly digest: string | null;
  /** `cover`, or the strategy with its settings. */
  readonly handling: string;
}

/** `place (digest, handling)`, as far as there is something to say. */
function describeImage(place: string, { digest, handling }: ImageInput): Shown {
  const details = [digest, handling === 'cover' ? null : handling].filter((detail) => detail !== null);
  return { kind: 'name', name: details.length === 0 ? place : `${place} (${details.join(', ')})` };
}

/** Takes apart what `desiredVideo` wrote for an image. */
function parseImage(input: string): ImageInput {
  const [, place = input, settings = ''] = /^(.*?)((?: [a-z_]+=\S+)*)$/s.exec(input) ?? [];
  const pairs = settings.trim().split(' ');
  const strategy = pairs.find((pair) => pair.startsWith('crop_strategy='))?.slice('crop_strategy='.length);
  const others = pairs.filter((pair) => pair !== '' && !pair.startsWith('crop_strategy='));
  return { place, digest: shortDigest(place), handling: [strategy ?? 'cover', ...others].join(' ') };
}

function showWords(input: string | null): Shown | null {
  if (input === null) return null;
  const digest = shortDigest(input);
  return digest === null ? { kind: 'text', text: input } : { kind: 'name', name: `sha256 ${digest}` };
}

function showColor(input: string | null): Shown | null {
  return input !== null && /^(?:[0-9A-F]{6}|[0-9A-F]{8})$/.test(input)
    ? { kind: 'color', color: input }
    : showWords(input);
}

function shortDigest(input: string): string | null {
  return /^sha256:([0-9a-f]{8})[0-9a-f]{56}(?: |$)/.exec(input)?.[1] ?? null;
}

/** Ids made of a digest are as good with their first digits. */
function shortId(id: string): string {
  return id.replace(/[0-9a-f]{32,}$/, (digits) => digits.slice(0, 8));
}
