/** One picture of a clip, upright, with square pixels. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** BGRA, row-major, straight alpha, width*height*4 bytes; not to be written to. */
  readonly bgra: Uint8ClampedArray;
  readonly isOpaque: boolean;
}

/** The pictures of a clip in the order in which they are shown. To be closed. */
export interface ClipPictures {
  /** The picture that is shown at a time: the last one that starts no later, or the first. */
  indexAt(seconds: number): number;
  /** Quickest in ascending order. @throws SceneError asset_decode_failed, asset_type_unsupported */
  picture(index: number): Promise<Picture>;
  /** May be called again. */
  close(): void;
}
