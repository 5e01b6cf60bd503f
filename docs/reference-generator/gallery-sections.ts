import { join } from 'node:path';
import type { Place } from '../../src/contract/timeline/place.ts';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { templateLengths } from '../../src/template/package-timing.ts';
import { table } from './markdown.ts';

/** The section about lengths of the templates of the gallery, from their packages. */
export async function gallerySections(root: string): Promise<Map<string, string>> {
  const { templates } = await loadProject({ cwd: join(root, 'gallery') });
  const rows = [...templates].flatMap(([name, { package: template }]) => {
    // Those of a showcase are below a folder, and not offered by `template add`.
    if (template?.folder.includes('/')) return [];
    const lengths = template === null ? null : templateLengths(template);
    if (template === null || lengths === null) return [];
    const { fps, frameCount, spec } = template;
    const seconds = (frames: number): string => String(Number((frames / fps).toFixed(2)));
    const possible =
      lengths.maxSeconds === null
        ? `${lengths.minSeconds} s or longer`
        : `${lengths.minSeconds} to ${lengths.maxSeconds} s`;
    const places = spec.timing!.map((place) => placeText(place, seconds)).join('; ');
    return [[`[${name}](#${name})`, `${seconds(frameCount)} s`, possible, places]];
  });
  return new Map([['gallery/lengths', table(['template', 'as designed', 'possible', 'places'], rows)]]);
}

function placeText(place: Place, seconds: (frames: number) => string): string {
  if ('hold' in place) {
    const limit = place.max === undefined ? 'for any time' : `for up to ${seconds(place.max)} s`;
    return `holds the picture at ${seconds(place.hold)} s ${limit}`;
  }
  const [verb, [from, to]] = 'loop' in place ? ['repeats', place.loop] : ['plays', place.stretch];
  const shortest = ('min' in place ? place.min : undefined) ?? to - from;
  const limits =
    place.max === undefined ? `${seconds(shortest)} s or longer` : `${seconds(shortest)} to ${seconds(place.max)} s`;
  return `${verb} ${seconds(from)} to ${seconds(to)} s in ${limits}`;
}
