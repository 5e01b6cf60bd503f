import { checkMapping, type MappingProblem } from '../template/bind/check-mapping.ts';
import type { Resource } from '../wire/mapping.ts';
import type { RequestProblem } from '../wire/problem.ts';
import type { ChangeRenderSession, RenderSession } from '../wire/render-session.ts';
import type { StyleVersion } from '../wire/style-version.ts';

/** The mapping of a draft after a change, all that is wrong with it, and what it still leaves unfilled. */
export interface ChangedMapping {
  /** Only of use where there is no mistake. */
  readonly mapping: RenderSession['mapping'];
  readonly mistakes: RequestProblem[];
  readonly missing: MappingProblem[];
}

/** Applies a change to the mapping of a draft, key by key. */
export function changeMapping(
  before: RenderSession['mapping'],
  change: ChangeRenderSession['mapping'],
  spec: StyleVersion,
): ChangedMapping {
  const { template_style_version_id: id } = before;
  const mapping = mergeMapping(before, change, spec);
  const { mistakes, missing } = sortProblems(checkMapping(mapping, spec));
  if ((change.template_style_version_id ?? id) !== id) {
    const pointer = '#/mapping/template_style_version_id';
    const detail = `the draft keeps its style version ${id}`;
    return { mapping, mistakes: [{ code: 'style_version_fixed', pointer, detail }, ...mistakes], missing };
  }
  if (mistakes.length > 0) return { mapping, mistakes, missing };
  return { mapping: { ...mapping, resources: withPlainColors(mapping.resources, spec) }, mistakes, missing };
}

/** Separates what a draft may leave for later from mistakes. */
export function sortProblems(problems: readonly MappingProblem[]): {
  readonly mistakes: MappingProblem[];
  readonly missing: MappingProblem[];
} {
  const isMissing = ({ code }: MappingProblem): boolean => code === 'missing_editable';
  return { mistakes: problems.filter((one) => !isMissing(one)), missing: problems.filter(isMissing) };
}

/** Colours are kept without `#`, however they came. */
export function withPlainColors(resources: Record<string, Resource>, spec: StyleVersion): Record<string, Resource> {
  const plain = Object.entries(resources).map(([key, resource]): [string, Resource] => {
    const { source } = resource;
    if (spec.editables[key]?.input_type !== 'color' || !('text' in source)) return [key, resource];
    return [key, { source: { text: source.text.replace(/^#/, '') } }];
  });
  return Object.fromEntries(plain);
}

/** Null stays for keys that the template does not have, so that they are reported as any other entry. */
function mergeMapping(
  { resources, audio_tracks = {}, font_changes = {}, ...rest }: RenderSession['mapping'],
  change: ChangeRenderSession['mapping'],
  spec: StyleVersion,
): RenderSession['mapping'] {
  const { editables, fonts } = spec;
  return {
    ...rest,
    resources: merge(resources, change.resources, (key) => Object.hasOwn(editables, key)),
    audio_tracks: merge(audio_tracks, change.audio_tracks, () => true),
    font_changes: merge(font_changes, change.font_changes, (name) => fonts.includes(name)),
  };
}

function merge<T>(
  before: Readonly<Record<string, T>>,
  change: Readonly<Record<string, T | null>> = {},
  isKnown: (key: string) => boolean,
): Record<string, T> {
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || !isKnown(key))) as Record<string, T>;
}
