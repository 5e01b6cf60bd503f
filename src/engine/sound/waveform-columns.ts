/** Columns of equal length that a video is divided into: about the pixels of a wide timeline. */
export const WAVEFORM_COLUMNS = 2_000;

/** Values of the curve of a waveform in a decibel. */
export const CURVE_STEPS = 4;

/** Returns the column of a sample of a video. @param total samples of the video */
export function columnOf(sample: number, total: number): number {
  return Math.floor((sample * WAVEFORM_COLUMNS) / total);
}

/** Returns the first sample of a column. The columns of a video of few samples may be empty. */
export function columnStart(column: number, total: number): number {
  return Math.ceil((column * total) / WAVEFORM_COLUMNS);
}
