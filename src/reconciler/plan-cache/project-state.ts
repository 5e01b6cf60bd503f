import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { assetsOf, type DesiredVideo } from '../plan/desired-video.ts';
import type { Project } from '../project/load-project.ts';
import type { ProjectTemplate } from '../project/load-templates.ts';
import type { FileSeen, ReadLog } from '../project/read-log.ts';
import type { CachedDefinition, CachedState, CachedTemplate, Trusted } from './cache-file.ts';
import { type FsTimestamp, isTrusted } from './probe.ts';

/**
 * Returns the cache content for a repository that was read completely.
 *
 * @param log reads after the timestamp
 * @param desired all videos
 * @returns null when a later run could not detect changes
 */
export function projectState(
  project: Project,
  log: ReadLog,
  timestamp: FsTimestamp,
  desired: readonly DesiredVideo[],
): CachedState | null {
  if (!log.isWhole || project.origins.size === 0) return null;
  const templates = new Map<string, CachedTemplate>();
  for (const template of project.templates.values()) {
    const at = project.config.templates.get(template.name)?.at;
    const own = project.diagnostics.filter((one) => one.at?.file === at?.file && one.at?.start === at?.start);
    templates.set(template.name, templateState(template, own));
  }
  // Warnings that belong to no template could not be repeated without reading everything.
  const known = [...templates.values()].reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  if (known !== project.diagnostics.length || templates.size !== project.config.templates.size) return null;
  const files = withTrust(log.files, timestamp);
  const folders = withTrust(log.folders, timestamp);
  const parentDirs = parentDirsOf(project.root, files, folders);
  if (parentDirs === null) return null;
  return {
    config: project.config,
    templates,
    files,
    folders,
    parentDirs,
    absent: [...log.absent],
    definitions: byPath(definitionStates(project.origins, desired)),
    lastPlan: null,
  };
}

export function templateState({ spec }: ProjectTemplate, diagnostics: readonly Diagnostic[]): CachedTemplate {
  const labels = Object.entries(spec.editables).flatMap(([key, { label }]) =>
    label === undefined ? [] : [[key, label]],
  );
  return { diagnostics, labels: Object.fromEntries(labels) };
}

/**
 * Returns the cache content for definitions without errors.
 *
 * @param origins definition file → the files that it was read from
 * @param desired all of their videos
 */
export function definitionStates(
  origins: ReadonlyMap<string, readonly string[]>,
  desired: readonly DesiredVideo[],
): CachedDefinition[] {
  const videosOf = groupBy(desired, ({ path }) => path);
  return [...origins].map(([path, read]) => {
    const videos = videosOf.get(path) ?? [];
    return {
      path,
      origins: read,
      assets: [...new Set(videos.flatMap(assetsOf))],
      templates: [...new Set(videos.map(({ template }) => template))],
      ids: videos.map(({ id }) => id),
      fingerprintPrefixes: videos.map(({ fingerprint }) => fingerprintPrefix(fingerprint)),
      destinations: videos.flatMap(({ deliver }) => deliver.map(({ to }) => destinationPrefix(to))),
      videos: encodeVideos(videos),
      upToDate: null,
    };
  });
}

export function byPath(definitions: readonly CachedDefinition[]): Map<string, CachedDefinition> {
  return new Map(definitions.map((one) => [one.path, one]));
}

/** 48 bits of the digest, because a number holds no more of them. */
function fingerprintPrefix(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice('v1:'.length, 'v1:'.length + 12), 16);
}

/** 32 bits of the digest. When two destinations share them, everything is read to find out. */
function destinationPrefix(to: string): number {
  return hash('sha256', to, 'buffer').readUInt32BE(0);
}

/** Leaves out properties that most videos do not have. */
function encodeVideos(videos: readonly DesiredVideo[]): string {
  return JSON.stringify(
    videos.map(({ audio, fonts, output, deliver, ...video }) => ({
      ...video,
      resources: [...video.resources],
      ...(audio.size > 0 && { audio: [...audio] }),
      ...(fonts.size > 0 && { fonts: [...fonts] }),
      ...(output !== null && { output }),
      ...(deliver.length > 0 && { deliver }),
    })),
  );
}

type EncodedVideo = Omit<DesiredVideo, 'resources' | 'audio' | 'fonts' | 'output' | 'deliver'> & {
  readonly resources: [string, never][];
  readonly audio?: [string, never][];
  readonly fonts?: [string, string][];
  readonly output?: DesiredVideo['output'];
  readonly deliver?: DesiredVideo['deliver'];
};

/** Decodes the videos of a cached definition. */
export function decodeVideos(text: string): DesiredVideo[] {
  return (JSON.parse(text) as EncodedVideo[]).map(
    ({ audio = [], fonts = [], output = null, deliver = [], ...video }) => ({
      ...video,
      resources: new Map(video.resources),
      audio: new Map(audio),
      fonts: new Map(fonts),
      output,
      deliver,
    }),
  );
}

export function withTrust<T extends Pick<FileSeen, 'tuple'>>(
  seen: ReadonlyMap<string, T>,
  timestamp: FsTimestamp,
): Map<string, Trusted<T>> {
  return new Map([...seen].map(([path, one]) => [path, { ...one, isTrusted: isTrusted(one.tuple, timestamp) }]));
}

/**
 * Returns the parent folders of all paths that were read, except those that were listed.
 *
 * @returns null when one of them is a link
 */
export function parentDirsOf(
  root: string,
  files: ReadonlyMap<string, FileSeen>,
  folders: ReadonlyMap<string, unknown>,
): string[] | null {
  const parents = new Set<string>();
  const plain = [...files].flatMap(([path, { real }]) => (real === null ? [path] : []));
  for (const path of [...plain, ...folders.keys()]) {
    for (let dir = posix.dirname(path); dir !== '.' && !parents.has(dir); dir = posix.dirname(dir)) parents.add(dir);
  }
  const unlisted = [...parents].filter((dir) => !folders.has(dir));
  const areFolders = unlisted.every((dir) => lstatSync(`${root}/${dir}`, { throwIfNoEntry: false })?.isDirectory());
  return areFolders ? unlisted : null;
}
