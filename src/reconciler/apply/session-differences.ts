import { plainColor, plainOutput, plainTransform, type TemplateMeasures } from '../../contract/wire/defaults.ts';
import type { AudioTransform, Transform } from '../../contract/wire/mapping.ts';
import type { CreateRenderSession, RenderSession } from '../../contract/wire/render-session.ts';
import { isRecord, ownValue, parseRecord } from '../../kernel/json.ts';
import { furtherOutputs, type Source, type VideoResource } from '../definition/video.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';

/** A field in which a session differs from the definition. Values are JSON; null for a missing one. */
export interface SessionDifference {
  /**
   * `title`, `template_style_version_id`, `output`, `outputs.<name>`, an editable's key, `audio_tracks.<track>` or
   * `font_changes.<font>`.
   */
  readonly field: string;
  readonly asked: string | null;
  readonly found: string | null;
}

/**
 * Returns how a session differs from a request: in its title, template, values of editables, tracks, fonts and output.
 * Fields that a service adds to a value (ids, defaults) and other spellings of a value are ignored. A session without
 * its mapping differs in everything.
 *
 * @param body the JSON of a `CreateRenderSession`
 */
export function sessionDifferences(body: string, session: RenderSession): SessionDifference[] {
  const asked = JSON.parse(body) as CreateRenderSession;
  const fields: Pair[] = [
    ...contentPairs({ ...asked }, session),
    // A service may report an output although none was requested.
    ...(asked.output === undefined ? [] : [['output', asked.output, session.output] satisfies Pair]),
    ...(asked.outputs ?? []).map(
      (one, at): Pair => [`outputs.${one.name}`, one, Array.isArray(session.outputs) ? session.outputs[at] : undefined],
    ),
  ];
  return fields
    .filter(([, wanted, found]) => wanted === undefined || !holds(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

/**
 * Returns in what an answer contradicts the request of a session: its title, template, and the values of its mapping.
 * Whatever the answer leaves out, adds or spells differently is no contradiction, because the interface document leaves
 * that to a service: letter case, white space, a cut text, `#` before a color, a copy of a file at another host.
 *
 * @param body the JSON of a `CreateRenderSession`
 */
export function answerContradictions(body: string, session: RenderSession): SessionDifference[] {
  return contentPairs(parseRecord(body) ?? {}, session)
    .filter(([, wanted, found]) => wanted !== undefined && contradicts(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

/** Services cut titles and texts at 64 characters or more. A shorter one that begins alike may be another video's. */
const MIN_CUT_LENGTH = 64;

/** @param wanted as `plainText` returns it */
function isCut(found: string, wanted: string): boolean {
  const cut = found.replace(/\s*(?:…|\.{3})$/, '');
  return cut.length >= MIN_CUT_LENGTH && wanted.startsWith(cut);
}

type Pair = [field: string, asked: unknown, found: unknown];

/** Pairs the title, the template and the values of a mapping. */
function contentPairs(asked: Fields, session: RenderSession): Pair[] {
  // The types do not guarantee what a service answers.
  const [wanted, mapping] = [recordOf(asked.mapping), recordOf(session.mapping)];
  return [
    ['title', asked.title, session.title],
    ['template_style_version_id', wanted.template_style_version_id, mapping.template_style_version_id],
    ...members('', recordOf(wanted.resources), recordOf(mapping.resources)),
    ...(['audio_tracks', 'font_changes'] as const).flatMap((name) => {
      // A service may return them in the mapping, beside it, or in both.
      const found = { ...recordOf(session[name]), ...recordOf(mapping[name]) };
      return members(`${name}.`, recordOf(wanted[name]), found);
    }),
  ];
}

/** Pairs the members of both records by key. */
function members(prefix: string, asked: object, found: object): Pair[] {
  const keys = new Set([...Object.keys(asked), ...Object.keys(found)]);
  return [...keys].map((key) => [`${prefix}${key}`, memberOf(asked, key), memberOf(found, key)]);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function memberOf(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
}

/** Returns whether a value contains everything in the wanted value; it may contain more. */
function holds(found: unknown, wanted: unknown): boolean {
  if (isRecord(wanted)) {
    return isRecord(found) && Object.entries(wanted).every(([key, value]) => holds(memberOf(found, key), value));
  }
  return JSON.stringify(found) === JSON.stringify(wanted) || isSameSpelling(found, wanted);
}

/** Returns whether a value differs from the wanted value in something that both have. */
function contradicts(found: unknown, wanted: unknown): boolean {
  if (isRecord(wanted)) {
    return isRecord(found) && Object.entries(wanted).some(([key, value]) => contradicts(memberOf(found, key), value));
  }
  if (!isScalar(found) || !isScalar(wanted) || found === '' || wanted === '') return false;
  const [a, b] = [plainText(String(found)), plainText(String(wanted))];
  const isSameNumber = a !== '' && b !== '' && Number(a) === Number(b);
  return a !== b && !isSameNumber && !isCut(a, b) && !isSameSpelling(found, wanted) && !isCopy(found, wanted);
}

/** Compares colors and URLs. Other values have one spelling. */
function isSameSpelling(found: unknown, wanted: unknown): boolean {
  return colorOf(found) === colorOf(wanted) || urlOf(found) === urlOf(wanted);
}

/** Returns whether a URL names a copy at another host, or the same file without its query, which may be a secret. */
function isCopy(found: unknown, wanted: unknown): boolean {
  if (typeof found !== 'string' || typeof wanted !== 'string') return false;
  if (!URL.canParse(found) || !URL.canParse(wanted)) return false;
  const [a, b] = [new URL(found), new URL(wanted)];
  return a.host !== b.host || (a.pathname === b.pathname && (a.search === '' || b.search === ''));
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Removes letter case, composition and surrounding or repeated white space. */
function plainText(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}

function show(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns how a session differs from a definition in anything that can change a frame or the sound. Other spellings of
 * the same value (`#eeada7`, a written-out default) are ignored. Values that cannot be compared count as different, so
 * that a fingerprint never stands for something that was not rendered.
 */
export function mappingDifferences(video: DesiredVideo, session: RenderSession): SessionDifference[] {
  const mapping = recordOf(session.mapping);
  const resources = recordOf(mapping.resources);
  const differences: SessionDifference[] = [];
  const compare = (field: string, asked: unknown, found: unknown): void => {
    const isTold = differences.some((one) => one.field === field);
    if (JSON.stringify(asked) !== JSON.stringify(found) && !isTold)
      differences.push({ field, asked: show(asked), found: show(found) });
  };
  /** @param input key of its digest among the inputs of the video */
  const compareResource = (field: string, input: string, resource: VideoResource | undefined, found: unknown): void => {
    const [asked, had] =
      resource === undefined
        ? [undefined, found]
        : comparable(resource, recordOf(found), digestOf(video, input), uploadOf(session, field));
    compare(field, asked, found === undefined ? undefined : had);
  };
  compare('template_style_version_id', video.styleVersion, mapping.template_style_version_id);
  for (const key of new Set([...video.resources.keys(), ...Object.keys(resources)])) {
    compareResource(key, key, video.resources.get(key), ownValue(resources, key));
  }
  for (const tracks of recordsOf(session, 'audio_tracks')) {
    for (const name of new Set([...video.audio.keys(), ...Object.keys(tracks)])) {
      const sound = video.audio.get(name);
      const resource = sound && ({ kind: 'audio', ...sound } as const);
      compareResource(`audio_tracks.${name}`, `audio.${name}`, resource, ownValue(tracks, name));
    }
  }
  for (const fonts of recordsOf(session, 'font_changes')) {
    for (const name of new Set([...video.fonts.keys(), ...Object.keys(fonts)])) {
      const found = ownValue(fonts, name);
      compare(`font_changes.${name}`, video.fonts.get(name), recordOf(recordOf(found).source).font ?? found);
    }
  }
  const { output, measures } = video;
  compare('output', outputOf({ ...output }, measures), outputOf(recordOf(session.output), measures));
  const others: readonly unknown[] = Array.isArray(session.outputs) ? session.outputs.slice(1) : [];
  const wanted = furtherOutputs(video);
  for (let at = 0; at < Math.max(wanted.length, others.length); at += 1) {
    const found = recordOf(others[at]);
    const name = wanted[at]?.name ?? String(found.name);
    compare(`outputs.${name}`, fileOutput(wanted[at], measures), fileOutput(others[at], measures));
  }
  return differences;
}

/** Leaves out what only a finished file has. */
function fileOutput(output: unknown, measures: TemplateMeasures): Fields | undefined {
  if (!isRecord(output)) return undefined;
  const { name, video_url: _url, bytes: _bytes, video_sha256: _digest, ...fields } = output;
  return { name, ...outputOf(fields, measures) };
}

/** Returns the non-empty records in the mapping and beside it, or one empty record. */
function recordsOf(session: RenderSession, name: 'audio_tracks' | 'font_changes'): Fields[] {
  const records = [session[name], recordOf(session.mapping)[name]].map(recordOf);
  const filled = records.filter((record) => Object.keys(record).length > 0);
  return filled.length > 0 ? filled : [{}];
}

/** Returns the wanted and the found value in one comparable form. */
function comparable(
  resource: VideoResource,
  found: Fields,
  digest: string | null,
  upload: Fields,
): [asked: unknown, found: unknown] {
  const source = recordOf(found.source);
  switch (resource.kind) {
    case 'text':
      return [resource.text, source.text];
    case 'color':
      return [colorOf(resource.color), colorOf(source.text)];
    case 'font':
      return [resource.font, source.font];
    case 'image':
    case 'video':
    case 'audio': {
      const [asked, had] = sourcesOf(resource.source, source, digest, upload);
      return [
        { source: asked, ...transformOf({ ...resource.transform }, resource.kind) },
        { source: had, ...transformOf(recordOf(found.transform), resource.kind) },
      ];
    }
  }
}

function sourcesOf(
  asked: Source,
  { remote_url: url }: Fields,
  digest: string | null,
  upload: Fields,
): [unknown, unknown] {
  return asked.kind === 'url' ? [urlOf(asked.url), urlOf(url)] : [`sha256:${digest}`, fileOf(url, upload)];
}

/** Returns the digest of a source's bytes if the service reports it, else its URL. */
function fileOf(url: unknown, upload: Fields): unknown {
  const digest = /^urn:(sha256:[0-9a-f]{64})$/.exec(String(url))?.[1];
  if (digest !== undefined) return digest;
  return upload.remote_url === url && typeof upload.sha256 === 'string' ? `sha256:${upload.sha256}` : url;
}

function uploadOf(session: RenderSession, key: string): Fields {
  const uploads: readonly unknown[] = Array.isArray(session.source_uploads) ? session.source_uploads : [];
  return uploads.map(recordOf).find((upload) => upload.key === key) ?? {};
}

/** Reads the digest of a local file from the inputs of the lockfile. */
function digestOf(video: DesiredVideo, key: string): string | null {
  return /^sha256:([0-9a-f]{64})/.exec(ownValue(video.inputs, key) ?? '')?.[1] ?? null;
}

function colorOf(text: unknown): unknown {
  if (typeof text !== 'string' || !/^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text;
  return plainColor(text.replace('#', '').toUpperCase());
}

function urlOf(text: unknown): unknown {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text).href : text;
}

/** Removes defaults from a transform and sorts its fields. */
function transformOf(transform: Fields, kind: 'image' | 'video' | 'audio'): Fields {
  const { background, ...others } = sortedFields(transform);
  const fields = { ...others, ...(background !== undefined && { background: colorOf(background) }) };
  return sortedFields(plainTransform(kind, fields as Transform | AudioTransform));
}

function outputOf(output: Fields, measures: TemplateMeasures): Fields | undefined {
  const plain = plainOutput(sortedFields(output), measures);
  return plain === null ? undefined : sortedFields(plain);
}

/** Removes fields without a value, and sorts the others. */
function sortedFields(fields: object): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
