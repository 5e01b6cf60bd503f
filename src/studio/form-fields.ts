import { posix } from 'node:path';
import type { Editable, StyleVersion } from '../contract/wire/style-version.ts';
import type { Span } from '../kernel/diagnostic.ts';
import { child, type MapNode, type ScalarNode, type TreeNode, textOf, toJson } from '../kernel/yaml/tree.ts';
import { transformFields } from '../reconciler/definition/read-resource.ts';
import type { Video, VideoResource } from '../reconciler/definition/video.ts';
import type { Project } from '../reconciler/project/load-project.ts';
import { textPosition } from '../report/json/diagnostics-json.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import { writtenScene } from './definition-tree.ts';
import { cellFinder, isOfRow } from './field-cells.ts';
import type { LoadedRepository } from './ports.ts';
import type { PreviewProblem } from './problem-protocol.ts';
import type { FieldKind, FormField, SourcePosition, VideoCard } from './protocol.ts';

/** Frames of the page's picture that show the stillcuts of a scene. */
export type SceneFrames = (scene: string, stillcut: string) => number;

/** A scene whose editables a form has. Values that `resources` lacks are as they are written. */
type FormScene = Pick<Video['scenes'][number], 'id' | 'template' | 'resources'>;

/**
 * Returns the scenes of a definition with errors, without values: those of its last valid content, or else of its template or list.
 *
 * @param former the last valid content
 */
export function writtenScenes(
  former: Pick<Video, 'scenes'> | null,
  card: Pick<VideoCard, 'template'>,
  tree: MapNode | null,
): FormScene[] {
  const resources = new Map<string, VideoResource>();
  if (former !== null) return former.scenes.map(({ id, template }) => ({ id, template, resources }));
  const list = child(tree, 'scenes');
  if (list?.kind !== 'list')
    return [{ id: '', template: card.template || (textOf(child(tree, 'template')) ?? ''), resources }];
  return list.items.map((node) => {
    const template = textOf(child(node, 'template')) ?? '';
    return { id: textOf(child(node, 'id')) ?? template, template, resources };
  });
}

/** Returns the editables of a video's templates with their values in the definition. */
export function formFields(
  card: Pick<VideoCard, 'id' | 'path' | 'problems'>,
  scenes: readonly FormScene[],
  tree: MapNode | null,
  loaded: LoadedRepository,
  frameOf: SceneFrames,
): FormField[] {
  const { project } = loaded;
  const hasRow = child(tree, 'each') !== null;
  const cellOf = cellFinder(card, tree, loaded);
  const problemsAt = problemFinder(card.problems, project);
  return scenes.flatMap((scene) => {
    const template = project.templates.get(scene.template);
    if (template === undefined) return [];
    const written = scenes.length === 1 && child(tree, 'scenes') === null ? null : writtenScene(scene.id, tree);
    const place = written === null ? [] : ['scenes', String(written.index)];
    const shared = child(tree, 'resources');
    return fillable(template.spec).map(([key, editable]): FormField => {
      const own = written === null ? null : child(child(written.node, 'resources'), key);
      const node = own ?? child(shared, key);
      const value = node === null ? null : valueNode(node);
      const resource = scene.resources.get(key);
      const isFilled = (hasRow || written?.isEach === true) && value?.text.includes('${') === true;
      const found = isFilled
        ? cellOf({ scene: scene.id, node: written?.node ?? null, key, text: value?.text ?? '' })
        : null;
      const at = found?.span ?? (value ?? node)?.span ?? null;
      return {
        ...fieldOf(key, editable, template.spec, template.package, frameOf(scene.id, editable.stillcut)),
        scene: scenes.length === 1 ? null : scene.id,
        path: found?.path ?? (own === null && node !== null ? ['resources', key] : [...place, 'resources', key]),
        value: resource === undefined ? (value?.text ?? null) : inputText(resource),
        transform: writtenTransform(node),
        origin: {
          kind: node === null ? 'none' : isFilled ? 'row' : node.span.file === card.path ? 'own' : 'fragment',
          at: at && positionOf(at, project),
        },
        cell: found?.cell ?? null,
        isEditable: !isFilled || (found !== null && (found.cell !== null || found.path !== null)),
        problems: node === null ? [] : problemsAt(node.span).filter((problem) => isOfRow(problem, found?.row ?? null)),
      };
    });
  });
}

type FieldEditable = Editable & { readonly input_type: FieldKind };

/** Returns the editables that have values. */
function fillable({ editables }: StyleVersion): [key: string, editable: FieldEditable][] {
  return Object.entries(editables).flatMap(([key, { input_type: kind, ...editable }]) =>
    kind === 'captions' ? [] : [[key, { ...editable, input_type: kind }]],
  );
}

/** Returns the editables of a template, filled with its values. */
export function templateFields(spec: StyleVersion, templatePackage: TemplatePackage | null): FormField[] {
  const frames = framesOf(templatePackage);
  return fillable(spec).map(([key, editable]) => {
    const field = fieldOf(key, editable, spec, templatePackage, frames.get(editable.stillcut) ?? 0);
    const place = { scene: null, path: ['resources', key] };
    return {
      ...field,
      ...place,
      value: field.example,
      transform: {},
      origin: { kind: 'none', at: null },
      cell: null,
      isEditable: true,
      problems: [],
    };
  });
}

function fieldOf(
  key: string,
  { input_type: kind, label, required, max_length, width, height, allowed_fonts, example_text }: FieldEditable,
  { fonts, available_fonts }: StyleVersion,
  templatePackage: TemplatePackage | null,
  frame: number,
): Omit<FormField, 'scene' | 'path' | 'value' | 'transform' | 'origin' | 'cell' | 'isEditable' | 'problems'> {
  return {
    key,
    label: label ?? key,
    kind,
    isRequired: required !== false,
    maxLength: max_length ?? null,
    width: width ?? null,
    height: height ?? null,
    fonts: kind === 'font' ? (allowed_fonts ?? available_fonts ?? fonts) : [],
    frame,
    example:
      kind === 'color' && example_text !== undefined
        ? `#${example_text}`
        : (example_text ?? mediaPath(key, templatePackage)),
  };
}

/** Returns the file of the template for an editable, repository-relative; null if it has none. */
export function mediaPath(key: string, templatePackage: TemplatePackage | null): string | null {
  if (templatePackage === null) return null;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const files = [...templatePackage.images.values(), ...templatePackage.sounds.values()];
  const file = files.find(({ path }) => posix.basename(path) === name);
  return file === undefined ? null : posix.join(templatePackage.folder, file.path);
}

function framesOf(templatePackage: TemplatePackage | null): Map<string, number> {
  if (templatePackage === null) return new Map();
  const { stills } = templatePackage;
  return new Map(stills.map(({ name, frame }) => [name, frame]));
}

function inputText(resource: VideoResource): string {
  switch (resource.kind) {
    case 'text':
      return resource.text;
    case 'color':
      return `#${resource.color}`;
    case 'font':
      return resource.font;
    default:
      return resource.source.kind === 'file' ? resource.source.path : resource.source.url;
  }
}

/** Returns the scalar with the value of an editable, in the short form or in a longer form. */
function valueNode(node: TreeNode): ScalarNode | null {
  if (node.kind === 'scalar') return node;
  const source = child(node, 'source');
  if (source?.kind === 'scalar') return source;
  const inner = source?.kind === 'map' ? [...source.entries.values()][0]?.value : undefined;
  return inner?.kind === 'scalar' ? inner : null;
}

/** Returns the transform of a resource as it is written, beside its source or in `transform`. */
export function writtenTransform(node: TreeNode | null): FormField['transform'] {
  const fields = transformFields(node);
  const json = fields?.kind === 'map' ? toJson(fields, (path) => path[0] === 'background') : {};
  return json as FormField['transform'];
}

function positionOf(span: Span, { source }: Pick<Project, 'source'>): SourcePosition | null {
  const text = source(span.file);
  return text === undefined ? null : { path: span.file, ...textPosition(text, span.start) };
}

/** Returns a function that finds the problems that begin in a part of a file. */
export function problemFinder(
  problems: readonly PreviewProblem[],
  { source }: Pick<Project, 'source'>,
): (span: Span) => PreviewProblem[] {
  return ({ file, start, end }) => {
    const inFile = problems.filter((problem) => problem.file === file);
    const text = inFile.length === 0 ? undefined : source(file);
    if (text === undefined) return [];
    const [from, to] = [textPosition(text, start), textPosition(text, Math.max(start + 1, end))];
    return inFile.filter(({ line, column }) => {
      const isAfter = (line ?? 0) > from.line || (line === from.line && (column ?? 0) >= from.column);
      return isAfter && ((line ?? 0) < to.line || (line === to.line && (column ?? 0) < to.column));
    });
  };
}
