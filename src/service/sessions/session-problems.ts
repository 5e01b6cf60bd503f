import { ServiceError } from '../../contract/service-error.ts';
import type { Mapping } from '../../contract/wire/mapping.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { RenderFinding } from '../../engine/input-media.ts';
import { RenderError } from '../../engine/render-error.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { fileSystemError } from '../../kernel/file-system-error.ts';
import { jsonPointer } from '../../kernel/json.ts';
import { sourcePointer } from '../../template/bind/check-mapping.ts';
import { SessionFailure, type SessionProblem, sessionProblem } from './ports.ts';

/** The keys that a mapping fills. */
interface FilledKeys {
  readonly resources: object;
  readonly audio_tracks?: object | undefined;
}

/**
 * Converts an error to problems for the owner of the session, without internals of the machine.
 *
 * @param mapping of the session, for pointers
 */
export function sessionProblems(error: unknown, mapping: FilledKeys): SessionProblem[] {
  if (error instanceof AggregateError) return error.errors.flatMap((cause) => sessionProblems(cause, mapping));
  if (error instanceof SessionFailure) return [error.error];
  if (error instanceof RenderError) {
    const { code, message, imageName } = error;
    const retryable = code === 'render_crashed' || code === 'render_timeout';
    const problem = sessionProblem({ code, title: message, retryable });
    if (imageName === undefined) return [problem];
    if (isFilled(imageName, mapping)) return [{ ...problem, editable: imageName, pointer: sourcePointer(imageName) }];
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

/** Reports whether the mapping fills a name, as opposed to a file of the template. */
function isFilled(name: string, { resources, audio_tracks = {} }: FilledKeys): boolean {
  return Object.hasOwn(resources, name) || Object.keys(audio_tracks).some((track) => trackKey(track) === name);
}

/** Maximum number of warnings in a session. */
const MAX_WARNINGS = 100;
const MAX_CHARACTERS = 20;

/** Converts visible defects to warnings of the session. */
export function renderingWarnings(
  findings: readonly RenderFinding[],
  { resources, audio_tracks = {} }: Pick<Mapping, 'resources' | 'audio_tracks'>,
): SessionProblem[] {
  return findings.slice(0, MAX_WARNINGS).map((finding) => {
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

/** Points into the mapping; nothing for parts of the template itself. */
function pointerOf({ code, editable }: RenderFinding, filled: FilledKeys): Pick<SessionProblem, 'pointer'> {
  if (editable === null || !isFilled(editable, filled)) return {};
  const isText = code === 'glyph_missing' || code === 'text_overflow';
  return { pointer: isText ? `#/mapping/resources${jsonPointer([editable])}/source/text` : sourcePointer(editable) };
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
    case 'media_truncated': {
      const { presentSeconds, announcedSeconds } = finding;
      const announced = announcedSeconds === null ? '' : ` instead of the declared ${announcedSeconds.toFixed(1)} s`;
      const detail = `The file ends after ${presentSeconds.toFixed(1)} s${announced}`;
      return { title: 'The file of a clip or sound is truncated', detail };
    }
  }
}
