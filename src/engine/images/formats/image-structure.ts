/** What the outer structure of an image file says, before any decoder sees its bytes. */
export interface ImageStructure {
  /** Pixels that a decoder would allocate for: the largest size that the file names, before any EXIF rotation. */
  readonly width: number;
  readonly height: number;
  /** False when the file ends before its own structure does, or a checksum shows damage. True is no promise. */
  readonly complete: boolean;
}
