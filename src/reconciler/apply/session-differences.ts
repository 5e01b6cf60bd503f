import { plainColor } from '../../contract/fields/field.ts';
import type { RenderSession, SessionRequest } from '../../contract/wire/render-session.ts';
import { isRecord, parseRecord } from '../../kernel/json.ts';

/** A field in which a session differs from the definition. Values are JSON; null for a missing value. */
export interface SessionDifference {
  /**
   * `title`, `template_style_version_id`, `frames`, `loudness`, `captions`, `output`, `outputs.<name>`, an editable's key, `audio_tracks.<track>` or
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
    ...(['loudness', 'captions'] as const).flatMap((name): Pair[] => {
      const pair: Pair = [name, request[name], session[name]];
      return request[name] === undefined && session[name] === undefined ? [] : [pair];
    }),
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

export function scenesIn({ scenes }: RenderSession): Fields[] {
  return Array.isArray(scenes) ? scenes.map(recordOf) : [];
}

/** Pairs the members of both records by key. */
function members(prefix: string, asked: object, found: object): Pair[] {
  const keys = new Set([...Object.keys(asked), ...Object.keys(found)]);
  return [...keys].map((key) => [`${prefix}${key}`, memberOf(asked, key), memberOf(found, key)]);
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
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

export function show(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

export type Fields = Readonly<Record<string, unknown>>;

export function colorOf(text: unknown): unknown {
  if (typeof text !== 'string' || !/^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text;
  return plainColor(text.replace('#', '').toUpperCase());
}

export function urlOf(text: unknown): unknown {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text).href : text;
}
