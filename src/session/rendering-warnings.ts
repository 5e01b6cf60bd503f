import type { SceneFinding } from '../engine/scene-finding.ts';
import { jsonPointer } from '../json.ts';
import { sourcePointer } from '../template/bind/check-mapping.ts';
import type { Mapping } from '../wire/mapping.ts';
import type { SessionProblem } from './ports.ts';
import { type Filled, isFilled } from './session-problems.ts';

/** In one session: a video may have very many texts. */
const MAX_TOLD = 100;
const MAX_CHARACTERS = 20;

/** What a viewer would notice of a rendered session, as its warnings. */
export function renderingWarnings(
  findings: readonly SceneFinding[],
  { resources, audio_tracks = {} }: Pick<Mapping, 'resources' | 'audio_tracks'>,
): SessionProblem[] {
  return findings.slice(0, MAX_TOLD).map((finding) => {
    const { editable } = finding;
    return {
      code: finding.code,
      ...wordsOf(finding),
      ...(editable === null ? {} : { editable }),
      ...pointerOf(finding, { resources, audio_tracks }),
      severity: 'warning',
      retryable: false,
    };
  });
}

/** Where the mapping says it; nothing for what is the template's own. */
function pointerOf({ code, editable }: SceneFinding, filled: Filled): Pick<SessionProblem, 'pointer'> {
  if (editable === null || !isFilled(editable, filled)) return {};
  const isText = code === 'glyph_missing' || code === 'text_overflow';
  return { pointer: isText ? `#/mapping/resources${jsonPointer([editable])}/source/text` : sourcePointer(editable) };
}

function wordsOf(finding: SceneFinding): Pick<SessionProblem, 'title' | 'detail'> {
  switch (finding.code) {
    case 'text_overflow': {
      const detail = `The text is ${Math.ceil(finding.overflow * 100)} % larger than its box`;
      return { title: 'A text does not fit its box', detail };
    }
    case 'glyph_missing': {
      const { characters, font } = finding;
      const told = characters.slice(0, MAX_CHARACTERS).join(' ');
      const more = characters.length > MAX_CHARACTERS ? ` and ${characters.length - MAX_CHARACTERS} more` : '';
      const detail = `Neither ${font} nor a fallback font of the template draws ${told}${more}`;
      return { title: 'A text has characters that no font draws', detail };
    }
    case 'clip_ends_early': {
      const { standsFromSeconds, lengthSeconds, neededSeconds } = finding;
      const lengths = `${lengthSeconds.toFixed(1)} s of the ${neededSeconds.toFixed(1)} s for which it is shown`;
      const detail = `The clip has ${lengths}; from ${standsFromSeconds.toFixed(1)} s on its last picture stands`;
      return { title: 'A clip is over before the layer that shows it', detail };
    }
    case 'media_truncated': {
      const { presentSeconds, announcedSeconds } = finding;
      const announced = announcedSeconds === null ? '' : ` of the ${announcedSeconds.toFixed(1)} s that it announces`;
      const detail = `The file ends after ${presentSeconds.toFixed(1)} s${announced}`;
      return { title: 'The file of a clip or a sound breaks off', detail };
    }
  }
}
