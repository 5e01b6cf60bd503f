import type { Code } from '../diagnostic.ts';
import type { Editable, Transform } from '../service/wire.ts';
import { child, type ScalarNode, type TreeNode, textOf, toJson } from '../yaml/tree.ts';
import { resolvePath } from './repository-path.ts';
import type { Source, VideoResource } from './video.ts';

/** A resource, or what no schema could say of it; `null` for a form that the schema has refused already. */
export type ReadResource =
  | { readonly ok: true; readonly resource: VideoResource; readonly node: TreeNode }
  | {
      readonly ok: false;
      readonly code: Code;
      readonly message: string;
      readonly hint: string;
      readonly node: ScalarNode;
    }
  | null;

/** The value that a definition gives to one editable, from its short form or from the interface's full form. */
export function readResource(node: TreeNode, editable: Editable): ReadResource {
  switch (editable.input_type) {
    case 'text': {
      const text = textOf(sourceNode(node, 'text'));
      return text === null ? null : { ok: true, node, resource: { kind: 'text', text } };
    }
    case 'color': {
      const color = parseHexColor(textOf(sourceNode(node, 'text')) ?? '');
      return color === null ? null : { ok: true, node, resource: { kind: 'color', color } };
    }
    case 'image':
      return readImage(node);
    case 'video':
    case 'font':
    case 'audio':
      return null;
  }
}

/** `#EEADA7` or `eeada7ff` → 6 or 8 upper-case digits; `null` for anything else. */
function parseHexColor(text: string): string | null {
  return /^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? text.replace('#', '').toUpperCase() : null;
}

function sourceNode(node: TreeNode, field: 'text' | 'remote_url'): TreeNode | null {
  return node.kind === 'map' ? child(child(node, 'source'), field) : node;
}

function readImage(node: TreeNode): ReadResource {
  const written = sourceNode(node, 'remote_url');
  if (written?.kind !== 'scalar' || written.value === null) return null;
  const source = readSource(written);
  if (source === null) return null;
  if (!source.ok) return { ...source, node: written };
  const transform = readTransform(child(node, 'transform'));
  if (transform === null) return null;
  return { ok: true, node: written, resource: { kind: 'image', source: source.source, transform } };
}

type ReadSource =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string }
  /** Another protocol, which the schema has refused. */
  | null;

function readSource(node: ScalarNode): ReadSource {
  const { text } = node;
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) {
    const resolved = resolvePath(text, node.saidBy);
    return resolved.ok ? { ok: true, source: { kind: 'file', path: resolved.path } } : resolved;
  }
  const invalid = (message: string, hint: string): ReadSource => ({ ok: false, code: 'invalid_url', message, hint });
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null)
    return invalid('The text is not a URL that could be fetched', 'Write https://host/path, without spaces');
  if (url.username !== '' || url.password !== '') {
    return invalid('The URL holds a user name or a password', 'Use a signed URL, or a file in the repository');
  }
  return /^https?:$/.test(url.protocol) ? { ok: true, source: { kind: 'url', url: text } } : null;
}

function readTransform(node: TreeNode | null): Transform | null {
  if (node === null) return { crop_strategy: 'cover' };
  if (node.kind !== 'map') return null;
  const written = toJson(node, (path) => path[0] === 'background') as Transform;
  const transform: Transform = { crop_strategy: 'cover', ...written };
  if (written.background === undefined) return transform;
  const background = parseHexColor(String(written.background));
  return background === null ? null : { ...transform, background };
}
