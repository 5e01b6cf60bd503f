import { type CaptionDefect, type LintFinding, MAX_LEVEL_GAIN } from '../../engine/lint-finding.ts';
import type { Diagnostic, Severity, Span } from '../../kernel/diagnostic.ts';
import { shortenedCue } from './caption-diagnostics.ts';

/** The video that a finding concerns, and the source location of the value. */
export interface LintTarget {
  readonly id: string;
  /** Undefined if only the video is known. */
  readonly at: Span | undefined;
  readonly severity: Severity;
}

/** Describes a lint finding as a diagnostic. */
export function lintDiagnostic(finding: LintFinding, { id, at, severity }: LintTarget): Diagnostic {
  const { code, editable, frame, seconds, still } = finding;
  const moment = `at ${seconds.toFixed(1)} s${still === null ? '' : ` (${still})`}`;
  const caption = 'caption' in finding ? `caption ${JSON.stringify(shortenedCue(finding.caption))}` : null;
  const subject = caption === null ? editable : `The ${caption}`;
  const howToSee = `To see it: reelform render ${id} --frame ${frame}`;
  const diagnostic = (message: string, hint: string): Diagnostic => ({ code, severity, message, hint, at });
  switch (finding.code) {
    case 'glyph_missing': {
      const characters = finding.characters.slice(0, 12).join(' ');
      const more = finding.characters.length > 12 ? ' …' : '';
      return diagnostic(
        `No font contains ${characters}${more} of ${caption === null ? editable : `the ${caption}`} in ${id}, ${moment}`,
        'Add a font that has them to the folder that `fonts` of reelform.yaml names, or to the template',
      );
    }
    case 'text_overflow': {
      const { beyond, overflow } = finding;
      const what = {
        frame: 'is cut off at the edge of the frame',
        layer: `is cut off${share(overflow)} by a mask, a matte or a layer above it`,
        box: `does not fit into ${editable === null ? 'the lines of its style' : 'its box'}${share(overflow)}`,
      }[beyond];
      return diagnostic(`${subject} of ${id} ${what}, ${moment}`, `Shorten it. ${howToSee}`);
    }
    case 'text_too_small': {
      const { size, needed, isShrunk } = finding;
      const drawn = `${pixelsText(size)} pixels high in a picture of 1080`;
      return diagnostic(
        `${editable} of ${id} is ${isShrunk ? 'shrunk to fit its box: it is' : 'only'} ${drawn}, ${moment}; ${needed} can be read`,
        `${isShrunk ? 'Shorten it' : 'Enlarge it in the template'}. ${howToSee}`,
      );
    }
    case 'text_shrunk': {
      const { size, designed, larger } = finding;
      const sizes = `from ${pixelsText(designed)} to ${pixelsText(size)} pixels in a picture of 1080`;
      const comparison =
        larger === null
          ? ''
          : `, smaller than ${textName(larger.editable, larger.text)} with ${pixelsText(larger.size)}`;
      return diagnostic(
        `${editable} of ${id} is shrunk to fit its box, ${sizes}${comparison}, ${moment}`,
        `Shorten it, or enlarge its box in the template. ${howToSee}`,
      );
    }
    case 'text_hidden':
      return diagnostic(`${editable} of ${id} cannot be seen: ${HIDDEN[finding.reason]}`, howToSee);
    case 'text_collision': {
      const covered = textName(finding.other, finding.otherText);
      return diagnostic(`${editable} of ${id} and ${covered} overlap, ${moment}`, `Shorten one of them. ${howToSee}`);
    }
    case 'text_leftover': {
      const [what, hint] = LEFTOVERS[finding.kind];
      return diagnostic(
        `${editable} of ${id} shows ${JSON.stringify(finding.leftover)}, ${what}, ${moment}`,
        `${hint}. ${howToSee}`,
      );
    }
    case 'text_direction': {
      const wrong = `is drawn from left to right because of its first word: ${JSON.stringify(finding.text)}`;
      const more = 'captions' in finding ? moreCaptions(finding, 'are too') : '';
      return diagnostic(
        `${subject} of ${id} ${wrong}, ${moment}${more}`,
        `Put the mark U+200F before the text; U+200E keeps it as it is. ${howToSee}`,
      );
    }
    case 'outside_safe_area': {
      const { area, edges } = finding;
      return diagnostic(
        `${editable} of ${id} lies outside the safe area ${area} (${edges.join(', ')}), ${moment}`,
        `Move it in the template, or shorten it. ${howToSee}`,
      );
    }
    case 'caption_over_text':
      return diagnostic(
        `${subject} of ${id} lies over ${textName(finding.other, finding.otherText)}, ${moment}${moreCaptions(finding)}`,
        `Give the captions another position or margin, or move the text in the template. ${howToSee}`,
      );
    case 'caption_outside_safe_area': {
      const { area, edges } = finding;
      return diagnostic(
        `${subject} of ${id} lies outside the safe area ${area} (${edges.join(', ')}), ${moment}${moreCaptions(finding)}`,
        `Give the captions a larger margin, or a smaller width. ${howToSee}`,
      );
    }
    case 'caption_low_contrast': {
      const part = finding.part === 'text' ? subject : `The spoken word of the ${caption}`;
      return diagnostic(
        `${part} of ${id} ${contrastText(finding)}, ${moment}; it needs ${finding.needed}:1${moreCaptions(finding, 'have too little')}`,
        `Give their style another color, an outline or a background. ${howToSee}`,
      );
    }
    case 'low_contrast':
      return diagnostic(
        `${editable} of ${id} ${contrastText(finding)}, ${moment}; it needs ${finding.needed}:1`,
        howToSee,
      );
    case 'flashes': {
      const { flashes, kind, scene } = finding;
      return diagnostic(
        `${id} has ${flashes} ${kind === 'red' ? 'red flashes' : 'flashes'} in one second, from ${secondsText(seconds)}${scene === undefined ? '' : ` in ${scene}`}; more than 3 can cause seizures`,
        `Slow the change down, or make the flashing area smaller. ${howToSee}`,
      );
    }
    case 'hold_moves': {
      const { scene, heldSeconds, changedShare } = finding;
      const change = `${Number((changedShare * 100).toFixed(1))} % of its pixels change from frame to frame`;
      return diagnostic(
        `${scene} of ${id} holds its picture for ${secondsText(heldSeconds)} where it moves, ${moment}: ${change}`,
        `Write another duration, or say in "timing" of its template.yaml where it can hold, loop or stretch. ${howToSee}`,
      );
    }
    case 'transition_from_empty': {
      const { scene, before } = finding;
      return diagnostic(
        `The transition of ${scene} of ${id} has nothing to replace, ${moment}: ${before} ends with an empty picture`,
        `Write at: before in the transition, so that it shows the end of ${before} while it moves. ${howToSee}`,
      );
    }
    case 'image_too_small': {
      const { width, height, areaWidth, areaHeight } = finding;
      const times = Math.max(areaWidth / width, areaHeight / height).toFixed(1);
      return diagnostic(
        `${editable} of ${id} shows ${width} × ${height} pixels of its ${finding.limit === 'clip' ? 'clip' : 'image'} on ${areaWidth} × ${areaHeight}, enlarged ${times} times, ${moment}`,
        finding.limit === 'asset'
          ? `A larger file does not help: increase w and h of its asset in the template. ${howToSee}`
          : `Use a larger ${finding.limit}. ${howToSee}`,
      );
    }
    case 'clip_ends_early': {
      const lengths = `${secondsText(finding.lengthSeconds)} of ${secondsText(finding.neededSeconds)}`;
      return diagnostic(
        `${editable} of ${id} has a clip for ${lengths}: from ${secondsText(finding.freezesAtSeconds)} its last frame is shown, ${moment}`,
        `Use a longer clip, or trim it less. ${howToSee}`,
      );
    }
    case 'clip_cut': {
      const lengths = `lasts ${secondsText(finding.lengthSeconds)}, and ${secondsText(finding.playedSeconds)} of it are shown`;
      return diagnostic(
        `The clip of ${editable} of ${id} ${lengths}: its end is cut off, ${moment}`,
        'Use a shorter clip, choose its part with trim_start_time, or set `clip_cut: off` in `lint`',
      );
    }
    case 'sound_cut': {
      const lengths = `lasts ${secondsText(finding.lengthSeconds)}, and ${secondsText(finding.playedSeconds)} of it are heard`;
      return diagnostic(
        `The sound of ${editable} of ${id} ${lengths}: its end is cut off, ${moment}`,
        'Use a shorter sound or a longer video, or set fade_out if the end is meant to be left out',
      );
    }
    case 'sound_unused': {
      const length = finding.lengthSeconds === null ? '' : ` (${secondsText(finding.lengthSeconds)})`;
      return diagnostic(
        `The sound of ${editable} of ${id}${length} is not heard: ${UNUSED[finding.reason]}`,
        finding.reason === 'no_sound' ? 'Remove `volume`, or use a clip with sound' : 'Remove it, or give it a volume',
      );
    }
    case 'sound_silent': {
      const { peak } = finding;
      const heard = peak === null ? '' : `: its largest peak is ${peak.toFixed(1)} dB`;
      return diagnostic(
        `The sound of ${editable} of ${id} is silent where it is heard, ${moment}${heard}`,
        'Check the file, choose its part with trim_start_time, or remove it',
      );
    }
    case 'sound_clipped':
      return diagnostic(
        `The sound of ${editable} of ${id} is clipped: ${finding.places} of its peaks are cut off at full scale, ${moment}`,
        'Record or export it again at a lower level: a lower volume does not bring the peaks back',
      );
    case 'sound_out_of_phase': {
      const lost = finding.correlation < -0.999 ? 'it is silent in mono' : 'most of it is lost in mono';
      return diagnostic(
        `The channels of the sound of ${editable} of ${id} are out of phase (correlation ${finding.correlation.toFixed(2)}), ${moment}: ${lost}`,
        'Invert one channel in an audio editor, or export the sound in mono',
      );
    }
    case 'level_missed': {
      const { loudness, level } = finding;
      const reached = loudness + MAX_LEVEL_GAIN;
      return diagnostic(
        `The sound of ${editable} of ${id} has ${loudness.toFixed(1)} LUFS and the level ${level}: it is raised by ${MAX_LEVEL_GAIN} dB, to ${reached.toFixed(1)}, ${moment}`,
        'Use a louder recording, or a lower level',
      );
    }
    case 'words_unheard': {
      const { lengthSeconds, wordsEndSeconds } = finding;
      return diagnostic(
        `The sound of ${editable} of ${id} lasts ${secondsText(lengthSeconds)}, and the last of its words ends at ${secondsText(wordsEndSeconds)}`,
        'Use the words of this sound, or the sound of these words',
      );
    }
    case 'mix_too_loud':
      return diagnostic(
        `The sounds of ${id} together exceed full scale by ${finding.excess.toFixed(1)} dB: limiting them is heard`,
        'Lower the volume or level of its tracks, or set loudness, which lowers the mix as a whole',
      );
    case 'loudness_missed': {
      const { integrated, target } = finding;
      const measured =
        integrated === null ? 'has no loudness: it is silent or very short' : `can have ${integrated.toFixed(1)} LUFS`;
      return diagnostic(
        `The sound of ${id} ${measured}; requested are ${target}`,
        'Lower the target of loudness, or use sounds with fewer and lower peaks',
      );
    }
    case 'media_truncated': {
      const { presentSeconds, announcedSeconds } = finding;
      const lengths = `after ${secondsText(presentSeconds)}${announcedSeconds === null ? '' : ` of ${secondsText(announcedSeconds)}`}`;
      return diagnostic(
        `The file of ${editable} of ${id} is truncated ${lengths}, ${moment}`,
        'Export it again, or copy it again',
      );
    }
  }
}

const UNUSED = {
  volume: 'its volume is 0',
  late: 'it starts after the end of the video',
  no_sound: 'the clip has a volume, but no sound',
} as const;

const LEFTOVERS = {
  escape: [
    'a line break that was not read as one',
    'Write a real line break: in YAML, put the text into double quotes',
  ],
  placeholder: ['a placeholder that was not filled in', 'Write the value'],
  entity: ['an HTML entity', 'Write the character itself'],
  markup: ['markup', 'Remove it: texts are drawn as they are written'],
  value: ['a missing value', 'Write the value, or leave the text out'],
  encoding: ['characters that were read in the wrong encoding', 'Save the file that the text comes from as UTF-8'],
} as const;

const HIDDEN = {
  never_shown: 'no frame shows its layer',
  off_frame: 'it lies outside the picture',
  covered: 'something covers it',
} as const;

/** Names a text by its editable, or by its words if it is fixed. */
function textName(editable: string | null, words: string): string {
  return editable ?? `the text ${JSON.stringify(words.slice(0, 40))}`;
}

function contrastText({ ratio }: { readonly ratio: number }): string {
  return `has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 with its background`;
}

/** Says how many captions have the defect of the first. */
function moreCaptions({ captions }: Pick<CaptionDefect, 'captions'>, verb = 'do'): string {
  return captions === 1 ? '' : `; ${captions} captions ${verb}`;
}

function pixelsText(size: number): string {
  return size.toFixed(size < 10 ? 1 : 0);
}

function secondsText(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

function share(overflow: number | null): string {
  return overflow === null ? '' : ` by ${Math.max(1, Math.round(overflow * 100))} %`;
}

/** Describes a video that could not be checked. */
export function lintFailure(reason: string, { id, at, severity }: LintTarget): Diagnostic {
  const hint =
    severity === 'error'
      ? 'apply could not render it either'
      : `reelform render ${id} shows whether it can be rendered`;
  return { code: 'lint_failed', severity, message: `${id} cannot be checked: ${reason}`, hint, at };
}
