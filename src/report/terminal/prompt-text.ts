import { countNoun, formatCount } from '../wording/count-noun.ts';

/** What a person is asked before a plan is applied. @param renders how many videos it renders */
export function approvalQuestion(renders: number): string {
  const what = renders === 0 ? 'Nothing is rendered. ' : '';
  return `\n${what}Apply these changes? Only "yes" is taken for it: `;
}

/**
 * What is said when somebody asks a run to end.
 *
 * @param running videos that are at work
 * @param isAttended whether somebody is there to wait for them; else they are left to the service soon
 */
export function stoppingText(running: number, isAttended: boolean): string {
  const video = running === 1 ? 'the video at work is' : `the ${formatCount(running)} videos at work are`;
  const end = isAttended ? 'waited for and recorded' : 'left to the service after a few seconds';
  const work = running === 0 ? '' : `; ${video} ${end}`;
  return `Stopping: nothing new is asked for${work}. Interrupt again to leave at once; the next apply takes up what the service has.\n`;
}

/** What is said when a run is left at once. @param running videos that are at work */
export function leftText(running: number): string {
  const work =
    running === 0 ? 'Nothing was at work' : `${countNoun(running, 'video')} ${running === 1 ? 'was' : 'were'} at work`;
  return `Left. ${work}; what was rendered is in the lockfile, and the next apply takes up what the service has.\n`;
}

/** Reports what `--prune` removed. @param files how many; nothing is said of none */
export function prunedText(files: number): string {
  return files === 0 ? '' : `Removed ${countNoun(files, 'file')} of earlier renderings from renders/\n`;
}
