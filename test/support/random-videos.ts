import type { AudioTransform, Transform } from '../../src/contract/wire/mapping.ts';
import type { NamedOutput, OutputRequest } from '../../src/contract/wire/output.ts';
import type { Source, Video, VideoId, VideoResource, VideoSound } from '../../src/reconciler/definition/video.ts';

/** Editables of the random videos, with their kinds. */
export const RANDOM_EDITABLES = {
  t_01: 'text',
  n_01: 'number',
  c_01: 'color',
  f_01: 'font',
  'USER/hero.jpg': 'image',
  'v.1': 'video',
  voice: 'audio',
} as const;

type Kind = (typeof RANDOM_EDITABLES)[keyof typeof RANDOM_EDITABLES];
type Choices = Readonly<Record<string, readonly unknown[]>>;

const PICTURE: Choices = {
  crop_strategy: ['cover', 'contain', 'manual'],
  crop_x: [0, 10.5],
  focus_x: [0.5, 0, 0.25],
  background: ['FFFFFF', '000000FF', '00000080'],
};
const CLIP: Choices = {
  ...PICTURE,
  trim_strategy: ['none', 'manual'],
  trim_start_time: [0, 1.5],
  volume: [0, 0.5],
  animate_strategy: ['none', 'zoom-in'],
  animate_speed: ['moderate', 'fast'],
};
const SOUND: Choices = {
  trim_start_time: [0, 2],
  volume: [1, 0.5],
  fade_in: [0, 1],
  fade_out: [0, 1],
  loop: [false, true],
};
const OUTPUT: Choices = {
  format: ['mp4', 'mov', 'webm', 'gif', 'png'],
  height: [36, 18],
  fps: [10, 25],
  quality: ['high', 'low'],
  codec: ['h264', 'hevc', 'prores422'],
};
const TEXTS = ['Hello', '', 'a\nb', 'ü 😀', 'x'.repeat(201), `sha256:${'0'.repeat(64)}`, '12.5', 'volume=1 x=2'];

/** Generates the same videos for the same seed: with and without written-out defaults, tracks, fonts and several outputs. */
export class RandomVideos {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): Video {
    const keys = Object.keys(RANDOM_EDITABLES).filter(() => this.#is(0.5)) as (keyof typeof RANDOM_EDITABLES)[];
    const resources = new Map(keys.map((key) => [key as string, this.#resource(RANDOM_EDITABLES[key])]));
    const tracks = ['b.c', 'main', 'voice'].filter(() => this.#is(0.3));
    const fonts = ['A', 'B.c'].filter(() => this.#is(0.3));
    const names = ['main', 'square', 'poster'].filter(() => this.#is(0.3));
    const outputs = names.map((name): NamedOutput => ({ name, ...this.#output() }));
    const { name: _, ...first } = outputs[0] ?? { name: '', ...this.#output() };
    const audio = new Map(tracks.map((name) => [name, this.#sound()]));
    const replacements = new Map(fonts.map((name) => [name, this.#pick(['X', 'Y z'])]));
    return {
      id: 'random' as VideoId,
      path: 'videos/random.yaml',
      title: 'Random',
      description: null,
      labels: {},
      protect: false,
      scenes: [
        {
          id: 'launch',
          template: 'launch',
          resources,
          fonts: replacements,
          audio: new Map(),
        },
      ],
      audio,
      output: Object.keys(first).length === 0 ? null : first,
      ...(outputs.length > 0 && { outputs }),
      deliver: [],
    };
  }

  #resource(kind: Kind): VideoResource {
    switch (kind) {
      case 'color':
        return { kind, color: this.#pick(['EEADA7', 'EEADA7FF', '00000080']) };
      case 'font':
        return { kind, font: this.#pick(['Inter-Bold', 'A b']) };
      case 'image':
        return {
          kind,
          source: this.#source(),
          transform: { crop_strategy: 'cover', ...this.#some(PICTURE) } as Transform,
        };
      case 'video':
        return {
          kind,
          source: this.#source(),
          transform: { crop_strategy: 'cover', ...this.#some(CLIP) } as Transform,
        };
      case 'audio':
        return { kind, ...this.#sound() };
      default:
        return { kind: 'text', text: this.#pick(TEXTS) };
    }
  }

  #sound(): VideoSound {
    return { source: this.#source(), transform: this.#some(SOUND) as AudioTransform };
  }

  #source(): Source {
    return this.#is(0.5)
      ? { kind: 'file', path: this.#pick(['a.jpg', 'b c.mp4']) }
      : { kind: 'url', url: this.#pick(['https://example.com/a.jpg', 'https://EXAMPLE.com/a?volume=1']) };
  }

  #output(): OutputRequest {
    return this.#some(OUTPUT) as OutputRequest;
  }

  #some(choices: Choices): Record<string, unknown> {
    const chosen = Object.entries(choices).filter(() => this.#is(0.4));
    return Object.fromEntries(chosen.map(([name, values]) => [name, this.#pick(values)]));
  }

  #is(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!;
  }

  /** Mulberry32, a number in [0, 1). */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
