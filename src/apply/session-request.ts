import type { Source, Video, VideoResource } from '../definition/video.ts';
import type { CreateRenderSession, Resource } from '../service/wire.ts';

/**
 * The body of `POST /v2/render_sessions` for a video.
 *
 * @param urlOf the URL under which the service finds a file of the repository
 */
export function sessionRequest(
  video: Video,
  styleVersion: string,
  urlOf: (path: string) => string,
): CreateRenderSession {
  const resources: Record<string, Resource> = {};
  for (const [key, resource] of video.resources) resources[key] = wireResource(resource, urlOf);
  return {
    title: video.title,
    render: 'preview',
    mapping: { template_style_version_id: styleVersion, resources },
  };
}

/** The repository files that a video needs, each once. */
export function localFiles(video: Video): string[] {
  const paths = new Set<string>();
  for (const resource of video.resources.values()) {
    if (resource.kind === 'image' && resource.source.kind === 'file') paths.add(resource.source.path);
  }
  return [...paths];
}

function wireResource(resource: VideoResource, urlOf: (path: string) => string): Resource {
  switch (resource.kind) {
    case 'text':
      return { source: { text: resource.text } };
    case 'color':
      return { source: { text: resource.color } };
    case 'image':
      return { source: { remote_url: sourceUrl(resource.source, urlOf) }, transform: resource.transform };
  }
}

function sourceUrl(source: Source, urlOf: (path: string) => string): string {
  return source.kind === 'url' ? source.url : urlOf(source.path);
}
