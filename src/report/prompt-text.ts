import { formatCount } from './plan-words.ts';

/** What a person is asked before a plan is applied. @param renders how many videos it renders */
export function approvalQuestion(renders: number): string {
  const what = renders === 0 ? 'Nothing is rendered. ' : '';
  return `\n${what}Apply these changes? Only "yes" is taken for it: `;
}

/** What is said when somebody asks a run to end. @param running videos that are at work */
export function stoppingText(running: number): string {
  const they = running === 1 ? 'the video at work is' : `the ${formatCount(running)} videos at work are`;
  const work = running === 0 ? '' : `; ${they} waited for and recorded`;
  return `Stopping: nothing new is asked for${work}. ${LEAVE_WORDS}.\n`;
}

/** What a second interruption does. */
export const LEAVE_WORDS = 'Interrupt again to leave at once; the next apply takes up what the service has';
