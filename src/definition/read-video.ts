import type { Check, Diagnostic, Span } from '../diagnostic.ts';
import type { Json } from '../digest.ts';
import type { OutputRequest } from '../wire/output.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import { child, locateIn, type MapNode, textOf, toJson } from '../yaml/tree.ts';
import { isTextPath } from './definition-file.ts';
import { type OutputProblem, readAdditions } from './read-additions.ts';
import type { DeliverContext } from './read-deliver.ts';
import { type KnownFonts, type Read, readResource } from './read-resource.ts';
import { unknownTemplate } from './unknown-template.ts';
import type { Source, Video, VideoResource } from './video.ts';

/** What the definitions have to know of a template. */
export interface VideoTemplate {
  readonly spec: StyleVersion;
  /** Holds a merged and filled-in definition against the template's schema. */
  readonly check: Check;
  /** The fonts that a definition can name; `null` where that is not known. */
  readonly fonts: KnownFonts;
  /** What of an output, whose fields are each as they may be, cannot be made of it. */
  readonly outputProblems: (output: OutputRequest) => readonly OutputProblem[];
}

export interface VideoContext {
  /** Those whose specification is there. */
  readonly templates: Pick<ReadonlyMap<string, VideoTemplate>, 'get'>;
  /** All that reelform.yaml names; `null` when it cannot be read. */
  readonly templateNames: readonly string[] | null;
  /** For a definition without a template that could be used. */
  readonly checkAny: Check;
  /** What reelform.yaml says of every video. */
  readonly output: OutputRequest | null;
  /** What it says of deliveries. */
  readonly deliver: DeliverContext;
}

/** A file that a video uses, and where the definition says so. */
export interface FileUse {
  readonly path: string;
  readonly at: Span;
  /** The row that filled in the path, for messages. */
  readonly row?: string | undefined;
}

export interface ReadVideo {
  /** Everything but what its id is needed for; `null` when something is wrong. */
  readonly video: Omit<Video, 'id' | 'deliver'> | null;
  readonly files: readonly FileUse[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a definition that is merged and filled in, and checks it against its template.
 *
 * @param path the file that makes the video
 * @param root without `id`, `extends` and `each`
 */
export function readVideo(path: string, root: MapNode, context: VideoContext): ReadVideo {
  const locate = locateIn(root);
  const name = textOf(child(root, 'template'));
  const diagnostics: Diagnostic[] = [];
  if (name !== null && context.templateNames?.includes(name) === false) {
    diagnostics.push(unknownTemplate(name, context.templateNames, locate(['template'], 'value').span));
  }
  const template = name === null ? null : (context.templates.get(name) ?? null);
  const json = toJson(root, isTextPath) as { readonly [property: string]: Json };
  diagnostics.push(...(template?.check ?? context.checkAny)({ resources: {}, ...json }, locate));
  if (template === null || name === null) return { video: null, files: [], diagnostics };

  const resources = new Map<string, VideoResource>();
  const files: FileUse[] = [];
  const take = <T>(read: Read<T>): T | undefined => {
    if (read === null) return undefined;
    const row = read.node.kind === 'scalar' ? read.node.row : undefined;
    if (!read.ok) {
      const { code, message, hint } = read;
      diagnostics.push({ code, severity: 'error', message: inRow(message, row), hint, at: read.node.span });
      return undefined;
    }
    const path = pathOf(read.value);
    if (path !== null) files.push({ path, at: read.node.span, row });
    return read.value;
  };
  for (const [key, editable] of Object.entries(template.spec.editables)) {
    const node = child(child(root, 'resources'), key);
    const resource = node === null ? undefined : take(readResource(node, editable, template.fonts));
    if (resource !== undefined) resources.set(key, resource);
  }
  const { audio, fonts, output, ...more } = readAdditions(root, {
    knownFonts: template.fonts,
    outputProblems: template.outputProblems,
    output: context.output,
    take,
  });
  diagnostics.push(...more.diagnostics);
  if (diagnostics.length > 0) return { video: null, files, diagnostics };
  const video = {
    path,
    template: name,
    title: textOf(child(root, 'title')) ?? '',
    description: textOf(child(root, 'description')),
    labels: (json.labels ?? {}) as Record<string, string>,
    protect: json.protect === true,
    resources,
    audio,
    fonts,
    output,
  };
  return { video, files, diagnostics };
}

function pathOf(value: unknown): string | null {
  const source = (value as { readonly source?: Source }).source;
  return source?.kind === 'file' ? source.path : null;
}

/** Adds the row of data to a message about a value that it filled in. */
export function inRow(message: string, row: string | undefined): string {
  return row === undefined ? message : `${message} (${row})`;
}
