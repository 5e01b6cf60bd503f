import type { AudioTrack } from '../../../engine/codec/encoded-track.ts';
import type { FrameRange } from '../../../engine/frame-rate.ts';
import { hasMedia, type RenderedSound } from '../../../engine/input-media.ts';
import type { AnyRenderInput } from '../../../engine/packed-input.ts';
import type { InMemoryFile, RenderedFile } from '../../../engine/rendered-file.ts';
import type { RenderedSegment } from '../../../engine/segments/rendered-segment.ts';
import { hasSegments, segmentRanges } from '../../../engine/segments/segment.ts';
import { drawingKey } from '../../../engine/writers/frame-writer.ts';
import { defined } from '../../../kernel/defined.ts';
import { groupBy } from '../../../kernel/group-by.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';
import type { InputFile } from '../../../template/render-input.ts';
import type { NamedFile, RenderOptions } from '../ports.ts';
import { renderWorkload } from '../render-time.ts';

/** An input with the fields of the main file, and the other files to render from it. */
export interface InputFiles<S extends AnyRenderInput = AnyRenderInput> {
  readonly renderInput: S;
  readonly others: readonly NamedFile[];
}

/**
 * A unit of work of a video, whose bytes do not depend on the process, worker or shard that renders it. Files are identified
 * by index; 0 is the main file.
 */
export type Piece =
  /** The whole sound of a file, so that it has no seams. */
  | { readonly kind: 'sound'; readonly file: number }
  /** A range of frames of files that share a drawing. */
  | { readonly kind: 'segment'; readonly files: readonly number[]; readonly range: FrameRange }
  /** Files without segments that share a drawing. */
  | { readonly kind: 'whole'; readonly files: readonly number[] };

/** The rendered pieces of one file, in memory. Plain data. */
export interface FilePieces {
  readonly segments: readonly RenderedSegment[];
  readonly sound: InMemorySound | null;
  readonly whole: InMemoryFile | null;
}

/** A sound with the bytes of the file that has its packets. */
interface InMemorySound extends Omit<RenderedSound, 'track'> {
  readonly track: (Omit<AudioTrack, 'packets'> & { readonly packets: Uint8Array }) | null;
}

/** Reads a sound into memory and closes its file. */
export async function soundIntoMemory({ track, ...sound }: RenderedSound): Promise<InMemorySound> {
  if (track === null) return { ...sound, track };
  const bytes = await track.packets.bytes();
  track.packets.close();
  return { ...sound, track: { ...track, packets: bytes } };
}

export async function soundIntoFile({ track, ...sound }: InMemorySound): Promise<RenderedSound> {
  if (track === null) return { ...sound, track };
  return { ...sound, track: { ...track, packets: await TemporaryFile.of(track.packets) } };
}

export async function intoFile({ video, ...file }: InMemoryFile): Promise<RenderedFile> {
  return { ...file, video: await TemporaryFile.of(video) };
}

/** Returns the files of a video, the main file first. */
export function filesOf({ renderInput, others: furtherFiles }: InputFiles): InputFile[] {
  const { captionTrack } = renderInput;
  return [fileOf(renderInput), ...furtherFiles.map((file) => withoutStills({ ...file, ...defined({ captionTrack }) }))];
}

function fileOf({ output, width, height, fps, frameCount, stills, timeline, captionTrack }: InputFile): InputFile {
  return { output, width, height, fps, frameCount, stills, ...defined({ timeline, captionTrack }) };
}

/** Removes the stills, which only the main file has. A PNG keeps them, because it is the frame of its first still. */
function withoutStills(file: InputFile): InputFile {
  return file.output.format === 'png' ? fileOf(file) : { ...fileOf(file), stills: [] };
}

/** Returns all pieces of a video in a deterministic order. A sound precedes the segments of its file. */
export function piecesOf(video: InputFiles): Piece[] {
  const files = filesOf(video);
  const drawings = groupBy([...files.keys()], (file) => drawingKey(files[file]!));
  return [...drawings.values()].flatMap((group): Piece[] => {
    const file = files[group[0]!]!;
    if (!hasSegments(file.output.format)) return [{ kind: 'whole', files: group }];
    const sounds = hasMedia(video.renderInput) ? group : [];
    return [
      ...sounds.map((of): Piece => ({ kind: 'sound', file: of })),
      ...segmentRanges(file).map((range): Piece => ({ kind: 'segment', files: group, range })),
    ];
  });
}

/** Counts the frames of a piece in all of its files, which is its share of the work. A sound has none. */
export function pieceFrames(piece: Piece, files: readonly InputFile[]): number {
  switch (piece.kind) {
    case 'sound':
      return 0;
    case 'segment':
      return (piece.range.end - piece.range.first) * piece.files.length;
    case 'whole':
      return piece.files.reduce((sum, at) => sum + renderWorkload(files[at]!).frameCount, 0);
  }
}

/** Reports finished frames of all files, and finished segments. */
export type Advance = (frames: number, segments: number, isReused?: boolean) => void;

export function pieceProgress(
  files: readonly InputFile[],
  pieces: readonly Piece[],
  onProgress: RenderOptions['onProgress'],
): Advance {
  const frameCount = pieces.reduce((sum, piece) => sum + pieceFrames(piece, files), 0);
  const total = pieces.reduce((sum, piece) => sum + (piece.kind === 'segment' ? piece.files.length : 0), 0);
  const segments = { done: 0, total, reused: 0 };
  let framesDone = 0;
  return (frames, finished, isReused = false) => {
    framesDone += frames;
    segments.done += finished;
    if (isReused) segments.reused += finished;
    onProgress?.(framesDone, frameCount, total === 0 ? undefined : { ...segments });
  };
}
