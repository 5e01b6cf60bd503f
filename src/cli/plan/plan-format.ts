import { ReelformError } from '../../diagnostic.ts';

/** Everything that a plan can be printed as. */
export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html', 'github', 'gitlab'] as const;

export type PlanFormat = (typeof PLAN_FORMATS)[number];

export interface FormatFlags {
  readonly format?: PlanFormat;
  /** Short for `--format json`. */
  readonly json?: boolean;
  /** Short for `--format markdown`. */
  readonly markdown?: boolean;
}

/**
 * What a command line asks a plan to be printed as; null where it says nothing.
 *
 * @throws ReelformError `options_conflict` where it says two things
 */
export function planFormat({ format, json, markdown }: FormatFlags): PlanFormat | null {
  const said: (readonly [PlanFormat, string])[] = [
    ...(format === undefined ? [] : [[format, `--format ${format}`] as const]),
    ...(json === true ? [['json', '--json'] as const] : []),
    ...(markdown === true ? [['markdown', '--markdown'] as const] : []),
  ];
  if (new Set(said.map(([one]) => one)).size <= 1) return said[0]?.[0] ?? null;
  throw new ReelformError('options_conflict', `${said.map(([, flag]) => flag).join(' and ')} do not go together`, {
    hint: 'A plan is printed in one form; `reelform show FILE --format FORMAT` prints a saved one in others',
  });
}
