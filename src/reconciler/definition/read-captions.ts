import { captionFormat } from '../../contract/captions/caption-file.ts';
import { type CaptionStyle, plainCaptionStyle } from '../../contract/captions/caption-style.ts';
import { type Cue, toMilliseconds } from '../../contract/captions/cue.ts';
import { readCaptions as readCaptionFile } from '../../contract/captions/read-captions.ts';
import type { RuleProfile } from '../../contract/captions/rule-profiles.ts';
import type { SidecarFormat } from '../../contract/captions/write-captions.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { child, locateIn, type MapNode, type TreeNode, toJson } from '../../kernel/yaml/tree.ts';
import { type CaptionStyles, namedStyle, unknownStyle, type WrittenStyle } from './caption-styles.ts';
import { type FileText, isTextPath, resolvePath, unreadable } from './definition-file.ts';
import { type LocalFiles, localFile } from './local-files.ts';

/** A cue, and where it is written. */
export interface PlacedCue {
  readonly cue: Cue;
  readonly at: Span;
}

/** Where captions come from. */
type CaptionSource =
  | { readonly kind: 'cues'; readonly cues: readonly PlacedCue[] }
  | { readonly kind: 'track'; readonly name: string };

/** The captions of a definition or of a scene, as they are written. A field is absent if it is not. */
export interface WrittenCaptions {
  /** Null if there is no `from`, or if it has a problem. */
  readonly source: CaptionSource | null;
  readonly style?: CaptionStyle;
  readonly burn?: boolean;
  readonly lang?: string;
  readonly fonts?: readonly string[];
  readonly files?: readonly SidecarFormat[];
  readonly embed?: boolean;
  readonly rules?: RuleProfile | 'none';
  readonly at: Span;
}

interface CaptionContext extends LocalFiles {
  /** Styles of reelform.yaml; null if they are not known. */
  readonly captionStyles: CaptionStyles | null;
  readonly read: (path: string) => FileText;
}

/**
 * Reads the captions of a definition or a scene.
 *
 * @param root with `captions` that the schema has accepted, filled in
 * @param diagnostics receives its problems, and what a file of captions does not keep
 * @returns null without captions
 */
export function readCaptions(
  root: MapNode,
  context: CaptionContext,
  diagnostics: Diagnostic[],
): WrittenCaptions | null {
  const node = child(root, 'captions');
  if (node?.kind !== 'map') return null;
  const json = toJson(root, isTextPath) as { readonly captions: Record<string, unknown> };
  const { style, burn, lang, fonts, files, embed, rules } = json.captions as WrittenValues;
  const from = child(node, 'from');
  return {
    source: from === null ? null : readSource(from, context, diagnostics),
    ...defined({
      style: style === undefined ? undefined : readStyle(style, child(node, 'style')!, context, diagnostics),
      burn,
      lang,
      fonts,
      files,
      embed,
      rules,
    }),
    at: locateIn(root)(['captions'], 'key').span,
  };
}

type WrittenValues = Omit<WrittenCaptions, 'source' | 'style' | 'at'> & { readonly style?: string | WrittenStyle };

function readStyle(
  written: string | WrittenStyle,
  node: TreeNode,
  { captionStyles }: CaptionContext,
  diagnostics: Diagnostic[],
): CaptionStyle | undefined {
  const { extends: base, ...fields } = typeof written === 'string' ? { extends: written } : written;
  const named = base === undefined ? {} : namedStyle(base, captionStyles ?? new Map());
  if (named !== null) return plainCaptionStyle({ ...named, ...fields });
  const at = typeof written === 'string' ? node : child(node, 'extends')!;
  if (captionStyles !== null) diagnostics.push(unknownStyle(base!, [...captionStyles.keys()], at.span));
  return undefined;
}

function readSource(from: TreeNode, context: CaptionContext, diagnostics: Diagnostic[]): CaptionSource | null {
  if (from.kind === 'list') return { kind: 'cues', cues: readInline(from.items, diagnostics) };
  if (from.kind === 'map') {
    const track = child(from, 'track');
    return track?.kind === 'scalar' ? { kind: 'track', name: track.text } : null;
  }
  const path = resolvePath(from.text, from.baseFile);
  const problem = (...args: Parameters<typeof errorAt>): null => {
    diagnostics.push(errorAt(...args));
    return null;
  };
  if (!path.ok) return problem(path.code, from.span, path.message, path.hint);
  if (captionFormat(path.path) === null) {
    const message = `${JSON.stringify(path.path)} is not a supported file of captions`;
    return problem('captions_invalid', from.span, message, 'Use a .vtt, .srt or .ass file');
  }
  const local = localFile(from, path.path, context);
  const file = context.read(local.path);
  if (!file.ok) {
    diagnostics.push(unreadable(local.path, file.reason, from.span, local.tried));
    return null;
  }
  const { cues, diagnostics: found } = readCaptionFile(local.path, file.text);
  diagnostics.push(...found);
  return { kind: 'cues', cues: cues.map(({ at, ...cue }) => ({ cue, at: spanOfCue(local.path, at) })) };
}

function spanOfCue(
  file: string,
  { start, end }: { readonly start: readonly number[]; readonly end: readonly number[] },
): Span {
  return { file, start: start[0]!, end: end[1]! };
}

/** Reads cues of a definition, whose fields the schema has checked. */
function readInline(items: readonly TreeNode[], diagnostics: Diagnostic[]): PlacedCue[] {
  const cues = items.flatMap((item): PlacedCue[] => {
    const json = toJson(item, ([name]) => name === 'text' || name === 'speaker');
    if (!isRecord(json)) return [];
    const { start, end, text, speaker } = json as unknown as Pick<Cue, 'start' | 'end' | 'text' | 'speaker'>;
    const at = locateIn(item)([], 'value').span;
    const lines = String(text).split('\n').map((line) => line.trim()).filter((line) => line !== ''); // biome-ignore format: one line
    const times = { start: toMilliseconds(start), end: toMilliseconds(end) };
    if (times.end <= times.start) {
      diagnostics.push(warningAt('cue_dropped', at, 'A cue ends before it starts', 'Correct its times; until then the cue is left out')); // biome-ignore format: one line
      return [];
    }
    if (lines.length === 0) {
      diagnostics.push(warningAt('cue_dropped', at, 'A cue has no text', 'Write a text, or remove the cue'));
      return [];
    }
    return [{ cue: { ...times, text: lines.join('\n'), ...defined({ speaker }) }, at }];
  });
  cues.sort((a, b) => a.cue.start - b.cue.start);
  let last: Cue | null = null;
  for (const { cue, at } of cues) {
    if (last !== null && cue.start < last.end) {
      diagnostics.push(warningAt('cues_overlap', at, 'A cue starts before the cue before it ends, so that both are shown', 'End the cue before it earlier, or join the two')); // biome-ignore format: one line
    }
    if (last === null || cue.end > last.end) last = cue;
  }
  return cues;
}
