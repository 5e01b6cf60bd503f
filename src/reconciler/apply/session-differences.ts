import { plainColor } from '../../contract/fields/field.ts';
import { isTiming, placesOf } from '../../contract/timeline/place.ts';
import {
  type ContentId,
  canonicalSpec,
  canonicalValue,
  furtherOutputs,
  plainScene,
  type SceneSpec,
  type SpecValue,
} from '../../contract/video-spec.ts';
import { type InheritedMeasures, plainOutput } from '../../contract/wire/defaults.ts';
import { type AudioTransform, type Transform, trackKey } from '../../contract/wire/mapping.ts';
import type { RenderSession, SessionRequest } from '../../contract/wire/render-session.ts';
import { isRecord, ownValue, parseRecord } from '../../kernel/json.ts';
import { hasContentLength } from '../definition/video-timeline.ts';
import { recordedSource } from '../lock/recorded-inputs.ts';
import { contentSpec, type DesiredVideo, hasUnknownLength, inheritedMeasures } from '../plan/desired-video.ts';
import { digestsOf } from '../plan/plan-videos.ts';

/** A field in which a session differs from the definition. Values are JSON; null for a missing value. */
export interface SessionDifference {
  /**
   * `title`, `template_style_version_id`, `frames`, `output`, `outputs.<name>`, an editable's key, `audio_tracks.<track>` or
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
 * @param body the JSON of a `SessionRequest`
 */
export function sessionDifferences(body: string, session: RenderSession): SessionDifference[] {
  const request = JSON.parse(body) as SessionRequest;
  const fields: Pair[] = [
    ...contentPairs({ ...request }, session),
    // A service may report an output although none was requested.
    ...(request.output === undefined ? [] : [['output', request.output, session.output] satisfies Pair]),
    ...(request.outputs ?? []).map(
      (output, at): Pair => [
        `outputs.${output.name}`,
        output,
        Array.isArray(session.outputs) ? session.outputs[at] : undefined,
      ],
    ),
  ];
  return fields
    .filter(([, wanted, found]) => wanted === undefined || !holds(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

/**
 * Returns the fields in which an answer contradicts the request of a session: its title, its template, and the values of
 * its mapping. Omissions, additions and other spellings are accepted, because the interface document leaves them to the
 * service: letter case, white space, a cut text, `#` before a color, a copy of a file at another host.
 *
 * @param body the JSON of a `SessionRequest`
 */
export function answerContradictions(body: string, session: RenderSession): SessionDifference[] {
  return contentPairs(parseRecord(body) ?? {}, session)
    .filter(([, wanted, found]) => wanted !== undefined && contradicts(found, wanted))
    .map(([field, wanted, found]) => ({ field, asked: show(wanted), found: show(found) }));
}

/** Services cut titles and texts at 64 characters or more. A shorter prefix may belong to another video. */
const MIN_CUT_LENGTH = 64;

/** @param wanted as `plainText` returns it */
function isCut(found: string, wanted: string): boolean {
  const cut = found.replace(/\s*(?:…|\.{3})$/, '');
  return cut.length >= MIN_CUT_LENGTH && wanted.startsWith(cut);
}

type Pair = [field: string, asked: unknown, found: unknown];

/** Pairs the title, and the templates and values of a mapping or of all scenes. */
function contentPairs(asked: Fields, session: RenderSession): Pair[] {
  const title: Pair = ['title', asked.title, session.title];
  // The types do not guarantee what a service answers.
  if (!Array.isArray(asked.scenes)) {
    const wanted = recordOf(asked.mapping);
    const tracks = recordOf(wanted.audio_tracks);
    return [title, ...valuePairs('', { ...wanted, audio_tracks: tracks }, recordOf(session.mapping), session)];
  }
  const scenes = asked.scenes.map(recordOf);
  const found = scenesIn(session);
  const idsOf = (list: readonly Fields[]): string => list.map(({ id }) => String(id)).join(' ');
  return [
    title,
    ['scenes', idsOf(scenes), Array.isArray(session.scenes) ? idsOf(found) : undefined],
    // Requests of earlier versions have no length.
    ...(asked.frames === undefined ? [] : [['frames', asked.frames, session.frames] satisfies Pair]),
    ...scenes.flatMap((scene): Pair[] => {
      const { id, mapping, audio_tracks, ...placement } = scene;
      const answer = found.find((candidate) => candidate.id === id) ?? {};
      const placed = Object.entries(placement).map(([name, value]): Pair => [`${id}.${name}`, value, answer[name]]);
      return [
        ...valuePairs(`${id}.`, { ...recordOf(mapping), audio_tracks }, recordOf(answer.mapping), answer),
        ...placed,
      ];
    }),
    ...members('audio_tracks.', recordOf(asked.audio_tracks), recordOf(session.audio_tracks)),
  ];
}

/** @param beside has tracks and fonts, too: a service may return them in the mapping, beside it, or in both */
function valuePairs(prefix: string, wanted: Fields, mapping: Fields, beside: object): Pair[] {
  return [
    [`${prefix}template_style_version_id`, wanted.template_style_version_id, mapping.template_style_version_id],
    ...members(prefix, recordOf(wanted.resources), recordOf(mapping.resources)),
    ...(['audio_tracks', 'font_changes'] as const).flatMap((name) => {
      const found = { ...recordOf(memberOf(beside, name)), ...recordOf(mapping[name]) };
      return members(`${prefix}${name}.`, recordOf(wanted[name]), found);
    }),
  ];
}

function scenesIn({ scenes }: RenderSession): Fields[] {
  return Array.isArray(scenes) ? scenes.map(recordOf) : [];
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
  const { measures } = video;
  const inherited = inheritedMeasures(video);
  const spec = canonicalSpec(contentSpec(video, digestsOf(video)), inherited);
  const { scenes, audio, output } = spec;
  const differences = new Map<string, SessionDifference>();
  const compare = (field: string, asked: unknown, found: unknown): void => {
    if (JSON.stringify(asked) === JSON.stringify(found) || differences.has(field)) return;
    differences.set(field, { field, asked: show(asked), found: show(found) });
  };
  const compareValues = (
    prefix: string,
    asked: ReadonlyMap<string, SpecValue<ContentId>>,
    found: Fields,
    upload: (key: string) => Fields,
  ): void => {
    for (const name of new Set([...asked.keys(), ...Object.keys(found)])) {
      const [wanted, had] = [asked.get(name), ownValue(found, name)];
      const value = wanted && had !== undefined ? foundValue(wanted, recordOf(had), upload(name)) : had;
      compare(`${prefix}${name}`, wanted && comparable(wanted, askedSource), value);
    }
  };
  const compareScene = (
    prefix: string,
    { template, resources, fonts, audio: tracks }: SceneSpec<ContentId>,
    answer: Fields,
    scene?: string,
  ): void => {
    const mapping = recordOf(answer.mapping);
    compare(`${prefix}template_style_version_id`, template, mapping.template_style_version_id);
    compareValues(prefix, resources, recordOf(mapping.resources), (key) => uploadOf(session, key, scene));
    for (const found of recordsOf(answer, 'audio_tracks')) {
      compareValues(`${prefix}audio_tracks.`, asSounds(tracks), found, (key) =>
        uploadOf(session, trackKey(key), scene),
      );
    }
    for (const found of recordsOf(answer, 'font_changes')) {
      for (const name of new Set([...fonts.keys(), ...Object.keys(found)])) {
        const change = ownValue(found, name);
        const font = recordOf(recordOf(change).source).font ?? change;
        compare(`${prefix}font_changes.${name}`, fonts.get(name), font);
      }
    }
  };
  const only = plainScene(spec);
  if (only !== null) compareScene('', { ...only, audio }, { ...session });
  else {
    const answers = scenesIn(session);
    compare(
      'scenes',
      scenes.map(({ id }) => id),
      answers.map(({ id }) => id),
    );
    for (const [index, scene] of scenes.entries()) {
      const answer = answers[index] ?? {};
      compareScene(`${scene.id}.`, scene, answer, scene.id);
      const length = video.times?.[index]?.length;
      const seconds = length === undefined || measures === null ? null : length / measures.rate;
      const isUnknown = hasUnknownLength(video) && hasContentLength(scene);
      if (!isUnknown)
        compare(`${scene.id}.seconds`, scene.duration === undefined ? undefined : seconds, answer.seconds);
      compare(`${scene.id}.timing`, scene.timing, placesIn(answer.timing));
      for (const name of ['transition', 'fit', 'background', 'shorten'] as const) {
        compare(`${scene.id}.${name}`, sorted(scene[name]), sorted(answer[name]));
      }
    }
    const tracks = recordOf(session.audio_tracks);
    compareValues('audio_tracks.', asSounds(audio), tracks, (key) => uploadOf(session, trackKey(key)));
    compare('size', measures ? [measures.width, measures.height] : (spec.size ?? null), session.size);
    compare('rate', measures?.rate ?? spec.rate, session.rate);
    if (measures !== null && !hasUnknownLength(video)) compare('frames', measures.frames, session.frames);
  }
  compare('output', outputOf({ ...output }, inherited), outputOf(recordOf(session.output), inherited));
  const foundFiles: readonly unknown[] = Array.isArray(session.outputs) ? session.outputs.slice(1) : [];
  const files = furtherOutputs(video);
  for (let at = 0; at < Math.max(files.length, foundFiles.length); at += 1) {
    const name = files[at]?.name ?? String(recordOf(foundFiles[at]).name);
    compare(`outputs.${name}`, fileOutput(files[at], inherited), fileOutput(foundFiles[at], inherited));
  }
  return [...differences.values()];
}

/** Leaves out what only a finished file has. */
function fileOutput(output: unknown, measures: InheritedMeasures): Fields | undefined {
  if (!isRecord(output)) return undefined;
  const { name, video_url: _url, bytes: _bytes, video_sha256: _digest, ...fields } = output;
  return { name, ...outputOf(fields, measures) };
}

/** Returns the non-empty records in the mapping and beside it, or one empty record. */
function recordsOf(answer: Fields, name: 'audio_tracks' | 'font_changes'): Fields[] {
  const records = [answer[name], recordOf(answer.mapping)[name]].map(recordOf);
  const filled = records.filter((record) => Object.keys(record).length > 0);
  return filled.length > 0 ? filled : [{}];
}

/** Returns a canonical value as JSON. */
function comparable<S>(value: SpecValue<S>, sourceText: (source: S) => unknown): unknown {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'color':
      return value.color;
    case 'font':
      return value.font;
    case 'image':
    case 'video':
    case 'audio':
      return { source: sourceText(value.source), ...sortedFields(value.transform) };
  }
}

/** Returns a value of a session in the form of `comparable`. @param wanted determines its kind */
function foundValue(wanted: SpecValue<ContentId>, found: Fields, upload: Fields): unknown {
  const source = recordOf(found.source);
  switch (wanted.kind) {
    case 'text':
      return source.text;
    case 'color':
      return colorOf(source.text);
    case 'font':
      return source.font;
    case 'image':
    case 'video':
    case 'audio': {
      const url = 'url' in wanted.source ? urlOf(source.remote_url) : fileOf(source.remote_url, upload);
      const value = { kind: wanted.kind, source: url, transform: writtenTransform(recordOf(found.transform)) };
      return comparable(canonicalValue(value), (text) => text);
    }
  }
}

function askedSource(source: ContentId): unknown {
  return 'url' in source ? urlOf(source.url) : recordedSource(source);
}

/** Returns the digest of a source's bytes if the service reports it, else its URL. */
function fileOf(url: unknown, upload: Fields): unknown {
  const digest = /^urn:(sha256:[0-9a-f]{64})$/.exec(String(url))?.[1];
  if (digest !== undefined) return digest;
  return upload.remote_url === url && typeof upload.sha256 === 'string' ? `sha256:${upload.sha256}` : url;
}

function uploadOf(session: RenderSession, key: string, scene?: string): Fields {
  const uploads: readonly unknown[] = Array.isArray(session.source_uploads) ? session.source_uploads : [];
  return uploads.map(recordOf).find((upload) => upload.key === key && upload.scene === scene) ?? {};
}

function asSounds(audio: SceneSpec<ContentId>['audio']): Map<string, SpecValue<ContentId>> {
  return new Map([...audio].map(([name, sound]) => [name, { kind: 'audio', ...sound }]));
}

/** Returns places with their defaults. */
function placesIn(timing: unknown): unknown {
  if (!isTiming(timing)) return timing;
  return placesOf({ timing, rate: 1, frames: Number.MAX_SAFE_INTEGER, stillcuts: {} });
}

/** Returns a value whose fields are sorted. */
function sorted(value: unknown): unknown {
  return isRecord(value) ? sortedFields(value) : value;
}

function colorOf(text: unknown): unknown {
  if (typeof text !== 'string' || !/^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text;
  return plainColor(text.replace('#', '').toUpperCase());
}

function urlOf(text: unknown): unknown {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text).href : text;
}

/** Returns a transform with the spelling of definitions: without null, the background in upper case. */
function writtenTransform(transform: Fields): Transform & AudioTransform {
  const { background, ...fields } = sortedFields(transform);
  return background === undefined ? fields : { ...fields, background: colorOf(background) as string };
}

function outputOf(output: Fields, measures: InheritedMeasures): Fields | undefined {
  const plain = plainOutput(sortedFields(output), measures);
  return plain === null ? undefined : sortedFields(plain);
}

/** Removes fields without a value, and sorts the others. */
function sortedFields(fields: object): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
