import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import type { SoundLength, SoundLengths } from '../../contract/video-measures.ts';
import { SOUND_EPOCH } from '../../engine/render-epoch.ts';
import { RenderError } from '../../engine/render-error.ts';
import {
  type Diagnostic,
  errorAt,
  ReelformError,
  type Span,
  sortDiagnostics,
  warningAt,
} from '../../kernel/diagnostic.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { parseLfsPointer, pointerError } from '../../kernel/file-kind.ts';
import { openSoundLengthCache } from '../../reconciler/project/sound-length-cache.ts';
import { listSome } from '../../report/wording/quantities.ts';
import { renderCapacity } from '../../service/sessions/processes/render-pool.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';

/** A local sound that decides the length of a scene. */
export interface SoundToMeasure {
  /** Repository-relative. */
  readonly path: string;
  /** Digest of its content, also for a Git LFS pointer. */
  readonly digest: Sha256;
  /** Where a definition names it. */
  readonly at: Span;
}

interface MeasureOptions {
  /** False to decode all sounds again. */
  readonly cache: boolean;
  /** Opens the processes that decode. @throws ReelformError `engine_missing` */
  readonly openPool: () => Promise<TaskRunner<'length'>>;
}

interface MeasuredSounds {
  readonly lengths: SoundLengths;
  /** Why lengths are not known: one for each file, or one for all if the engine is missing. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Names of sounds in a message. */
const MAX_NAMES = 3;

/**
 * Measures the sounds that decide lengths of scenes, by decoding them in render processes. Each content is decoded once: later runs
 * take its length from the cache in `.reelform/`. Without the engine, lengths that are not in the cache stay unknown.
 *
 * @param root of the repository, absolute
 */
export async function measureSounds(
  root: string,
  sounds: readonly SoundToMeasure[],
  { cache: usesCache, openPool }: MeasureOptions,
): Promise<MeasuredSounds> {
  const cache = openSoundLengthCache(root, SOUND_EPOCH, usesCache);
  const digests = new Map(sounds.map(({ path, digest }) => [path, digest]));
  const lengths: SoundLengths = (path) => {
    const digest = digests.get(path);
    return (digest === undefined ? undefined : cache.get(digest)) ?? null;
  };
  const found = new Map<Sha256, SoundToMeasure>();
  for (const sound of sounds) {
    if (cache.get(sound.digest) === undefined && !found.has(sound.digest)) found.set(sound.digest, sound);
  }
  const unknown = [...found.values()];
  if (unknown.length === 0) return { lengths, diagnostics: [] };
  let pool: TaskRunner<'length'>;
  try {
    pool = await openPool();
  } catch (error) {
    if (!(error instanceof ReelformError) || error.code !== 'engine_missing') throw error;
    return { lengths, diagnostics: [unmeasured(unknown, error)] };
  }
  const limit = pLimit(renderCapacity());
  const problems = await Promise.all(
    unknown.map((sound) =>
      limit(async () => {
        const measured = await measureSound(root, sound, pool);
        if ('code' in measured) return [measured];
        cache.set(measured.digest, measured.length);
        return [];
      }),
    ),
  );
  await cache.store();
  return { lengths, diagnostics: sortDiagnostics(problems.flat()) };
}

/** The digest is that of the bytes that were measured: the file may have changed since it was planned. */
async function measureSound(
  root: string,
  { path, at }: SoundToMeasure,
  pool: TaskRunner<'length'>,
): Promise<{ readonly digest: Sha256; readonly length: SoundLength } | Diagnostic> {
  const bytes = await readFile(join(root, path));
  if (parseLfsPointer(bytes) !== null) return pointerError(path, at);
  try {
    return { digest: sha256(bytes), length: await pool.run('length', { name: path }, { bytes }) };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const message = `The length of ${JSON.stringify(path)} cannot be measured: ${error.message}`;
    return errorAt('sound_unreadable', at, message, 'Export the sound again, or copy the file again');
  }
}

function unmeasured(sounds: readonly SoundToMeasure[], { message, hint }: ReelformError): Diagnostic {
  const names = listSome(sounds, MAX_NAMES, ({ path }) => JSON.stringify(path));
  return warningAt('engine_missing', sounds[0]!.at, `The length of ${names} is not known. ${message}`, hint);
}
