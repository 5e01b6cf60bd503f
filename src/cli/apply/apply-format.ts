import { ReelformError } from '../../diagnostic.ts';
import { refuseTogether } from '../refuse-together.ts';

/** Everything that an apply can be printed as. */
export const APPLY_FORMATS = ['text', 'json', 'github'] as const;

export type ApplyFormat = (typeof APPLY_FORMATS)[number];

/**
 * What a command line asks an apply to be printed as.
 *
 * @throws ReelformError `options_conflict`
 */
export function applyFormat(options: {
  readonly format?: ApplyFormat;
  readonly json?: boolean;
  readonly refreshOnly?: boolean;
}): ApplyFormat {
  const { format, json } = options;
  if (json === true && format !== undefined && format !== 'json') {
    throw new ReelformError('options_conflict', `--format ${format} and --json do not go together`, {
      hint: 'A run is printed in one form',
    });
  }
  if (format === 'github') refuseTogether('--format github', options, { refreshOnly: '--refresh-only' });
  return json === true ? 'json' : (format ?? 'text');
}
