import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Markdown as GitHub makes HTML of it, before it takes out what it does not allow. */
export const renderMarkdown = (markdown: string): string =>
  micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });

/** Names of elements in the order in which they open and close: what a page is without its words. */
export const elementsOf = (html: string): string[] =>
  [...html.replaceAll(/<!-- -->/g, '').matchAll(/<(\/?[a-z][a-z0-9]*)[^>]*>/g)].map((match) => match[1]!);

/** Elements that have no end. */
const EMPTY = new Set(['br', 'img', 'hr']);

/**
 * What is not whole about Markdown of ours once it is rendered: elements left open or closed by others, tables that became
 * text, fences, and words cut within an entity. Empty for what is well-formed.
 */
export function brokenMarkdown(markdown: string): string[] {
  const html = renderMarkdown(markdown).replaceAll(/<!--.*?-->/gs, '');
  const broken: string[] = [];
  const open: string[] = [];
  for (const [, end, name] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (EMPTY.has(name!)) continue;
    if (end === '') open.push(name!);
    else if (open.at(-1) === name) open.pop();
    else broken.push(`</${name}> within <${open.at(-1)}>`);
  }
  broken.push(...open.map((name) => `<${name}> is never closed`));
  const tables = markdown.match(/^\|(?: ?:?--+:? ?\|?)+ ?$/gm)?.length ?? 0;
  const rendered = html.match(/<table>/g)?.length ?? 0;
  if (tables !== rendered) broken.push(`${tables} tables, ${rendered} rendered`);
  if (/<p>\|/.test(html)) broken.push('a row of a table is text');
  if (/<pre>/.test(html)) broken.push('a block of code');
  if (/&#?\w*…|&amp;#\d/.test(html)) broken.push('half an entity');
  return broken;
}
