import { countNoun } from './count-noun.ts';

/** What is said after videos were looked at and nothing bad was found. */
export function lintText({
  diagnostics,
  looked,
  withoutPackage,
}: {
  readonly diagnostics: readonly unknown[];
  readonly looked: number;
  readonly withoutPackage: number;
}): string {
  const found = diagnostics.length === 0 ? ', and nothing was found' : '';
  const rest =
    withoutPackage === 0
      ? ''
      : ` ${countNoun(withoutPackage, 'video')} with a template of the service cannot be looked at here.`;
  return `${countNoun(looked, 'video')} looked at${found}.${rest}\n`;
}

/** What is said of videos that a plan would render and nobody looked at, because the time was up. */
export function leftOutText(leftOut: number): string {
  return `${countNoun(leftOut, 'video')} of the plan ${leftOut === 1 ? 'was' : 'were'} not looked at for what a viewer would notice; reelform lint looks at all.\n`;
}
