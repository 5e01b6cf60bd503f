import { ReelformError } from '../diagnostic.ts';

/**
 * Refuses options that do not go together with something that was said.
 *
 * @param said what they do not go together with, as it is typed
 * @param flags by the option's name in `options`, as each is typed
 * @throws ReelformError `options_conflict`, one for all of them
 */
export function refuseTogether(said: string, options: object, flags: Readonly<Record<string, string>>): void {
  const given = Object.entries(flags).flatMap(([name, flag]) => {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    return value === undefined || value === false ? [] : [flag];
  });
  if (given.length === 0) return;
  throw new ReelformError('options_conflict', `${said} does not go together with ${given.join(', ')}`, {
    hint: 'Leave out the one or the other',
  });
}
