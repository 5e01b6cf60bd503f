import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { valueName } from '../../contract/video-spec.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import { type Diagnostic, sortDiagnostics, startOf } from '../../kernel/diagnostic.ts';
import { MAX_POINTER_BYTES, parseLfsPointer, pointerError, requireContent } from '../../kernel/file-kind.ts';
import { pointersIn } from '../../template/parse-template-package.ts';
import { type LocatedVideos, valueSpan } from '../definition/filled-values.ts';
import { type Source, sourceOf, templatesOf, type Video } from '../definition/video.ts';
import type { Project } from './load-project.ts';
import { type ProjectTemplate, templateFilePath } from './load-templates.ts';

/** The repository, as far as the search needs it. */
interface PointerSearch extends LocatedVideos, Pick<Project, 'root'> {
  /** Usable templates by name. */
  readonly templates: Pick<Project['templates'], 'get'>;
}

/**
 * Creates a search for the Git LFS pointers among the files that a video is drawn from: those in its definition, and those of its template.
 * Planning works with pointers; drawing and uploading need the content.
 *
 * @returns errors at the values that name the files
 */
export function createPointerSearch({ root, templates, ...located }: PointerSearch): (video: Video) => Diagnostic[] {
  const known = new Map<string, boolean>();
  const isPointer = (path: string): boolean => {
    const found = known.get(path) ?? isPointerFile(join(root, path));
    known.set(path, found);
    return found;
  };
  return (video) => {
    const search = (source: Source | null, name: string): Diagnostic[] => {
      if (source?.kind !== 'file' || !isPointer(source.path)) return [];
      return [pointerError(source.path, valueSpan(video, name, located))];
    };
    const ofScenes = video.scenes.flatMap((scene) => {
      const keys = [...scene.resources.keys(), ...[...scene.audio.keys()].map(trackKey)];
      return keys.flatMap((key) => search(sourceOf(video, key, scene), valueName(video, scene, key)));
    });
    const tracks = [...video.audio].flatMap(([name, { source }]) => search(source, trackKey(name)));
    const ofTemplates = templatesOf(video).flatMap((name) => {
      const template = templates.get(name);
      return template === undefined ? [] : templatePointers(template);
    });
    return [...ofScenes, ...tracks, ...ofTemplates];
  };
}

/** Returns the Git LFS pointers of a template, as errors at these files. */
function templatePointers(template: ProjectTemplate): Diagnostic[] {
  const paths = pointersIn(template.files ?? new Map()).map((below) => templateFilePath(template, below));
  return paths.map((path) => pointerError(path, startOf(path)));
}

/**
 * Finds the Git LFS pointers among the files of all videos and templates of a repository.
 *
 * @returns warnings, sorted by file and position: planning works without the content
 */
export function repositoryPointers(project: Project): Diagnostic[] {
  const { templates, videos } = project;
  const found = [...videos.flatMap(createPointerSearch(project)), ...[...templates.values()].flatMap(templatePointers)];
  return sortDiagnostics(found.map((diagnostic) => ({ ...diagnostic, severity: 'warning' })));
}

/** @throws ReelformError `lfs_pointer` for a Git LFS pointer, which must not be sent in place of its content */
export function requireFetched(root: string, path: string): void {
  const absolute = join(root, path);
  if (isPointerFile(absolute)) requireContent(path, readFileSync(absolute));
}

/** Returns whether a file is a Git LFS pointer; false for a file that cannot be read. */
export function isPointerFile(absolute: string): boolean {
  try {
    const { size } = statSync(absolute);
    return size > 0 && size <= MAX_POINTER_BYTES && parseLfsPointer(readFileSync(absolute)) !== null;
  } catch {
    return false;
  }
}
