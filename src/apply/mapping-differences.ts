import type { Source, VideoResource } from '../definition/video.ts';
import { isRecord } from '../is-record.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { RenderSession } from '../wire/render-session.ts';
import type { SessionDifference } from './session-differences.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * In what a session was made from something else than a definition says, where that can change a frame or the sound. Other
 * spellings of the same value (`#eeada7`, a transform's default written out) are no difference; what cannot be compared
 * is one, so that a fingerprint never stands for what was not rendered.
 */
export function mappingDifferences(video: DesiredVideo, session: RenderSession): SessionDifference[] {
  // An answer is what it is, whatever the types say.
  const mapping = fieldsOf(session.mapping);
  const resources = fieldsOf(mapping.resources);
  const differences: SessionDifference[] = [];
  const compare = (field: string, asked: unknown, found: unknown): void => {
    const isTold = differences.some((one) => one.field === field);
    if (JSON.stringify(asked) !== JSON.stringify(found) && !isTold)
      differences.push({ field, asked: show(asked), found: show(found) });
  };
  compare('template_style_version_id', video.styleVersion, mapping.template_style_version_id);
  for (const [key, resource] of video.resources) {
    const found = own(resources, key);
    const [asked, had] = comparable(resource, fieldsOf(found), digestOf(video, key), uploadOf(session, key));
    compare(key, asked, found === undefined ? undefined : had);
  }
  for (const key of Object.keys(resources)) if (!video.resources.has(key)) compare(key, undefined, resources[key]);
  for (const tracks of placesOf(session, 'audio_tracks')) {
    for (const name of new Set([...video.audio.keys(), ...Object.keys(tracks)])) {
      const key = `audio_tracks.${name}`;
      const sound = video.audio.get(name);
      const found = own(tracks, name);
      if (sound === undefined) {
        compare(key, undefined, found);
        continue;
      }
      const digest = digestOf(video, `audio.${name}`);
      const [asked, had] = comparable({ kind: 'audio', ...sound }, fieldsOf(found), digest, uploadOf(session, key));
      compare(key, asked, found === undefined ? undefined : had);
    }
  }
  for (const fonts of placesOf(session, 'font_changes')) {
    for (const name of new Set([...video.fonts.keys(), ...Object.keys(fonts)])) {
      const found = own(fonts, name);
      compare(`font_changes.${name}`, video.fonts.get(name), fieldsOf(fieldsOf(found).source).font ?? found);
    }
  }
  compare('output', outputOf({ ...video.output }), outputOf(fieldsOf(session.output)));
  return differences;
}

/** A session tells it in its mapping, beside it, or in both; nothing where it tells none. */
function placesOf(session: RenderSession, name: 'audio_tracks' | 'font_changes'): Fields[] {
  const places = [session[name], fieldsOf(session.mapping)[name]].map(fieldsOf);
  const told = places.filter((place) => Object.keys(place).length > 0);
  return told.length > 0 ? told : [{}];
}

/** What was wanted and what was found, in the same words where they are the same. */
function comparable(
  resource: VideoResource,
  found: Fields,
  digest: string | null,
  upload: Fields,
): [asked: unknown, found: unknown] {
  const source = fieldsOf(found.source);
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
        { source: had, ...transformOf(fieldsOf(found.transform), resource.kind) },
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

/** The bytes behind a source, where the service tells them; its URL where it does not. */
function fileOf(url: unknown, upload: Fields): unknown {
  const told = /^urn:(sha256:[0-9a-f]{64})$/.exec(String(url))?.[1];
  if (told !== undefined) return told;
  return upload.remote_url === url && typeof upload.sha256 === 'string' ? `sha256:${upload.sha256}` : url;
}

function uploadOf(session: RenderSession, key: string): Fields {
  const uploads: readonly unknown[] = Array.isArray(session.source_uploads) ? session.source_uploads : [];
  return uploads.map(fieldsOf).find((upload) => upload.key === key) ?? {};
}

/** Of a local file, as the lockfile would note it. */
function digestOf(video: DesiredVideo, key: string): string | null {
  return /^sha256:([0-9a-f]{64})/.exec(own(video.inputs, key) ?? '')?.[1] ?? null;
}

function colorOf(text: unknown): unknown {
  if (typeof text !== 'string' || !/^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text;
  return text
    .replace('#', '')
    .toUpperCase()
    .replace(/^(.{6})FF$/, '$1');
}

function urlOf(text: unknown): unknown {
  return typeof text === 'string' && URL.canParse(text) ? new URL(text).href : text;
}

/** What a transform is without a word, by what it is of. */
const PLAIN: Readonly<Record<'image' | 'video' | 'audio', Fields>> = {
  image: { crop_strategy: 'cover' },
  video: { crop_strategy: 'cover', trim_strategy: 'none', trim_start_time: 0, volume: 0, animate_strategy: 'none' },
  audio: { trim_start_time: 0, volume: 1, fade_in: 0, fade_out: 0, loop: false },
};

function transformOf(transform: Fields, kind: keyof typeof PLAIN): Fields {
  const { background, ...others } = transform;
  // From its start is from its start, however that is said.
  const { trim_start_time: start } = others;
  const trim =
    kind === 'video'
      ? { trim_strategy: start === undefined || start === 0 ? 'none' : (others.trim_strategy ?? 'manual') }
      : {};
  return told({ ...others, ...trim, background: colorOf(background) }, PLAIN[kind]);
}

const PLAIN_OUTPUT: Fields = { format: 'mp4' };

function outputOf(output: Fields): Fields | undefined {
  const fields = told(output, PLAIN_OUTPUT);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Without what says nothing, in one order. */
function told(fields: Fields, plain: Fields): Fields {
  const entries = Object.entries(fields).filter(([name, value]) => {
    return value !== undefined && value !== null && value !== plain[name];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function show(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
