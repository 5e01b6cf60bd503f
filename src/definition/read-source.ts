import type { Code } from '../diagnostic.ts';
import type { ScalarNode } from '../yaml/tree.ts';
import { resolvePath } from './repository-path.ts';
import type { Source } from './video.ts';

/** A source, or what no schema could say of it; `null` for another protocol, which the schema has refused. */
export type ReadSource =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string }
  | null;

/** What a text says that names a file of the repository, or something behind an http(s) URL. */
export function readSource(node: ScalarNode): ReadSource {
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
