import { posix } from 'node:path';
import type { Editable, StyleVersion } from '../contract/wire/style-version.ts';
import { child, type MapNode, type ScalarNode, type TreeNode, textOf, toJson } from '../kernel/yaml/tree.ts';
import { readDefinitionFile } from '../reconciler/definition/definition-file.ts';
import { extend } from '../reconciler/definition/extend.ts';
import { transformFields } from '../reconciler/definition/read-resource.ts';
import type { Video, VideoResource } from '../reconciler/definition/video.ts';
import type { Project } from '../reconciler/project/load-project.ts';
import { textPosition } from '../report/json/diagnostics-json.ts';
import type { TemplatePackage } from '../template/template-package.ts';
import type { FormField, RowReference, SourcePosition, VideoCard } from './protocol.ts';
import type { WrittenScene } from './timeline-protocol.ts';

/** Frames of the page's picture that show the stillcuts of a scene. */
export type SceneFrames = (scene: string, stillcut: string) => number;

/** Returns the editables of a video's templates with their values in the definition. */
export function formFields(
  card: Pick<VideoCard, 'path' | 'template'>,
  video: Video | null,
  tree: MapNode | null,
  row: RowReference | null,
  project: Project,
  frameOf: SceneFrames,
): FormField[] {
  const scenes = video?.scenes ?? [
    { id: '', template: card.template || (textOf(child(tree, 'template')) ?? ''), resources: new Map() },
  ];
  return scenes.flatMap((scene) => {
    const template = project.templates.get(scene.template);
    if (template === undefined) return [];
    const written = scenes.length === 1 && child(tree, 'scenes') === null ? null : writtenScene(scene.id, tree);
    const at = written === null ? [] : ['scenes', String(written.index)];
    const shared = child(tree, 'resources');
    return Object.entries(template.spec.editables).map(([key, editable]): FormField => {
      const own = written === null ? null : child(child(written.node, 'resources'), key);
      const node = own ?? child(shared, key);
      const value = node === null ? null : valueNode(node);
      const resource = scene.resources.get(key);
      const isFilled = (row !== null || written?.isEach === true) && value?.text.includes('${') === true;
      const column = /^\$\{\s*([^{}]+?)\s*\}$/.exec(value?.text ?? '')?.[1] ?? null;
      return {
        ...fieldOf(key, editable, template.spec, template.package, frameOf(scene.id, editable.stillcut)),
        scene: scenes.length === 1 ? null : scene.id,
        path: own === null && node !== null ? ['resources', key] : [...at, 'resources', key],
        value: resource === undefined ? (value?.text ?? null) : inputText(resource),
        transform: writtenTransform(node),
        origin: {
          kind: node === null ? 'none' : isFilled ? 'row' : node.span.file === card.path ? 'own' : 'fragment',
          at: node === null ? null : positionOf(value ?? node, project),
        },
        // Rows of a scene are edited in their file.
        column: isFilled && written?.isEach !== true ? column : null,
      };
    });
  });
}

/** Returns the editables of a template, filled with its values. */
export function templateFields(spec: StyleVersion, templatePackage: TemplatePackage | null): FormField[] {
  const frames = framesOf(templatePackage);
  return Object.entries(spec.editables).map(([key, editable]) => {
    const field = fieldOf(key, editable, spec, templatePackage, frames.get(editable.stillcut) ?? 0);
    const place = { scene: null, path: ['resources', key] };
    return {
      ...field,
      ...place,
      value: field.example,
      transform: {},
      origin: { kind: 'none', at: null },
      column: null,
    };
  });
}

function fieldOf(
  key: string,
  { input_type: kind, label, required, max_length, width, height, allowed_fonts, example_text }: Editable,
  { fonts, available_fonts }: StyleVersion,
  templatePackage: TemplatePackage | null,
  frame: number,
): Omit<FormField, 'scene' | 'path' | 'value' | 'transform' | 'origin' | 'column'> {
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

function positionOf({ span }: TreeNode, { source }: Pick<Project, 'source'>): SourcePosition | null {
  const text = source(span.file);
  return text === undefined ? null : { path: span.file, ...textPosition(text, span.start) };
}

/** A scene as a definition has it, with its index in the list. */
interface WrittenNode extends WrittenScene {
  readonly node: TreeNode;
}

/** Finds the written form of a scene, which may stand for rows; null if there is none. */
export function writtenScene(id: string, tree: MapNode | null): WrittenNode | null {
  const list = child(tree, 'scenes');
  if (list?.kind !== 'list') return null;
  for (const [index, node] of list.items.entries()) {
    const name = textOf(child(node, 'id')) ?? textOf(child(node, 'template')) ?? '';
    const isEach = child(node, 'each') !== null;
    if (isEach ? id.startsWith(`${name}/`) : id === name) return { index, isEach, node };
  }
  return null;
}

/** Parses a definition and merges it with its fragments, as far as they can be parsed. Values keep the name of their file. */
export function definitionTree(path: string, { source }: Pick<Project, 'source'>): MapNode | null {
  const load = (file: string) => {
    const text = source(file);
    return text === undefined ? null : readDefinitionFile(file, { ok: true, text }, () => []);
  };
  return extend(path, load)?.root ?? load(path)?.root ?? null;
}
