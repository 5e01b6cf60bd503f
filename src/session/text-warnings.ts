import type { TextFinding } from '../engine/text/text-finding.ts';
import { jsonPointer } from '../json-pointer.ts';
import type { Mapping } from '../wire/mapping.ts';
import type { SessionProblem } from './ports.ts';

/** In one session: a video may have very many texts. */
const MAX_TOLD = 100;
const MAX_CHARACTERS = 20;

/** What a viewer would notice of the texts of a rendered session, as its warnings. */
export function textWarnings(
  findings: readonly TextFinding[],
  { resources }: Pick<Mapping, 'resources'>,
): SessionProblem[] {
  return findings.slice(0, MAX_TOLD).map((finding) => {
    const { editable } = finding;
    const isFilled = editable !== null && Object.hasOwn(resources, editable);
    return {
      code: finding.code,
      ...wordsOf(finding),
      ...(editable === null ? {} : { editable }),
      ...(isFilled ? { pointer: `#/mapping/resources${jsonPointer([editable])}/source/text` } : {}),
      severity: 'warning',
      retryable: false,
    };
  });
}

function wordsOf({ code, characters, font, overflow }: TextFinding): Pick<SessionProblem, 'title' | 'detail'> {
  if (code === 'text_overflow') {
    const detail = `The text is ${Math.ceil(overflow * 100)} % larger than its box`;
    return { title: 'A text does not fit its box', detail };
  }
  const told = characters.slice(0, MAX_CHARACTERS).join(' ');
  const more = characters.length > MAX_CHARACTERS ? ` and ${characters.length - MAX_CHARACTERS} more` : '';
  const detail = `Neither ${font} nor a fallback font of the template draws ${told}${more}`;
  return { title: 'A text has characters that no font draws', detail };
}
