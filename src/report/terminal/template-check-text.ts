import { createColors } from 'picocolors';
import type { TemplatePackage } from '../../template/template-package.ts';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';

/** A line about a package that can be rendered. */
export function checkedText(
  folder: string,
  { manifest, stills, spec, width, height }: TemplatePackage,
  options: { readonly color: boolean },
): string {
  const { green } = createColors(options.color);
  const counts = `${countNoun(manifest.editables.size, 'editable')}, ${countNoun(stills.length, 'still')}`;
  return `${green('✓')} ${escapeControls(folder)}  ${width} × ${height}, ${counts}  ${spec.id}\n`;
}
