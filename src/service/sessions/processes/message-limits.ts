import type { InputFile } from '../../../template/render-input.ts';
import type { MessageLimits } from './message-channel.ts';
import type { TaskInput, TaskKind } from './tasks.ts';

const MEGABYTE = 2 ** 20;
const TEXT_BYTES = 4 * MEGABYTE;
/** Text of a packet, at most. */
const PACKET_TEXT_BYTES = 128;
/** An animation may grow when it is written again; other files in a package keep their size. */
const INSPECTED_BYTES: Partial<Record<TaskKind, number>> = {
  source: MEGABYTE,
  length: MEGABYTE,
  keys: MEGABYTE,
  soundWaveforms: 16 * MEGABYTE,
  mixWaveform: MEGABYTE,
  font: MEGABYTE,
  package: 256 * MEGABYTE,
  bind: 256 * MEGABYTE,
};

/** Returns how many packets a task may answer with. */
const PACKETS: { readonly [Kind in TaskKind]?: (input: TaskInput<Kind>) => number } = {
  segments: ({ ranges, outputs }) => outputs.length * ranges.reduce((sum, { first, end }) => sum + end - first, 0),
};

type AnsweredFiles = Pick<MessageLimits, 'files' | 'fileBytes'>;
const NO_FILES: AnsweredFiles = { files: 0, fileBytes: 0 };
/** More than any codec needs for a pixel and its share of the sound, and for the rest of a file. */
const [BYTES_PER_PIXEL, BYTES_PER_FRAME] = [8, MEGABYTE];

/** More than an animation, its pictures, those of its clips, and half an hour of sound. */
const LOTTIE_BYTES = 1_024 * MEGABYTE;

/** Twice the samples of uncompressed sound, and more than the headers of its packets. */
const SOUND_BYTES_PER_SECOND = MEGABYTE;

/** Returns the limits of files: without them, a process could make its parent copy an endless sparse file. */
function videoFiles(
  { width, height, frameCount }: Pick<InputFile, 'width' | 'height' | 'frameCount'>,
  files = 1,
): AnsweredFiles {
  return { files, fileBytes: frameCount * (width * height * BYTES_PER_PIXEL + BYTES_PER_FRAME) };
}

/** Returns how many files a task may answer with. */
const FILES: { readonly [Kind in TaskKind]?: (input: TaskInput<Kind>) => AnsweredFiles } = {
  video: (renderInput) => videoFiles(renderInput),
  files: ({ renderInput, outputs }) => videoFiles(renderInput, outputs.length),
  join: ({ renderInput }) => videoFiles(renderInput),
  lottie: () => ({ files: 1, fileBytes: LOTTIE_BYTES }),
  sound: ({ renderInput: { frameCount, fps } }) => ({
    files: 1,
    fileBytes: Math.ceil(frameCount / fps + 1) * SOUND_BYTES_PER_SECOND,
  }),
};

/**
 * Returns the limits of the messages about a task. Texts are parsed by the thread that answers requests, so they are
 * bounded by what the task can need.
 *
 * @param memoryBytes memory limit of the process that sends them
 */
export function messageLimits<Kind extends TaskKind>(
  kind: Kind,
  input: TaskInput<Kind>,
  memoryBytes: number,
): MessageLimits {
  const packets = (PACKETS[kind] as ((input: TaskInput<Kind>) => number) | undefined)?.(input) ?? 0;
  const files = (FILES[kind] as ((input: TaskInput<Kind>) => AnsweredFiles) | undefined)?.(input) ?? NO_FILES;
  return {
    textBytes: TEXT_BYTES + packets * PACKET_TEXT_BYTES,
    attachedBytes: Math.min(memoryBytes, INSPECTED_BYTES[kind] ?? Number.POSITIVE_INFINITY),
    ...files,
  };
}

/** Maximum size of a message about progress. */
export const PROGRESS_BYTES = 1_024;
