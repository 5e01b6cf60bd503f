import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { posix } from 'node:path';
import type { Diagnostic } from '../diagnostic.ts';
import { sha256 } from '../digest.ts';
import { assetsOf, type DesiredVideo } from '../plan/desired-video.ts';
import type { Project } from '../project/load-project.ts';
import type { ProjectTemplate } from '../project/load-templates.ts';
import type { FileSeen, ReadLog } from '../project/read-log.ts';
import { DefinitionTable } from './definition-table.ts';
import { isLine } from './index-format.ts';
import type { Memory, RememberedTemplate, Trusted } from './memory.ts';
import type { RememberedDefinition } from './remembered-definition.ts';
import { isTrusted, type Stamp } from './stamp.ts';

/**
 * What to remember of a repository that was read as a whole.
 *
 * @param log of everything that was read, since the stamp
 * @param desired all videos
 * @returns null when a later run could not tell whether it is still so
 */
export function rememberProject(
  project: Project,
  log: ReadLog,
  stamp: Stamp,
  desired: readonly DesiredVideo[],
): Memory | null {
  if (!log.isWhole || project.origins.size === 0) return null;
  const templates = new Map<string, RememberedTemplate>();
  for (const template of project.templates.values()) {
    const at = project.config.templates.get(template.name)?.at;
    const own = project.diagnostics.filter((one) => one.at?.file === at?.file && one.at?.start === at?.start);
    templates.set(template.name, rememberTemplate(template, own));
  }
  const told = [...templates.values()].reduce((sum, { diagnostics }) => sum + diagnostics.length, 0);
  // Something that a template does not say: it cannot be said again without reading everything.
  if (told !== project.diagnostics.length || templates.size !== project.config.templates.size) return null;
  const files = trusting(log.files, stamp);
  const folders = trusting(log.folders, stamp);
  const ways = waysTo(project.root, files, folders);
  if (ways === null || ![...files.keys(), ...folders.keys()].every(isLine)) return null;
  return {
    config: project.config,
    templates,
    files,
    folders,
    ways,
    absent: [...log.absent],
    definitions: DefinitionTable.of(rememberDefinitions(project.origins, desired)),
    outcome: null,
  };
}

export function rememberTemplate(
  { spec, package: templatePackage }: ProjectTemplate,
  diagnostics: readonly Diagnostic[],
): RememberedTemplate {
  const length = templatePackage === null ? null : [templatePackage.frameCount, templatePackage.fps];
  const labels = Object.entries(spec.editables).flatMap(([key, { label }]) =>
    label === undefined ? [] : [[key, label]],
  );
  return { digest: sha256(JSON.stringify([spec, length])), diagnostics, labels: Object.fromEntries(labels) };
}

/**
 * What to remember of definitions that nothing is wrong with.
 *
 * @param origins definition file → the files that it was read from
 * @param desired all of their videos
 */
export function rememberDefinitions(
  origins: ReadonlyMap<string, readonly string[]>,
  desired: readonly DesiredVideo[],
): RememberedDefinition[] {
  const videosOf = new Map<string, DesiredVideo[]>();
  for (const video of desired) {
    const videos = videosOf.get(video.path);
    if (videos === undefined) videosOf.set(video.path, [video]);
    else videos.push(video);
  }
  return [...origins].map(([path, read]) => {
    const videos = videosOf.get(path) ?? [];
    return {
      path,
      origins: read,
      assets: [...new Set(videos.flatMap(assetsOf))],
      templates: [...new Set(videos.map(({ template }) => template))],
      ids: videos.map(({ id }) => id),
      marks: videos.map(({ fingerprint }) => markOf(fingerprint)),
      places: videos.flatMap(({ deliver }) => deliver.map(({ to }) => placeMarkOf(to))),
      record: writeRecord(videos),
      settled: null,
    };
  });
}

/** 48 bits of the digest: a number holds no more of them. */
function markOf(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice('v1:'.length, 'v1:'.length + 12), 16);
}

/** 32 bits of its digest: places that are told apart by nothing else cost a look at everything. */
function placeMarkOf(to: string): number {
  return hash('sha256', to, 'buffer').readUInt32BE(0);
}

/** The text of a definition's videos in the index. What most videos do not have is left out of it. */
function writeRecord(videos: readonly DesiredVideo[]): string {
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

type Recorded = Omit<DesiredVideo, 'resources' | 'audio' | 'fonts' | 'output' | 'deliver'> & {
  readonly resources: [string, never][];
  readonly audio?: [string, never][];
  readonly fonts?: [string, string][];
  readonly output?: DesiredVideo['output'];
  readonly deliver?: DesiredVideo['deliver'];
};

/** The videos in a record's text. */
export function readRecord(text: string): DesiredVideo[] {
  return (JSON.parse(text) as Recorded[]).map(({ audio = [], fonts = [], output = null, deliver = [], ...video }) => ({
    ...video,
    resources: new Map(video.resources),
    audio: new Map(audio),
    fonts: new Map(fonts),
    output,
    deliver,
  }));
}

export function trusting<T extends Pick<FileSeen, 'tuple'>>(
  seen: ReadonlyMap<string, T>,
  stamp: Stamp,
): Map<string, Trusted<T>> {
  return new Map([...seen].map(([path, one]) => [path, { ...one, isTrusted: isTrusted(one.tuple, stamp) }]));
}

/**
 * The folders on the way to what was read, save those that were listed.
 *
 * @returns null when one of them is a link
 */
export function waysTo(
  root: string,
  files: ReadonlyMap<string, FileSeen>,
  folders: ReadonlyMap<string, unknown>,
): string[] | null {
  const ways = new Set<string>();
  const plain = [...files].flatMap(([path, { real }]) => (real === null ? [path] : []));
  for (const path of [...plain, ...folders.keys()]) {
    for (let way = posix.dirname(path); way !== '.' && !ways.has(way); way = posix.dirname(way)) ways.add(way);
  }
  const unlisted = [...ways].filter((way) => !folders.has(way));
  const areFolders = unlisted.every((way) => lstatSync(`${root}/${way}`, { throwIfNoEntry: false })?.isDirectory());
  return areFolders ? unlisted : null;
}
