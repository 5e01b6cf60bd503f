import type { LottieNode } from '../lottie/lottie-node.ts';

/** Where an editable of a new package comes from. */
export type Origin = 'slot' | 'name' | 'proposed';

/** Something in an animation that people may change. */
export interface FoundEditable {
  /** As in the mapping: `t_01`, `c_01`, `(Footage)/USER/photo.jpg`. */
  readonly key: string;
  readonly kind: 'text' | 'color' | 'image' | 'audio';
  /** What people call it. */
  readonly label: string;
  readonly origin: Origin;
  /** Its slot's id, or the name of its layer, before. */
  readonly former: string;
  /** The nodes that carry its key: `t.d` of text layers, colours, an asset. */
  readonly nodes: readonly LottieNode[];
  /** The layers that show it. */
  readonly layers: readonly LottieNode[];
}

/** Something about an animation that its designer should hear: what was done about it, or was left alone. */
export interface InitNote {
  /** `changed`: the animation says something else now. `left`: it could have been an editable, and is none. */
  readonly kind: 'changed' | 'left';
  readonly message: string;
}
