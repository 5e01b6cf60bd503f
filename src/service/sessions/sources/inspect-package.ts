import type { RequestProblem } from '../../../contract/wire/problem.ts';
import type { StyleVersion } from '../../../contract/wire/style-version.ts';
import { embeddedImages } from '../../../engine/images/check-image.ts';
import { packAnimation } from '../../../engine/packed-input.ts';
import { RenderError } from '../../../engine/render-error.ts';
import type { Diagnostic } from '../../../kernel/diagnostic.ts';
import { jsonPointer } from '../../../kernel/json.ts';
import { readPackageZip } from '../../../template/archive/read-package-zip.ts';
import { soundAssetIds } from '../../../template/lottie/slots/lottie-slots.ts';
import { parseTemplatePackage } from '../../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../../template/template-package.ts';
import type { PackedPackage } from '../bind-template.ts';
import type { SourceKind } from '../ports.ts';
import { describeSource } from './describe-source.ts';

/** Whether an inspection returns the package, or only its description. */
export type PackageAspect = 'package' | 'description';

/** Data that the service stores with a package. */
export interface PackageDescription
  extends Pick<TemplatePackage, 'digest' | 'width' | 'height' | 'fps' | 'frameCount'> {
  readonly spec: StyleVersion;
  readonly name: string;
  /** Names of the stills. */
  readonly stillcuts: readonly string[];
}

export interface InspectedPackage {
  readonly description: PackageDescription;
  /** Null unless it is wanted. */
  readonly package: PackedPackage | null;
  /** Approximate size of the package in memory. */
  readonly memoryBytes: number;
}

export type PackageAnswer = InspectedPackage | { readonly problems: readonly RequestProblem[] };

const MAX_EDITABLES = 500;
const MAX_STILLCUTS = 50;
/**
 * Limit of the description in JSON: the service stores it, and sends it with every answer about the package. Texts and labels
 * of designers take a few kB.
 */
const MAX_DESCRIPTION_BYTES = 1 << 20;

/** Unpacks, parses and checks a zipped package, its images, clips and sounds included. */
export async function inspectPackageZip(zip: Uint8Array, wants: PackageAspect): Promise<PackageAnswer> {
  const files = readPackageZip(zip);
  if (!files.ok) return { problems: packageProblems(files.diagnostics, new Map()) };
  const parsed = parseTemplatePackage('', files.value);
  if (!parsed.ok) return { problems: packageProblems(parsed.diagnostics, files.value) };
  const problems = [...tooMany(parsed.value), ...(await checkPackageMedia(parsed.value))];
  if (problems.length > 0) return { problems };
  const { spec, manifest, digest, width, height, fps, frameCount, stills, animation } = parsed.value;
  const { name } = manifest;
  const description = {
    spec,
    digest,
    width,
    height,
    fps,
    frameCount,
    name,
    stillcuts: stills.map((still) => still.name),
  };
  const descriptionBytes = Buffer.byteLength(JSON.stringify(description));
  if (descriptionBytes > MAX_DESCRIPTION_BYTES) return { problems: [longDescription(descriptionBytes)] };
  return {
    description,
    package: wants === 'package' ? { ...parsed.value, animation: packAnimation(animation) } : null,
    memoryBytes: memoryOf(files.value),
  };
}

function tooMany({ manifest, stills }: TemplatePackage): RequestProblem[] {
  const counts = [
    [manifest.editables.size, MAX_EDITABLES, 'editables'],
    [stills.length, MAX_STILLCUTS, 'stillcuts'],
  ] as const;
  return counts
    .filter(([count, most]) => count > most)
    .map(([count, most, what]) =>
      problem(
        'template_invalid',
        'template.yaml',
        `The package has ${count} ${what}; the limit of the service is ${most}`,
      ),
    );
}

function longDescription(sizeBytes: number): RequestProblem {
  const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return problem(
    'template_invalid',
    'template.yaml',
    `The labels and examples of the editables take ${megabytes(sizeBytes)} MB; the limit of the service is ${megabytes(MAX_DESCRIPTION_BYTES)} MB`,
  );
}

function memoryOf(files: ReadonlyMap<string, Uint8Array>): number {
  let sizeBytes = 0;
  for (const bytes of files.values()) sizeBytes += bytes.length;
  return sizeBytes;
}

interface Medium {
  readonly bytes: Uint8Array;
  readonly kind: SourceKind;
  /** Path in the package. */
  readonly file: string;
  /** Prefix that names an asset within the file. */
  readonly subject: string;
}

/** Checks the structure of the images, clips and sounds of a package and its animation. */
async function checkPackageMedia(template: TemplatePackage): Promise<RequestProblem[]> {
  const problems: RequestProblem[] = [];
  for (const medium of mediaOf(template)) problems.push(...(await problemsOf(medium)));
  return problems;
}

function mediaOf({ images, sounds, animation, manifest }: TemplatePackage): Medium[] {
  const files = new Map<string, Medium>();
  const add = (assetId: string, file: string, bytes: Uint8Array, kind: SourceKind): void => {
    const isInside = file === 'animation.json';
    const key = isInside ? `${file} ${assetId}` : file;
    files.set(key, { bytes, kind, file, subject: isInside ? `Asset ${assetId}: ` : '' });
  };
  const videos = new Set<unknown>(
    (animation.assets ?? [])
      .filter(({ sid }) => manifest.editables.get(String(sid))?.kind === 'video')
      .map(({ id }) => id),
  );
  for (const [id, { path, bytes }] of images) add(id, path, bytes, videos.has(id) ? 'video' : 'image');
  for (const [id, { path, bytes }] of sounds) add(id, path, bytes, 'audio');
  const heard = soundAssetIds(animation);
  for (const { assetId, bytes } of embeddedImages(animation)) {
    if (!heard.has(assetId)) add(assetId, 'animation.json', bytes, 'image');
  }
  return [...files.values()];
}

async function problemsOf({ bytes, kind, file, subject }: Medium): Promise<RequestProblem[]> {
  try {
    await describeSource(bytes, kind);
    return [];
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return [problem(error.code, file, `${subject}${error.message}`)];
  }
}

/** Maximum problems reported; a generated file can have a hundred thousand. */
const MAX_REPORTED = 100;
const MAX_DETAIL_CHARACTERS = 500;

/**
 * Converts diagnostics of a package to problems. The pointer names the file, as a URI fragment of its path; the line is
 * part of the detail.
 *
 * @param files of the package, to compute line numbers
 * @see RFC 6901, section 6
 */
function packageProblems(diagnostics: readonly Diagnostic[], files: ReadonlyMap<string, Uint8Array>): RequestProblem[] {
  const reported = diagnostics.slice(0, MAX_REPORTED).map(({ code, message, hint, at }) => {
    const line = at === undefined ? null : lineAt(files.get(at.file), at);
    const words = [line === null ? message : `Line ${line}: ${message}`, ...(hint === undefined ? [] : [hint])];
    return problem(code, at?.file ?? '', words.join('. '));
  });
  const more = diagnostics.length - reported.length;
  return more === 0 ? reported : [...reported, problem('template_invalid', '', `There are ${more} more problems`)];
}

/** Converts an engine error to a problem of the package. */
export function drawingProblem({ code, message, imageName }: RenderError): RequestProblem {
  return problem(code, imageName ?? 'animation.json', message);
}

/** @param file path in the package; empty for the package itself */
export function problem(code: string, file: string, detail: string): RequestProblem {
  const pointer = file === '' ? '#' : `#/${encodeURIComponent(jsonPointer([file]).slice(1))}`;
  const isLong = detail.length > MAX_DETAIL_CHARACTERS;
  return { code, pointer, detail: isLong ? `${detail.slice(0, MAX_DETAIL_CHARACTERS - 1)}…` : detail };
}

/** Returns the line, counted from 1; null for a diagnostic about the whole file. */
function lineAt(bytes: Uint8Array | undefined, { start, end }: { start: number; end: number }): number | null {
  if (bytes === undefined || end === 0) return null;
  return new TextDecoder().decode(bytes).slice(0, start).split('\n').length;
}
