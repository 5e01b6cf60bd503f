import { SESSION_CODES } from '../../src/contract/service-error.ts';
import { CODES } from '../../src/kernel/diagnostic.ts';
import { ADVICE } from './error-advice.ts';
import { escapeHtml, sentence } from './markdown.ts';

const MEANINGS: Readonly<Record<string, string>> = CODES;
const SESSION_MEANINGS: Readonly<Record<string, string>> = SESSION_CODES;

/** One heading per error code: its meaning and what to do. */
export function errorSections(): Map<string, string> {
  const advised = new Set(ADVICE.flatMap(([, codes]) => Object.keys(codes)));
  const missing = [...Object.keys(CODES), ...Object.keys(SESSION_CODES)].filter((name) => !advised.has(name));
  if (missing.length > 0) throw new Error(`error-advice.ts says nothing about: ${missing.join(', ')}`);
  const groups = ADVICE.map(([title, codes]) => {
    const entries = Object.entries(codes).map(([name, advice]) => entry(name, advice));
    return [`## ${title}`, ...entries].join('\n\n');
  });
  return new Map([['errors/codes', groups.join('\n\n')]]);
}

function entry(name: string, advice: string): string {
  const meaning = MEANINGS[name];
  const ofSession = SESSION_MEANINGS[name];
  return [
    `### \`${name}\``,
    ...(meaning === undefined ? [] : [sentence(meaning)]),
    ...(ofSession === undefined || ofSession === meaning
      ? []
      : [meaning === undefined ? sentence(ofSession) : `In the errors of a render session: ${sentence(ofSession)}`]),
    `**What to do:** ${escapeHtml(advice)}`,
  ].join('\n\n');
}
