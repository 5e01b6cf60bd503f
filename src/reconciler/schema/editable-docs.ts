import { kindFacts } from '../../contract/fields/editable-kinds.ts';
import type { Editable } from '../../contract/wire/style-version.ts';
import type { Json } from '../../kernel/digest.ts';
import type { JsonSchema } from '../../kernel/json-schema/json-schema.ts';

/**
 * Returns the documentation of an editable for editors: its label, limits, an example and its still.
 *
 * @param fonts of the template
 */
export function editableDocs(key: string, editable: Editable, fonts: readonly string[]): JsonSchema {
  const { label } = editable;
  const facts = factsOf(editable);
  const heading = label === undefined ? '' : `**${inMarkdown(label)}**\n\n`;
  return {
    title: label ?? key,
    description: `${[...(label === undefined ? [] : [label]), ...facts].join('. ')}.`,
    markdownDescription: `${heading}${facts.map((fact) => `- ${inMarkdown(fact)}`).join('\n')}`,
    ...proposalsOf(editable, fonts),
  };
}

function proposalsOf(editable: Editable, fonts: readonly string[]): JsonSchema {
  const examples = exampleOf(editable);
  switch (editable.input_type) {
    case 'image':
      return { examples, defaultSnippets: IMAGE_SNIPPETS };
    case 'video':
      return { examples, defaultSnippets: VIDEO_SNIPPETS };
    case 'audio':
      return { examples, defaultSnippets: AUDIO_SNIPPETS };
    case 'font':
      return { examples: editable.allowed_fonts ?? [...new Set([...examples, ...fonts])] };
    default:
      if (!needsQuotes(editable)) return { examples };
      // A snippet, because editors insert an example without the quotes that a # needs.
      return { defaultSnippets: examples.map((example) => ({ label: String(example), body: quoted(example) })) };
  }
}

const IMAGE_SNIPPETS = [
  { label: 'a file', body: './images/${1:image.jpg}' },
  {
    label: 'with a transform',
    body: { source: './images/${1:image.jpg}', transform: { crop_strategy: 'contain' } },
  },
];

const VIDEO_SNIPPETS = [
  { label: 'a clip', body: './clips/${1:clip.mp4}' },
  {
    label: 'a section of a clip, with its sound',
    body: { source: './clips/${1:clip.mp4}', transform: { trim_start_time: 3, volume: 1 } },
  },
  {
    label: 'an animated image',
    body: { source: './images/${1:image.jpg}', transform: { animate_strategy: 'zoom-in' } },
  },
];

const AUDIO_SNIPPETS = [
  { label: 'a sound', body: './sounds/${1:music.mp3}' },
  { label: 'a sound with fades', body: { source: './sounds/${1:music.mp3}', volume: 0.8, fade_out: 2 } },
];

function factsOf(editable: Editable): string[] {
  const { input_type: kind, max_length: maxLength, width, height, example_text: example, duration } = editable;
  const allowed = editable.allowed_fonts;
  const size = width === undefined || height === undefined ? '' : `, ${width} × ${height} pixels`;
  return [
    `${kind[0]?.toUpperCase()}${kind.slice(1)}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}${size}${duration === undefined ? '' : `, ${duration} seconds`}`,
    ...(allowed === undefined ? [] : [`One of ${allowed.join(', ')}`]),
    ...(example === undefined ? [] : [`Example: ${kind === 'color' ? `#${example.replace(/^#/, '')}` : example}`]),
    `Visible in the stillcut “${editable.stillcut}”`,
    ...(editable.required === false ? ['Optional. Defaults to the content of the template'] : []),
  ];
}

/** Returns whether a value needs quotes in YAML, because it begins with `#`. */
export function needsQuotes({ input_type: kind }: Editable): boolean {
  return kindFacts(kind as string)?.needsQuotes === true;
}

/** Adds quotes that stay when an editor inserts the text. */
export function quoted(text: Json): string {
  return `"${String(text)}"`;
}

/** Returns an example value of an editable in the form of a definition, or an empty list. */
export function exampleOf(editable: Editable): Json[] {
  const { input_type: kind, example_text: example } = editable;
  const file = kindFacts(kind as string)?.exampleFile;
  if (file !== undefined) return [file];
  if (example === undefined) return [];
  return [kind === 'color' ? `#${example.replace(/^#/, '')}` : example];
}

/** Escapes labels and examples, which come from a service, so that they cannot contain links or images. */
function inMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]<>()#!|~]/g, '\\$&');
}
