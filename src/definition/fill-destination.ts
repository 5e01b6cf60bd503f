import { safeFileName } from '../safe-file-name.ts';
import { OUTPUT_EXTENSIONS, type OutputFormat } from '../wire/output.ts';
import type { Video } from './video.ts';

/** Placeholders of every definition; beside them there is `label.<name>` for each label of the video. */
const PLACEHOLDERS = ['id', 'fingerprint', 'title', 'extension'];

const FINGERPRINT_DIGITS = 8;

type Named = Pick<Video, 'id' | 'title' | 'labels' | 'output'>;

/** Every placeholder that a video with these labels has, without braces. */
export function placeholdersOf(labels: Readonly<Record<string, string>>): string[] {
  return [...PLACEHOLDERS, ...Object.keys(labels).map((name) => `label.${name}`)];
}

/**
 * The destination of one video, whole: its placeholders filled, all of them here, so that a plan names the place and a
 * service has nothing to add. What ends with a slash, or names a bucket alone, gets `{id}.{extension}`. A title and a
 * label become the name of a file: no slash and no brace of theirs is left.
 *
 * @param fingerprint with the version of its scheme
 */
export function fillDestination(to: string, video: Named, fingerprint: string): string {
  const format: OutputFormat = video.output?.format ?? 'mp4';
  const values = new Map([
    ['id', video.id],
    ['fingerprint', fingerprintDigits(fingerprint)],
    ['title', nameOf(video.title)],
    ['extension', OUTPUT_EXTENSIONS[format]],
    ...Object.entries(video.labels).map(([name, value]) => [`label.${name}`, nameOf(value)] as const),
  ]);
  return withFileName(to).replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
}

/** The first digits of a fingerprint, without the version of its scheme: the value of the placeholder. */
export function fingerprintDigits(fingerprint: string): string {
  return fingerprint.replace(/^v\d+:/, '').slice(0, FINGERPRINT_DIGITS);
}

function nameOf(text: string): string {
  return safeFileName(text.replaceAll(/[{}]/g, ' '));
}

/** A destination in one form: one that names a folder or a bucket alone with the name that a file gets there. */
export function withFileName(written: string): string {
  const file = '{id}.{extension}';
  // Two ways to write one path are one place.
  const to = written.replace(/^file:\/\/(?=\/(?!\/))/, 'file:').replace(/^file:(?:\.\/)+/, 'file:');
  if (/^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(to)) return `${to}/${file}`;
  return to.endsWith('/') || to === 'file:' ? `${to}${file}` : to;
}
