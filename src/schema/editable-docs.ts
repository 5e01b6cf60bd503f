import type { Json } from '../digest.ts';
import type { Editable } from '../service/wire.ts';
import type { JsonSchema } from './json-schema.ts';

/** What an editor shows of an editable: its label, what it takes, an example, the still that shows it. */
export function editableDocs(key: string, editable: Editable): JsonSchema {
  const { label } = editable;
  const facts = factsOf(editable);
  const heading = label === undefined ? '' : `**${inMarkdown(label)}**\n\n`;
  return {
    title: label ?? key,
    description: `${[...(label === undefined ? [] : [label]), ...facts].join('. ')}.`,
    markdownDescription: `${heading}${facts.map((fact) => `- ${inMarkdown(fact)}`).join('\n')}`,
    ...proposalsOf(editable),
  };
}

function proposalsOf(editable: Editable): JsonSchema {
  const examples = exampleOf(editable);
  if (editable.input_type === 'image') return { examples, defaultSnippets: IMAGE_SNIPPETS };
  if (editable.input_type !== 'color') return { examples };
  // As an example, an editor would complete it without the quotes that a # needs.
  return { defaultSnippets: examples.map((color) => ({ label: String(color), body: quoted(color) })) };
}

const IMAGE_SNIPPETS = [
  { label: 'a file', body: './images/${1:image.jpg}' },
  {
    label: 'with a transform',
    body: { source: { remote_url: './images/${1:image.jpg}' }, transform: { crop_strategy: 'contain' } },
  },
];

function factsOf(editable: Editable): string[] {
  const { input_type: kind, max_length: maxLength, width, height, example_text: example } = editable;
  const size = width === undefined || height === undefined ? '' : `, ${width} × ${height} pixels`;
  return [
    `${kind[0]?.toUpperCase()}${kind.slice(1)}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}${size}`,
    ...(example === undefined ? [] : [`Example: ${kind === 'color' ? `#${example.replace(/^#/, '')}` : example}`]),
    `Seen in the still “${editable.stillcut}”`,
    ...(editable.required === false ? ['Optional: without it the template shows its own'] : []),
  ];
}

/** A text that stays in quotes when an editor writes it. */
export function quoted(text: Json): string {
  return `"${String(text)}"`;
}

/** What could fill the editable, as one writes it in a definition: one value, or none where the template shows none. */
export function exampleOf(editable: Editable): Json[] {
  const { input_type: kind, example_text: example } = editable;
  if (kind === 'image') return ['./images/image.jpg'];
  if (example === undefined) return [];
  return [kind === 'color' ? `#${example.replace(/^#/, '')}` : example];
}

/** Labels and examples come from a service: shown as they are, never as a link or an image. */
function inMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>()#!|~]/g, '\\$&');
}
