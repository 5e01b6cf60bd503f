import { packAnimation } from '../../../engine/packed-input.ts';
import { defined } from '../../../kernel/defined.ts';
import { headOf, type SourceBytes } from '../../../kernel/source-file.ts';
import type { InputDocument } from '../../../template/render-input.ts';
import {
  type BindInput,
  type BindTemplate,
  drawsCaptions,
  type PackedPackage,
  type SessionTemplate,
} from '../bind-template.ts';
import { builtInCaptionFonts } from '../caption-fonts.ts';
import type { TaskRunner } from './tasks.ts';

/** Binds in sandboxed processes. Fonts and media stay here: each is sent as a few bytes that identify it. */
export function bindIn(processes: TaskRunner<'bind'>): BindTemplate {
  return async (input, options) => {
    const files: SourceBytes[] = [];
    const sources = ({ scenes, tracks }: BindInput['sources']): BindInput['sources'] => {
      const stubsOf = (map: ReadonlyMap<string, SourceBytes>) =>
        new Map([...map].map(([key, bytes]) => [key, stubOf(bytes, files.push(bytes) - 1)]));
      return { scenes: scenes.map(stubsOf), tracks: stubsOf(tracks) };
    };
    const templates = [...input.templates].map(([id, template]) => [id, withStubs(template, files)] as const);
    const builtIn = drawsCaptions(input.video) ? [...builtInCaptionFonts()] : [];
    const captionFonts = new Map(
      builtIn.map(([name, subsets]) => [name, subsets.map((bytes) => stubOf(bytes, files.push(bytes) - 1))]),
    );
    const sent = { ...input, templates: new Map(templates), sources: sources(input.sources), captionFonts };
    const renderInput = await processes.run('bind', sent, options);
    const media = <T extends { readonly bytes: SourceBytes }>(list: readonly T[]): T[] =>
      list.map((item) => ({ ...item, bytes: fileOf(item.bytes, files) }));
    const inMemory = <T extends { readonly bytes: Uint8Array }>(list: readonly T[]): T[] =>
      list.map((item) => ({ ...item, bytes: bytesOf(item.bytes, files) }));
    const wholeDocument = <D extends Omit<InputDocument, 'animation'>>(document: D): D => ({
      ...document,
      fonts: inMemory(document.fonts),
      images: inMemory(document.images),
      clips: media(document.clips),
    });
    const { captions } = renderInput;
    const rest = {
      sounds: media(renderInput.sounds),
      ...defined({
        captions: captions && {
          ...captions,
          looks: captions.looks.map((look) => ({ ...look, fonts: inMemory(look.fonts) })),
        },
      }),
    };
    return 'scenes' in renderInput
      ? { ...renderInput, scenes: renderInput.scenes.map(wholeDocument), ...rest }
      : { ...wholeDocument(renderInput), ...rest };
  };
}

/** Returns a template whose files are stubs. @param files to which its files are added */
function withStubs(template: SessionTemplate, files: SourceBytes[]): PackedPackage {
  const stubs = <T extends { readonly bytes: Uint8Array }>(map: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...map].map(([key, file]) => [key, { ...file, bytes: stubOf(file.bytes, files.push(file.bytes) - 1) }]));
  const { animation, fonts, extraFonts, images, sounds } = template;
  return {
    ...template,
    animation: animation instanceof Uint8Array ? animation : packAnimation(animation),
    fonts: stubs(fonts),
    extraFonts: stubs(extraFonts),
    images: stubs(images),
    sounds: stubs(sounds),
  };
}

/** Bytes of a file that binding reads, in `isImage`: an AVIF lists its brands there. */
const HEAD_BYTES = 256;
const NUMBER_BYTES = 4;

/** Returns the head of a file followed by its number. */
function stubOf(bytes: SourceBytes, number: number): Uint8Array {
  const stub = new Uint8Array(HEAD_BYTES + NUMBER_BYTES);
  stub.set(headOf(bytes).subarray(0, HEAD_BYTES));
  new DataView(stub.buffer).setUint32(HEAD_BYTES, number);
  return stub;
}

/** Returns the file of a stub, which must be in memory, as those of images and fonts are. */
function bytesOf(stub: Uint8Array, files: readonly SourceBytes[]): Uint8Array {
  const file = fileOf(stub, files);
  if (file instanceof Uint8Array) return file;
  throw new Error('Internal error: a bound input has a clip or sound in place of an image');
}

function fileOf(stub: SourceBytes, files: readonly SourceBytes[]): SourceBytes {
  const head = headOf(stub);
  const isStub = head.length === HEAD_BYTES + NUMBER_BYTES;
  const file = isStub ? files[new DataView(head.buffer, head.byteOffset).getUint32(HEAD_BYTES)] : undefined;
  if (file === undefined)
    throw new Error('Internal error: a bound input refers to a file that its template does not contain');
  return file;
}
