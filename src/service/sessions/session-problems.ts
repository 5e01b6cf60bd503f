import { ServiceError } from '../../contract/service-error.ts';
import type { RenderFinding } from '../../engine/input-media.ts';
import { MAX_LEVEL_GAIN } from '../../engine/lint-finding.ts';
import { RenderError } from '../../engine/render-error.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { fileSystemError } from '../../kernel/file-system-error.ts';
import { SessionFailure, type SessionProblem, sessionProblem } from './ports.ts';
import { type FilledVideo, findValue } from './value-place.ts';

/**
 * Converts an error to problems for the owner of the session, without internals of the machine.
 *
 * @param video the session, for pointers
 */
export function sessionProblems(error: unknown, video: FilledVideo): SessionProblem[] {
  if (error instanceof AggregateError) return error.errors.flatMap((cause) => sessionProblems(cause, video));
  if (error instanceof SessionFailure) return [error.error];
  if (error instanceof RenderError) {
    const { code, message, imageName } = error;
    const retryable = code === 'render_crashed' || code === 'render_timeout';
    const problem = sessionProblem({ code, title: message, retryable });
    if (imageName === undefined) return [problem];
    const value = findValue(video, imageName);
    if (value !== null) return [{ ...problem, ...value, pointer: `${value.pointer}/source/remote_url` }];
    return [{ ...problem, detail: `${message}. It concerns ${imageName} of the template` }];
  }
  const full = fileSystemError(error);
  if (full?.code === 'disk_full') {
    const { code, message: title, hint } = full;
    return [sessionProblem({ code, title, detail: `${title}. ${hint}` })];
  }
  if (error instanceof ReelformError) {
    const detail = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    return [sessionProblem({ code: error.code, title: error.message, detail })];
  }
  if (error instanceof ServiceError) {
    return [sessionProblem({ code: 'template_invalid', title: error.message })];
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (typeof (error as NodeJS.ErrnoException).syscall === 'string') {
    const title = 'The file system rejected the operation';
    return [sessionProblem({ code: 'storage_failed', title, detail, retryable: true })];
  }
  return [sessionProblem({ code: 'internal', title: 'Internal error', detail })];
}

/** Maximum number of warnings in a session. */
const MAX_WARNINGS = 100;
const MAX_CHARACTERS = 20;

/** Converts visible defects to warnings of the session. */
export function renderingWarnings(findings: readonly RenderFinding[], video: FilledVideo): SessionProblem[] {
  return findings.slice(0, MAX_WARNINGS).map((finding) => {
    const { editable } = finding;
    return {
      code: finding.code,
      ...wordsOf(finding),
      ...(editable === null ? {} : { editable, ...pointedValue(finding, editable, video) }),
      severity: 'warning',
      retryable: false,
    };
  });
}

/** Points into the request; nothing for parts of a template itself. */
function pointedValue({ code }: RenderFinding, name: string, video: FilledVideo): Partial<SessionProblem> {
  const value = findValue(video, name);
  const isText = code === 'glyph_missing' || code === 'text_overflow';
  return value === null ? {} : { ...value, pointer: `${value.pointer}/source/${isText ? 'text' : 'remote_url'}` };
}

const UNUSED = {
  volume: 'Its volume is 0',
  late: 'It starts after the end of the video',
  no_sound: 'The clip has a volume, but no sound',
} as const;

function wordsOf(finding: RenderFinding): Pick<SessionProblem, 'title' | 'detail'> {
  switch (finding.code) {
    case 'text_overflow': {
      const detail = `The text is ${Math.ceil(finding.overflow * 100)} % larger than its box`;
      return { title: 'A text does not fit into its box', detail };
    }
    case 'glyph_missing': {
      const { characters, font } = finding;
      const firstCharacters = characters.slice(0, MAX_CHARACTERS).join(' ');
      const more = characters.length > MAX_CHARACTERS ? ` and ${characters.length - MAX_CHARACTERS} more` : '';
      const detail = `Neither ${font} nor a fallback font of the template contains ${firstCharacters}${more}`;
      return { title: 'A text has characters that no font contains', detail };
    }
    case 'loudness_missed': {
      const { integrated, target, output } = finding;
      const sound = output === undefined ? 'The finished sound' : `The finished sound of output ${output}`;
      const measured =
        integrated === null ? 'has no loudness: it is silent or very short' : `has ${integrated.toFixed(1)} LUFS`;
      return {
        title: 'The sound does not have the requested loudness',
        detail: `${sound} ${measured}; requested are ${target} LUFS`,
      };
    }
    case 'clip_ends_early': {
      const { freezesAtSeconds, lengthSeconds, neededSeconds } = finding;
      const lengths = `${lengthSeconds.toFixed(1)} s of the ${neededSeconds.toFixed(1)} s for which it is shown`;
      const detail = `The clip has ${lengths}; from ${freezesAtSeconds.toFixed(1)} s its last frame is shown`;
      return { title: 'A clip ends before the layer that shows it', detail };
    }
    case 'clip_cut':
    case 'sound_cut': {
      const { code, lengthSeconds, playedSeconds } = finding;
      const what = code === 'clip_cut' ? 'clip' : 'sound';
      const detail = `The ${what} lasts ${lengthSeconds.toFixed(1)} s, and ${playedSeconds.toFixed(1)} s of it are played`;
      return { title: `The end of a ${what} is cut off`, detail };
    }
    case 'sound_unused':
      return { title: 'A sound adds nothing to the video', detail: UNUSED[finding.reason] };
    case 'level_missed': {
      const { loudness, level } = finding;
      const detail = `The sound has ${loudness.toFixed(1)} LUFS; its level is ${level} LUFS, and a level raises a sound by ${MAX_LEVEL_GAIN} dB at most`;
      return { title: 'A sound is too quiet for its level', detail };
    }
    case 'words_unheard': {
      const { lengthSeconds, wordsEndSeconds } = finding;
      const detail = `The sound lasts ${lengthSeconds.toFixed(1)} s, and its last word ends at ${wordsEndSeconds.toFixed(1)} s`;
      return { title: 'A sound ends before its words', detail };
    }
    case 'media_truncated': {
      const { presentSeconds, announcedSeconds } = finding;
      const announced = announcedSeconds === null ? '' : ` instead of the declared ${announcedSeconds.toFixed(1)} s`;
      const detail = `The file ends after ${presentSeconds.toFixed(1)} s${announced}`;
      return { title: 'The file of a clip or sound is truncated', detail };
    }
  }
}
