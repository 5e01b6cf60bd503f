/** The part of gifenc used here; the package has no types. */
declare module 'gifenc' {
  type Color = [red: number, green: number, blue: number];

  interface FrameOptions {
    readonly palette: readonly Color[];
    readonly transparent: boolean;
    readonly transparentIndex: number;
    readonly dispose: number;
    readonly colorDepth: number;
  }

  const gifenc: {
    /** At most so many colours for the pixels, RGBA, alpha ignored. */
    quantize(rgba: Uint8Array, maxColors: number, options: { format: 'rgb565' }): Color[];
    GIFEncoder(options: { auto: false }): {
      writeFrame(index: Uint8Array, width: number, height: number, options: FrameOptions): void;
      bytes(): Uint8Array;
    };
  };

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export { gifenc as default };
}
