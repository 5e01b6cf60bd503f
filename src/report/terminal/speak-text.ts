import { createColors } from 'picocolors';
import { estimateSpeech, type SpokenText, speechSoundPath } from '../../reconciler/speech/spoken-text.ts';
import type { SpeakReport } from '../json/speak-json.ts';
import { escapeControls } from '../wording/display-text.ts';
import { speechWords } from '../wording/left-out-words.ts';
import { countNoun } from '../wording/quantities.ts';

const MAX_TEXT = 50;

/** Reports what `reelform speak` made, or what is missing. */
export function speakReportText(report: SpeakReport, options: { readonly color: boolean }): string {
  const { bold, dim } = createColors(options.color);
  const { missing, outcomes, kept, isMaking } = report;
  if (missing.length === 0) {
    return kept === 0 ? 'No definition has a spoken text.\n' : `Every text is spoken (${countNoun(kept, 'text')}).\n`;
  }
  const shown = (text: SpokenText): string => JSON.stringify(escapeControls(shorten(text.text)));
  const made = outcomes.flatMap((outcome) => (outcome.kind === 'made' ? [outcome] : []));
  const rows = isMaking
    ? made.map(({ text, seconds, words }) => {
        const facts = `${text.voice.name}, ${seconds.toFixed(1)} s, ${words === null ? 'no times of words' : countNoun(words, 'word')}`;
        return `  ${bold(speechSoundPath(text))}  ${shown(text)}  ${dim(facts)}`;
      })
    : missing.map(({ text }) => `  ${shown(text)}  ${dim(`${text.voice.name}, ${speechSoundPath(text)}`)}`);
  const counted = isMaking ? made.map(({ text }) => text) : missing.map(({ text }) => text);
  const words = speechWords(estimateSpeech(counted));
  const heading = isMaking ? `Spoke ${words.replace(' to speak', '')}` : `Missing: ${words}`;
  const rest = kept === 0 ? '' : ` ${countNoun(kept, 'other text')} ${kept === 1 ? 'was' : 'were'} spoken before.`;
  const advice = isMaking
    ? made.length === 0
      ? ''
      : 'Commit the folder speech/.\n'
    : 'Run reelform speak, and commit the folder speech/.\n';
  const interrupted = outcomes.filter(({ kind }) => kind === 'interrupted').length;
  const left =
    interrupted === 0
      ? ''
      : ` Interrupted: ${countNoun(interrupted, 'text')} ${interrupted === 1 ? 'is' : 'are'} missing. Run reelform speak again.`;
  return `${heading}.${rest}${left}\n${rows.map((row) => `${row}\n`).join('')}${advice}`;
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).trimEnd().toWellFormed()}…`;
}
