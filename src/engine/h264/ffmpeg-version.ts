import { execa } from 'execa';
import { ReelformError } from '../../diagnostic.ts';

/** What is older writes other boxes and other bytes, and knows fewer options. */
const OLDEST = 5;
const MOST_MS = 10_000;

const known = new Map<string, Promise<number | null>>();

/**
 * Refuses an ffmpeg that is too old, before it is given a frame. A program is asked once per process. One that does not
 * say its version, as those built from sources of a day, is believed; one that cannot be started says so later. EDGE.
 *
 * @throws ReelformError encoder_missing
 */
export async function refuseOldFfmpeg(program: string): Promise<void> {
  const asked = known.get(program) ?? majorVersion(program);
  known.set(program, asked);
  const version = await asked;
  if (version === null || version >= OLDEST) return;
  throw new ReelformError('encoder_missing', `The ffmpeg that was chosen as encoder is version ${version}`, {
    hint: `Install ffmpeg ${OLDEST} or later with libx264, name it in REELFORM_FFMPEG, or choose "encoder: embedded"`,
  });
}

async function majorVersion(program: string): Promise<number | null> {
  const { stdout } = await execa(program, ['-version'], {
    ...{ reject: false, stdin: 'ignore', stderr: 'ignore', timeout: MOST_MS, maxBuffer: 100_000 },
    ...{ env: {}, extendEnv: false },
  });
  const [, major] = /^ffmpeg version n?(\d+)\./.exec(typeof stdout === 'string' ? stdout : '') ?? [];
  return major === undefined ? null : Number(major);
}
