import { readPackageZip } from '../../template/archive/read-package-zip.ts';
import { parseTemplatePackage } from '../../template/parse-template-package.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { RequestProblem } from '../../wire/problem.ts';
import type { StyleVersion } from '../../wire/style-version.ts';
import type { PackedPackage } from '../bind-scene.ts';
import { checkPackageMedia } from './check-package-media.ts';
import { packageProblems, problem } from './package-problems.ts';

/** What an inspection is to answer: the package itself, or its description alone. */
export type PackageAspect = 'package' | 'description';

/** What the service keeps of a package beside its file. */
export interface PackageDescription
  extends Pick<TemplatePackage, 'digest' | 'width' | 'height' | 'fps' | 'frameCount'> {
  readonly spec: StyleVersion;
  readonly name: string;
  /** Names of the still cuts. */
  readonly stillcuts: readonly string[];
}

export type PackageAnswer =
  | { readonly kind: 'package'; readonly package: PackedPackage; readonly memoryBytes: number }
  | { readonly kind: 'description'; readonly description: PackageDescription }
  | { readonly kind: 'problems'; readonly problems: readonly RequestProblem[] };

const MAX_EDITABLES = 500;
const MAX_STILLCUTS = 50;
/** An animation stays text, of one or two bytes for each character. */
const MEMORY_PER_TEXT_BYTE = 2;

/** Unpacks, parses and checks a zipped package, its images, clips and sounds included. */
export async function inspectPackageZip(zip: Uint8Array, wants: PackageAspect): Promise<PackageAnswer> {
  const files = readPackageZip(zip);
  if (!files.ok) return { kind: 'problems', problems: packageProblems(files.diagnostics, new Map()) };
  const parsed = parseTemplatePackage('', files.value);
  if (!parsed.ok) return { kind: 'problems', problems: packageProblems(parsed.diagnostics, files.value) };
  const problems = [...tooMany(parsed.value), ...(await checkPackageMedia(parsed.value))];
  if (problems.length > 0) return { kind: 'problems', problems };
  if (wants === 'package') {
    const animation = JSON.stringify(parsed.value.animation);
    return { kind: 'package', package: { ...parsed.value, animation }, memoryBytes: memoryOf(files.value) };
  }
  const { spec, manifest, digest, width, height, fps, frameCount, stills } = parsed.value;
  return {
    kind: 'description',
    description: {
      ...{ spec, digest, width, height, fps, frameCount },
      name: manifest.name,
      stillcuts: stills.map((still) => still.name),
    },
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
      problem('template_invalid', 'template.yaml', `The package has ${count} ${what}; the service takes ${most}`),
    );
}

function memoryOf(files: ReadonlyMap<string, Uint8Array>): number {
  let sizeBytes = 0;
  for (const [name, bytes] of files) sizeBytes += bytes.length * (name.endsWith('.json') ? MEMORY_PER_TEXT_BYTE : 1);
  return sizeBytes;
}
