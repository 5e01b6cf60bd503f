import type { Span } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';
import { parseYaml } from './parse-yaml.ts';
import type { TreeNode } from './tree.ts';

/** A user and a password before a host. */
const USER_OF_URL = /:\/\/([^\s/@"']*)@/g;
/** Properties of credentials that may appear in a code frame. All other properties are masked, because users put secrets there by mistake. */
const SHOWN = ['kind', 'allow', 'public_url', 'tenants', 'endpoint', 'region', 'path_style'];

/** Replaces the spans, and users and passwords in URLs, by `*`. Keeps the length of the text. */
export function maskText(text: string, spans: readonly Pick<Span, 'start' | 'end'>[]): string {
  const users = [...text.matchAll(USER_OF_URL)].map(({ index, 1: user = '' }) => ({
    start: index + '://'.length,
    end: index + '://'.length + user.length,
  }));
  return [...spans, ...users].reduce(
    (shown, { start, end }) =>
      shown.slice(0, start) + shown.slice(start, end).replaceAll(/[^\n]/g, '*') + shown.slice(end),
    text,
  );
}

/** Returns the spans of possible secrets in a settings file: the values under `credentials`, even if that key is misspelt. */
export function secretSpans(root: TreeNode): Span[] {
  if (root.kind !== 'map') return [];
  return [...root.entries].flatMap(([name, { value }]) => {
    if (closestMatch(name, ['credentials']) === null) return [];
    if (value.kind !== 'map') return [value.span];
    return [...value.entries.values()].flatMap(({ value: credential }) =>
      credential.kind === 'map'
        ? [...credential.entries]
            .filter(([property]) => !SHOWN.includes(property))
            .map(([, property]) => property.value.span)
        : [credential.span],
    );
  });
}

/** Masks the secrets in the text of reelform.yaml, for code frames; undefined if the text cannot be parsed to find them. */
export function redactConfig(name: string, text: string): string | undefined {
  if (!/credent|:\/\/[^\s/]*@/i.test(text)) return text;
  const parsed = parseYaml(name, text);
  if (!parsed.ok) return undefined;
  return maskText(text, parsed.value === null ? [] : secretSpans(parsed.value));
}
