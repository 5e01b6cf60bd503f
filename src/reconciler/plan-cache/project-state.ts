import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { templatesOf } from '../definition/video.ts';
import { assetsOf, type DesiredVideo } from '../plan/desired-video.ts';
import type { Project } from '../project/load-project.ts';
import type { ProjectTemplate } from '../project/load-templates.ts';
import type { FileSeen, ReadLog } from '../project/read-log.ts';
import { byPath, type CachedDefinition, type CachedState, type CachedTemplate } from './cached-state.ts';
import { encodeVideos } from './cached-videos.ts';
import { type FsTimestamp, withTrust } from './file-times.ts';

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
    const warnings = project.diagnostics.filter(
      (found) => found.at?.file === at?.file && found.at?.start === at?.start,
    );
    templates.set(template.name, templateState(template, warnings));
  }
  // Warnings that belong to no template could not be repeated without reading everything.
  const warningCount = [...templates.values()].reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  if (warningCount !== project.diagnostics.length || templates.size !== project.config.templates.size) return null;
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
    definitions: byPath(definitionStates(project.origins, desired, project)),
    lastPlan: null,
  };
}

/** Returns the cache content for a template. */
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
  { leftOut, texts }: Pick<Project, 'leftOut' | 'texts'>,
): CachedDefinition[] {
  const videosOf = groupBy(desired, ({ path }) => path);
  const leftOutOf = groupBy(leftOut, ({ path }) => path);
  const textsOf = groupBy(texts, ({ path }) => path);
  return [...origins].map(([path, read]) => {
    const videos = videosOf.get(path) ?? [];
    return {
      path,
      origins: read,
      assets: [...new Set(videos.flatMap(assetsOf))],
      templates: [...new Set(videos.flatMap(templatesOf))],
      ids: videos.map(({ id }) => id),
      leftOut: leftOutOf.get(path) ?? [],
      texts: textsOf.get(path) ?? [],
      fingerprintPrefixes: videos.map(({ fingerprint }) => fingerprintPrefix(fingerprint)),
      destinations: videos.flatMap(({ deliver }) => deliver.map(({ to }) => destinationPrefix(to))),
      videos: encodeVideos(videos),
      upToDate: null,
    };
  });
}

/** Returns the first 48 bits of the digest, because a number holds no more than 53. */
function fingerprintPrefix(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice('v1:'.length, 'v1:'.length + 12), 16);
}

/** Returns the first 32 bits of the digest. If two destinations share them, everything is read to compare them. */
function destinationPrefix(to: string): number {
  return hash('sha256', to, 'buffer').readUInt32BE(0);
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
  const unlinked = [...files].flatMap(([path, { real }]) => (real === null ? [path] : []));
  for (const path of [...unlinked, ...folders.keys()]) {
    for (let dir = posix.dirname(path); dir !== '.' && !parents.has(dir); dir = posix.dirname(dir)) parents.add(dir);
  }
  const unlisted = [...parents].filter((dir) => !folders.has(dir));
  const areFolders = unlisted.every((dir) => lstatSync(`${root}/${dir}`, { throwIfNoEntry: false })?.isDirectory());
  return areFolders ? unlisted : null;
}
