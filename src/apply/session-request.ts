import type { Source, Video, VideoResource, VideoSound } from '../definition/video.ts';
import type { ExternalUploadRequest } from '../wire/external-upload.ts';
import type { AudioResource, FontResource, Resource } from '../wire/mapping.ts';
import type { CreateRenderSession } from '../wire/render-session.ts';

/**
 * The body of `POST /v2/render_sessions` for a video. What the video does not have is not in it.
 *
 * @param urlOf the URL under which the service finds a file of the repository
 * @param uploads where the finished file goes
 */
export function sessionRequest(
  video: Video,
  styleVersion: string,
  urlOf: (path: string) => string,
  uploads: readonly ExternalUploadRequest[] = [],
): CreateRenderSession {
  const { title, resources, audio, fonts, output } = video;
  return {
    title,
    render: 'preview',
    mapping: {
      template_style_version_id: styleVersion,
      resources: mapValues(resources, (resource): Resource => wireResource(resource, urlOf)),
      ...(audio.size > 0 && { audio_tracks: mapValues(audio, (sound) => wireSound(sound, urlOf)) }),
      ...(fonts.size > 0 && { font_changes: mapValues(fonts, (font): FontResource => ({ source: { font } })) }),
    },
    ...(output !== null && { output }),
    ...(uploads.length > 0 && { external_uploads: [...uploads] }),
  };
}

function mapValues<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
}

function wireResource(resource: VideoResource, urlOf: (path: string) => string): Resource {
  switch (resource.kind) {
    case 'text':
      return { source: { text: resource.text } };
    case 'color':
      return { source: { text: resource.color } };
    case 'font':
      return { source: { font: resource.font } };
    case 'audio':
      return wireSound(resource, urlOf);
    case 'image':
    case 'video':
      return { source: { remote_url: sourceUrl(resource.source, urlOf) }, transform: resource.transform };
  }
}

/** A sound of which nothing is said has no transform. */
function wireSound({ source, transform }: VideoSound, urlOf: (path: string) => string): AudioResource {
  const isPlain = Object.keys(transform).length === 0;
  return { source: { remote_url: sourceUrl(source, urlOf) }, ...(!isPlain && { transform }) };
}

function sourceUrl(source: Source, urlOf: (path: string) => string): string {
  return source.kind === 'url' ? source.url : urlOf(source.path);
}
