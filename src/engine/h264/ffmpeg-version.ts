import { hash } from 'node:crypto';
import { execa } from 'execa';
import { ReelformError } from '../../diagnostic.ts';

/** What is older writes other boxes and other bytes, and knows fewer options. */
const OLDEST = 5;
const MOST_MS = 10_000;

const known = new Map<string, Promise<string>>();

/**
 * Refuses an ffmpeg that is too old, before it is given a frame. A program is asked once per process. One that does not
 * say its version, as those built from sources of a day, is believed; one that cannot be started says so later. EDGE.
 *
 * @throws ReelformError encoder_missing
 */
export async function refuseOldFfmpeg(program: string): Promise<void> {
  const [, major] = /^ffmpeg version n?(\d+)\./.exec(await whatItSays(program)) ?? [];
  if (major === undefined || Number(major) >= OLDEST) return;
  throw new ReelformError('encoder_missing', `The ffmpeg that was chosen as encoder is version ${major}`, {
    hint: `Install ffmpeg ${OLDEST} or later with libx264, name it in REELFORM_FFMPEG, or choose "encoder: embedded"`,
  });
}

/**
 * Names an ffmpeg for comparing: two that are named alike are of one version, built in the same way with the same libraries,
 * as far as they say. EDGE.
 *
 * @returns one line, such as `ffmpeg 5.1.6-0+deb12u1 4f0c9a1e`
 */
export async function ffmpegBuild(program: string): Promise<string> {
  const said = await whatItSays(program);
  const [, version = 'of no version'] = /^ffmpeg version (\S{1,60})/.exec(said) ?? [];
  return `ffmpeg ${version} ${hash('sha256', said).slice(0, 8)}`;
}

async function whatItSays(program: string): Promise<string> {
  const asked = known.get(program) ?? ask(program);
  known.set(program, asked);
  return asked;
}

async function ask(program: string): Promise<string> {
  const { stdout } = await execa(program, ['-version'], {
    ...{ reject: false, stdin: 'ignore', stderr: 'ignore', timeout: MOST_MS, maxBuffer: 100_000 },
    ...{ env: {}, extendEnv: false },
  });
  return typeof stdout === 'string' ? stdout : '';
}
