import { SOUND_KERNELS_WASM } from './sound-kernels.wasm.ts';

/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: object };
};

const PAGE_BYTES = 65_536;

/** The functions of sound-kernels.as.ts, with the memory that their addresses belong to. */
export interface SoundKernels {
  readonly weigh: (...numbers: number[]) => void;
  readonly peaksAbove: (...numbers: number[]) => void;
  readonly floats: Float32Array;
  readonly doubles: Float64Array;
}

let module: object | undefined;

/** Opens the kernels with memory for a caller, which arranges it. @param bytes of the memory, rounded up */
export function openSoundKernels(bytes: number): SoundKernels {
  module ??= new WebAssembly.Module(Buffer.from(SOUND_KERNELS_WASM, 'base64'));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  const { weigh, peaksAbove } = new WebAssembly.Instance(module, { env: { memory } }).exports as SoundKernels;
  return { weigh, peaksAbove, floats: new Float32Array(memory.buffer), doubles: new Float64Array(memory.buffer) };
}
