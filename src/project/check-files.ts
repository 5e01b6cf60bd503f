import { posix } from 'node:path';
import { unreadable } from '../definition/definition-file.ts';
import { type FileUse, inRow } from '../definition/read-video.ts';
import type { Resolved } from '../definition/resolve-definitions.ts';
import type { Video } from '../definition/video.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';
import type { Asset, Refusal, RepositoryFiles } from './repository-files.ts';

/** Keeps the videos whose local files can all be used, and says what is wrong with the others. */
export function checkFiles(
  { videos, otherFiles }: Pick<Resolved, 'videos' | 'otherFiles'>,
  files: RepositoryFiles,
): { videos: Video[]; assets: Map<string, Asset>; diagnostics: Diagnostic[] } {
  const assets = new Map<string, Asset>();
  const diagnostics: Diagnostic[] = [];
  const isThere = (use: FileUse): boolean => {
    const asset = files.asset(use.path);
    if (typeof asset === 'string') diagnostics.push(unusable(use, asset, files));
    else if (asset.sizeBytes === 0) diagnostics.push(empty(use));
    else assets.set(use.path, asset);
    return typeof asset !== 'string' && asset.sizeBytes > 0;
  };
  const usable = videos.filter((one) => one.files.filter(isThere).length === one.files.length);
  otherFiles.forEach(isThere);
  return { videos: usable.map(({ video }) => video), assets, diagnostics };
}

function empty({ path, at, row }: FileUse): Diagnostic {
  const message = inRow(`The file ${JSON.stringify(path)} is empty`, row);
  return { code: 'missing_file', severity: 'error', message, hint: 'Put the file in again', at };
}

function unusable({ path, at, row }: FileUse, reason: Refusal, files: RepositoryFiles): Diagnostic {
  const { message, hint, ...diagnostic } = unreadable(path, reason, at);
  const meant = reason === 'missing' ? closestMatch(posix.basename(path), files.siblings(path)) : null;
  const nearestHint = `Did you mean ${posix.join(posix.dirname(path), meant ?? '')}?`;
  return { ...diagnostic, message: inRow(message, row), hint: meant === null ? hint : nearestHint };
}
