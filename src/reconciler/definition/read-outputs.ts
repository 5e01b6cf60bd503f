import { OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import { OUTPUT_DEFAULTS } from '../../contract/wire/defaults.ts';
import { defaultCodec, isSoundFormat, type NamedOutput, type OutputRequest } from '../../contract/wire/output.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { child, locateIn, type MapNode, type TreeNode, toJson } from '../../kernel/yaml/tree.ts';
import { isTextPath } from './definition-file.ts';
import type { Video } from './video.ts';

/** A field of an output that the template cannot be rendered with. */
export interface OutputProblem {
  readonly field: keyof OutputRequest;
  /** A sentence without its full stop. */
  readonly message: string;
}

/** Default outputs of reelform.yaml. */
export interface DefaultOutputs {
  readonly output: OutputRequest | null;
  /** Instead of `output`. */
  readonly outputs?: readonly NamedOutput[] | null;
  /** Language of outputs with sound that have no `lang`; not named when absent. */
  readonly lang?: string | undefined;
}

/**
 * Reads `output` and `outputs` of a definition that the schema has accepted, or those of reelform.yaml.
 *
 * @param outputProblems checks an output with valid fields against the size, rate and length of the video
 */
export function readOutputs(
  root: MapNode,
  outputProblems: (output: OutputRequest) => readonly OutputProblem[],
  { output: defaultOutput, outputs = null, lang }: DefaultOutputs,
): Pick<Video, 'output' | 'outputs'> & { readonly diagnostics: readonly Diagnostic[] } {
  const output = child(root, 'output');
  const list = child(root, 'outputs');
  if (output !== null && list !== null) {
    const message = 'The definition has both "output" and "outputs"';
    const { span } = locateIn(root)(['outputs'], 'key');
    return { output: null, diagnostics: [errorAt('definition_invalid', span, message, 'Remove one of them')] };
  }
  const named = list !== null ? namedOutputs(list) : output === null ? outputs : null;
  if (named === null) {
    const written = output === null ? {} : (toJson(output, isTextPath, ['output']) as OutputRequest);
    const merged = normaliseOutput({ ...defaultOutput, ...written }, lang);
    const diagnostics = merged === null ? [] : locateProblems(outputProblems(merged), root, null);
    return { output: merged, diagnostics };
  }
  const normal = named.map(({ name, ...fields }) => ({ name, ...normaliseOutput(fields, lang) }));
  const diagnostics = normal.flatMap(({ name, ...fields }, at) => {
    const isTwice = normal.findIndex((earlier) => earlier.name.toLowerCase() === name.toLowerCase()) < at;
    const twice = { field: 'name', message: `two outputs have the name ${name}` } as const;
    return locateProblems([...outputProblems(fields), ...(isTwice ? [twice] : [])], root, at);
  });
  const [{ name: _, ...main } = { name: '' }] = normal;
  return { output: Object.keys(main).length === 0 ? null : main, outputs: normal, diagnostics };
}

/**
 * Removes the default format and codec, adds the language and orders the fields, so that equal outputs have equal fingerprints.
 *
 * @returns `null` if nothing is left
 */
function normaliseOutput(written: OutputRequest, lang: string | undefined): OutputRequest | null {
  const output = isSoundFormat(written.format ?? OUTPUT_DEFAULTS.format)
    ? { ...defined({ lang }), ...written }
    : written;
  const defaults: OutputRequest = {
    format: OUTPUT_DEFAULTS.format,
    ...defined({ codec: defaultCodec(output.format) }),
  };
  const names = Object.keys(OUTPUT_FIELDS) as (keyof OutputRequest)[];
  const kept = names.filter((name) => output[name] !== undefined && output[name] !== defaults[name]);
  return kept.length === 0 ? null : Object.fromEntries(kept.map((name) => [name, output[name]]));
}

/** @param at index in `outputs`; null for `output` */
function locateProblems(
  problems: readonly (Omit<OutputProblem, 'field'> & { readonly field: string })[],
  root: MapNode,
  at: number | null,
): Diagnostic[] {
  const property = at === null ? 'output' : 'outputs';
  const isOwn = child(root, property) !== null;
  const hint = isOwn ? undefined : `It comes from "${property}" in reelform.yaml; set a different "${property}" here`;
  const template = child(root, 'scenes') === null ? 'template' : 'scenes';
  return problems.map(({ field, message }) => {
    const path = isOwn ? [property, ...(at === null ? [] : [String(at)]), field] : [template];
    return errorAt('definition_invalid', locateIn(root)(path, 'value').span, `${property}: ${message}`, hint);
  });
}

/** Leaves out items without a name, which the schema reports. */
function namedOutputs(list: TreeNode): NamedOutput[] {
  const items = toJson(list, isTextPath, ['outputs']);
  if (!Array.isArray(items)) return [];
  return (items as unknown as NamedOutput[]).filter((item) => typeof item?.name === 'string');
}
