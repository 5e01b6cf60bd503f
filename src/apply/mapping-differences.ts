import type { VideoResource } from '../definition/video.ts';
import { isRecord } from '../is-record.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { RenderSession, Transform } from '../service/wire.ts';
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
    if (JSON.stringify(asked) !== JSON.stringify(found))
      differences.push({ field, asked: show(asked), found: show(found) });
  };
  compare('template_style_version_id', video.styleVersion, mapping.template_style_version_id);
  for (const [key, resource] of video.resources) {
    const found = own(resources, key);
    const [asked, had] = comparable(resource, fieldsOf(found), digestOf(video, key), uploadOf(session, key));
    compare(key, asked, found === undefined ? undefined : had);
  }
  for (const key of Object.keys(resources)) if (!video.resources.has(key)) compare(key, undefined, resources[key]);
  for (const name of ['audio_tracks', 'font_changes'] as const) {
    for (const where of [mapping[name], session[name]]) {
      if (Object.keys(fieldsOf(where)).length > 0) compare(name, undefined, where);
    }
  }
  const { format, ...output } = fieldsOf(session.output);
  if ((format ?? 'mp4') !== 'mp4' || Object.keys(output).length > 0) compare('output', undefined, session.output);
  return differences;
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
    case 'image': {
      const transforms = [transformOf({ ...resource.transform }), transformOf(fieldsOf(found.transform))];
      const [asked, had] =
        resource.source.kind === 'url'
          ? [urlOf(resource.source.url), urlOf(source.remote_url)]
          : [`sha256:${digest}`, fileOf(source.remote_url, upload)];
      return [
        { source: asked, ...transforms[0] },
        { source: had, ...transforms[1] },
      ];
    }
  }
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

/** With its default, without what says nothing, in one order. */
function transformOf(transform: Readonly<Record<string, unknown>>): Fields {
  const { crop_strategy = 'cover', background, ...others }: { [Name in keyof Transform]: unknown } = transform;
  const fields = { crop_strategy, background: colorOf(background), ...others };
  const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(told.sort(([a], [b]) => (a < b ? -1 : 1)));
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
