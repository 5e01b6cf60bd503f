import { packAnimation } from '../../../engine/packed-input.ts';
import type { InputDocument } from '../../../template/render-input.ts';
import type { BindInput, BindTemplate, PackedPackage, SessionTemplate } from '../bind-template.ts';
import type { TaskRunner } from './tasks.ts';

/** Binds in sandboxed processes. Fonts and media stay here: each is sent as a few bytes that identify it. */
export function bindIn(processes: TaskRunner<'bind'>): BindTemplate {
  return async (input, options) => {
    const files: Uint8Array[] = [];
    const sources = ({ scenes, tracks }: BindInput['sources']): BindInput['sources'] => {
      const stubsOf = (map: ReadonlyMap<string, Uint8Array>) =>
        new Map([...map].map(([key, bytes]) => [key, stubOf(bytes, files.push(bytes) - 1)]));
      return { scenes: scenes.map(stubsOf), tracks: stubsOf(tracks) };
    };
    const templates = [...input.templates].map(([id, template]) => [id, withStubs(template, files)] as const);
    const sent = { ...input, templates: new Map(templates), sources: sources(input.sources) };
    const renderInput = await processes.run('bind', sent, options);
    const whole = <T extends { readonly bytes: Uint8Array }>(list: readonly T[]): T[] =>
      list.map((item) => ({ ...item, bytes: fileOf(item.bytes, files) }));
    const wholeDocument = <D extends Omit<InputDocument, 'animation'>>(document: D): D => ({
      ...document,
      fonts: whole(document.fonts),
      images: whole(document.images),
      clips: whole(document.clips),
    });
    const sounds = whole(renderInput.sounds);
    return 'scenes' in renderInput
      ? { ...renderInput, scenes: renderInput.scenes.map(wholeDocument), sounds }
      : { ...wholeDocument(renderInput), sounds };
  };
}

/** Returns a template whose files are stubs. @param files to which its files are added */
function withStubs(template: SessionTemplate, files: Uint8Array[]): PackedPackage {
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

/** Bytes of a file that binding reads, in `isImage`. */
const HEAD_BYTES = 12;

/** Returns the head of a file followed by its number. */
function stubOf(bytes: Uint8Array, number: number): Uint8Array {
  const stub = new Uint8Array(HEAD_BYTES + 4);
  stub.set(bytes.subarray(0, HEAD_BYTES));
  new DataView(stub.buffer).setUint32(HEAD_BYTES, number);
  return stub;
}

function fileOf(stub: Uint8Array, files: readonly Uint8Array[]): Uint8Array {
  const file = files[new DataView(stub.buffer, stub.byteOffset).getUint32(HEAD_BYTES)];
  if (file === undefined)
    throw new Error('Internal error: a bound input refers to a file that its template does not contain');
  return file;
}
