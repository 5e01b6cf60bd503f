import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/** Renders Markdown to HTML as GitHub does before it sanitises it. */
export const renderMarkdown = (markdown: string): string =>
  micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });

/**
 * Returns the names of elements in the order in which they open and close: the structure of a page without its words.
 */
export const elementsOf = (html: string): string[] =>
  [...html.replaceAll(/<!-- -->/g, '').matchAll(/<(\/?[a-z][a-z0-9]*)[^>]*>/g)].map((match) => match[1]!);

/** Void elements. */
const EMPTY = new Set(['br', 'img', 'hr']);

/**
 * Returns the defects of Markdown after rendering: elements that are unclosed or closed by others, tables that became
 * text, code fences, and words cut within an entity. Empty for well-formed Markdown.
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
