import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expressionPlayer } from '../../engine/built-file.ts';
import { readImageHeader } from '../../engine/images/image-header.ts';
import { isRecord } from '../../kernel/json.ts';
import { loadWith } from '../../kernel/optional-packages.ts';
import { animationIn, readLottieArchive } from '../../template/archive/lottie-archive.ts';
import { MAX_PACKAGE_BYTES, readPackageZip } from '../../template/archive/read-package-zip.ts';
import type { Evaluate } from '../../template/expressions/bake-expressions.ts';
import type { LottieSource } from '../../template/init/lottie-source.ts';

/** A file that may hold a Lottie animation, with its surroundings. */
export interface LottieFile extends Pick<LottieSource, 'readAdjacent' | 'adjacentFonts'> {
  /** Path or URL; the default name of the template derives from it. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Why a file cannot be read as an animation. */
interface UnreadableLottie {
  readonly problems: readonly string[];
  readonly hint?: string;
}

/**
 * Reads an animation from a `.json` or `.tgs` file, a `.lottie` file, or a zip with the export of a program: its JSON files,
 * images and fonts.
 *
 * @param wanted id of an animation in an archive; the initial animation when absent
 */
export function readLottie(file: LottieFile, wanted?: string): LottieSource | UnreadableLottie {
  const { path, bytes, readAdjacent, adjacentFonts } = file;
  const rest = { name: nameOf(path), readAdjacent, adjacentFonts, readImage: readImageHeader };
  // Every ZIP file starts with `PK`, whatever its name.
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) {
    const animation = parseJson(bytes);
    if (animation instanceof Error) return { problems: [`The file is not a Lottie animation: ${animation.message}`] };
    return { ...rest, animation, files: new Map(), furtherAnimations: [] };
  }
  const archive = readArchive(bytes);
  if ('problems' in archive) return archive;
  const { files, animations, animation } = archive;
  const id = wanted ?? animations[0]!;
  if (!animations.includes(id)) {
    return { problems: [`The file has no animation ${JSON.stringify(id)}`], hint: `It has ${animations.join(', ')}` };
  }
  const found = animation(id);
  if (found === undefined) return { problems: [`The animation ${JSON.stringify(id)} is no JSON`] };
  return { ...rest, animation: found, files, furtherAnimations: animations.filter((candidate) => candidate !== id) };
}

interface OpenArchive {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Ids, the default animation first. */
  readonly animations: readonly string[];
  animation(id: string): unknown;
}

function readArchive(bytes: Uint8Array): OpenArchive | UnreadableLottie {
  const unpacked = readPackageZip(bytes);
  if (unpacked.ok && !unpacked.value.has('manifest.json')) return readExport(unpacked.value);
  const archive = readLottieArchive(bytes);
  if (!archive.ok) return { problems: archive.diagnostics.map(({ message }) => message) };
  const { files, animations } = archive.value;
  return { files, animations, animation: (id) => animationIn(archive.value, id) };
}

/** Reads a zip of JSON, images and fonts. The id of an animation is the name of its file. */
function readExport(files: ReadonlyMap<string, Uint8Array>): OpenArchive | UnreadableLottie {
  const found = [...files].flatMap(([path, bytes]) => {
    const value = /\.json$/i.test(path) ? parseJson(bytes) : null;
    return isRecord(value) && Array.isArray(value.layers) ? [{ path, value }] : [];
  });
  if (found.length === 0) {
    return {
      problems: ['The zip has no Lottie animation'],
      hint: 'Zip the JSON file of the animation with its folders of images and fonts',
    };
  }
  const usual = ({ path }: { path: string }): number => (/(?:^|\/)(?:data|animation)\.json$/i.test(path) ? 0 : 1);
  found.sort((a, b) => usual(a) - usual(b) || (a.path < b.path ? -1 : 1));
  const idOf = (path: string): string => path.replace(/\.json$/i, '');
  // Paths in an animation are relative to its file.
  const folder = dirname(found[0]!.path);
  const relative = [...files].map(([path, bytes]): [string, Uint8Array] => {
    return [folder !== '.' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path, bytes];
  });
  return {
    files: new Map(relative),
    animations: found.map(({ path }) => idOf(path)),
    animation: (id) => found.find(({ path }) => idOf(path) === id)?.value,
  };
}

/** Parses JSON, which may be compressed with gzip as in `.tgs` files. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_PACKAGE_BYTES }) : bytes;
    return JSON.parse(new TextDecoder().decode(plain));
  } catch (error) {
    return error as Error;
  }
}

/** Default names of exporting programs are less useful than the name of the folder. */
function nameOf(path: string): string {
  const name = basename(path, extname(path));
  const folder = basename(dirname(path));
  return /^(?:animation|data|index|lottie)$/i.test(name) && /\w/.test(folder) ? folder : name;
}

/** Reads files in a folder and below. Paths outside of it are rejected. */
export function adjacentTo(folder: string): Pick<LottieSource, 'readAdjacent' | 'adjacentFonts'> {
  const readAdjacent = (path: string): Uint8Array | null => {
    if (path === '' || path.includes('\\') || path.split('/').includes('..')) return null;
    try {
      const file = join(folder, path);
      const stats = statSync(file);
      return stats.isFile() && stats.size <= MAX_PACKAGE_BYTES ? readFileSync(file) : null;
    } catch {
      return null;
    }
  };
  const names = (below: string): string[] => {
    try {
      return readdirSync(join(folder, below)).map((name) => `${below}${name}`);
    } catch {
      return [];
    }
  };
  return { readAdjacent, adjacentFonts: [...names(''), ...names('fonts/'), ...names('Fonts/')].sort() };
}

/** Properties of an expression, and of one that was replaced by keyframes. */
const EXPRESSION = /"(?:x|expression)":"/;

/**
 * Loads the evaluator of expressions with the code that the build has made for it.
 *
 * @returns undefined for an animation without expressions: loading takes as long as all else that is done with it
 * @throws ReelformError `engine_missing`
 */
export async function openBuiltEvaluator({ animation }: LottieSource): Promise<Evaluate | undefined> {
  if (!EXPRESSION.test(JSON.stringify(animation))) return undefined;
  const evaluator = await loadWith('engine', () => import('../../template/expressions/evaluate-expressions.ts'));
  return evaluator.openEvaluator(readFileSync(expressionPlayer(import.meta.url), 'utf8'));
}
