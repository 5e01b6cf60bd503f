import { countNoun } from '../wording/count-noun.ts';

/** What is said when nothing is wrong. */
export function validText(videoCount: number, templateCount: number): string {
  return `${countNoun(videoCount, 'video')} over ${countNoun(templateCount, 'template')} are valid.\n`;
}
