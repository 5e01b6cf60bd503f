import { createColors } from 'picocolors';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';

/** A package that became one file. */
export interface PackedTemplate {
  readonly file: string;
  readonly bytes: number;
  /** Of the package. */
  readonly files: number;
  readonly style_version: string;
}

/** A line about it. */
export function packedText({ file, bytes, files, style_version }: PackedTemplate, options: { color: boolean }): string {
  const { green } = createColors(options.color);
  const size = `${Math.max(1, Math.round(bytes / 1000))} kB`;
  return `${green('✓')} ${escapeControls(file)}  ${countNoun(files, 'file')}, ${size}  ${style_version}\n`;
}
