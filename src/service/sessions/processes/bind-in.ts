import { packAnimation } from '../../../engine/packed-input.ts';
import type { BindTemplate, PackedPackage } from '../bind-template.ts';
import type { TaskRunner } from './tasks.ts';

/** Binds in sandboxed processes. Fonts and media stay here: each is sent as a few bytes that identify it. */
export function bindIn(processes: TaskRunner<'bind'>): BindTemplate {
  return async ({ template, request, fetched }, options) => {
    const files: Uint8Array[] = [];
    const withStub = <T extends { readonly bytes: Uint8Array }>(file: T): T => ({
      ...file,
      bytes: stubOf(file.bytes, files.push(file.bytes) - 1),
    });
    const stubs = <T extends { readonly bytes: Uint8Array }>(map: ReadonlyMap<string, T>): Map<string, T> =>
      new Map([...map].map(([key, file]) => [key, withStub(file)]));
    const { animation, fonts, extraFonts, images, sounds } = template;
    const packed: PackedPackage = {
      ...template,
      animation: animation instanceof Uint8Array ? animation : packAnimation(animation),
      fonts: stubs(fonts),
      extraFonts: stubs(extraFonts),
      images: stubs(images),
      sounds: stubs(sounds),
    };
    const sources = new Map([...fetched].map(([key, bytes]) => [key, stubOf(bytes, files.push(bytes) - 1)]));
    const renderInput = await processes.run('bind', { template: packed, request, fetched: sources }, options);
    const whole = <T extends { readonly bytes: Uint8Array }>(list: readonly T[]): T[] =>
      list.map((item) => ({ ...item, bytes: fileOf(item.bytes, files) }));
    return {
      ...renderInput,
      fonts: whole(renderInput.fonts),
      images: whole(renderInput.images),
      clips: whole(renderInput.clips),
      sounds: whole(renderInput.sounds),
    };
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
