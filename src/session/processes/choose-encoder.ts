import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { platform } from 'node:process';
import { ReelformError } from '../../diagnostic.ts';
import { EMBEDDED, type EncoderChoice } from '../../engine/h264/open-encoder.ts';

/** Encoders of H.264 that a setting can name. */
export const ENCODER_NAMES = ['embedded', 'ffmpeg'] as const;
export type EncoderName = (typeof ENCODER_NAMES)[number];

/** What the environment says of encoders. */
export interface EncoderEnvironment {
  readonly REELFORM_ENCODER?: string | undefined;
  readonly REELFORM_FFMPEG?: string | undefined;
  readonly PATH?: string | undefined;
}

/**
 * The encoder that is asked for: by the environment, or else by a configuration. A program is named by the environment
 * alone, since whoever can change a file of a repository must not choose what runs on this machine. EDGE.
 *
 * @throws ReelformError encoder_missing when ffmpeg is not there; settings_invalid when the environment names no encoder
 */
export function chooseEncoder(configured: EncoderName, environment: EncoderEnvironment): EncoderChoice {
  const written = environment.REELFORM_ENCODER;
  const name = written === undefined || written === '' ? configured : ENCODER_NAMES.find((one) => one === written);
  if (name === undefined) {
    throw new ReelformError('settings_invalid', `REELFORM_ENCODER is ${JSON.stringify(written)}`, {
      hint: `write one of ${ENCODER_NAMES.join(', ')}`,
    });
  }
  return name === 'embedded' ? EMBEDDED : { kind: 'ffmpeg', program: findFfmpeg(environment) };
}

function findFfmpeg({ REELFORM_FFMPEG: named = '', PATH = '' }: EncoderEnvironment): string {
  const name = named === '' ? 'ffmpeg' : named;
  const found = candidates(name, PATH).find(isProgram);
  if (found !== undefined) return found;
  throw new ReelformError(
    'encoder_missing',
    named === '' ? 'There is no ffmpeg on the PATH' : `${named} is no program`,
    {
      hint: 'install ffmpeg 5 or later with libx264, name it in REELFORM_FFMPEG, or choose the encoder "embedded"',
    },
  );
}

function candidates(name: string, path: string): string[] {
  const endings = platform === 'win32' ? ['.exe', ''] : [''];
  const folders = isAbsolute(name) ? [''] : path.split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
