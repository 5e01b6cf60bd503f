import { shortDigest } from './short-digest.ts';

/** What `desiredVideo` wrote for something with a source, taken apart. */
export interface SourceInput {
  /** A URL, or the digest of a file. */
  readonly place: string;
  /** The first 8 digits; null for a URL. */
  readonly digest: string | null;
  /** What is said of it beside its source, such as `contain` or `volume 0.5`; null where nothing is. */
  readonly handling: string | null;
}

/** Takes apart what a plan or a lockfile has of a source. What `desiredVideo` did not write comes back as its place. */
export function parseSourceInput(input: string): SourceInput {
  const [, place = input, settings = ''] = /^(.*?)((?: [a-z_]+=\S+)*)$/s.exec(input) ?? [];
  const pairs = settings
    .split(' ')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  const picture = pairs.filter(([name]) => !(name in WORDS) && name !== 'crop_strategy').map((pair) => pair.join('='));
  const strategy = pairs.find(([name]) => name === 'crop_strategy')?.[1];
  const others = Object.entries(WORDS).flatMap(([name, words]) => {
    const value = pairs.find((pair) => pair[0] === name)?.[1];
    return value === undefined ? [] : words(value);
  });
  // Plain cover is what a picture is without a word.
  const first = picture.length > 0 || strategy !== 'cover' ? [strategy ?? [], ...picture].flat().join(' ') : '';
  const parts = first === '' ? others : [first, ...others];
  return { place, digest: shortDigest(place), handling: parts.length === 0 ? null : parts.join(', ') };
}

/** Setting → the words for a value of it, in the order in which they stand; none where they would say nothing more. */
const WORDS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  trim_strategy: () => [],
  trim_start_time: (value) => [`from ${value} s`],
  volume: (value) => [`volume ${value}`],
  fade_in: (value) => [`fade-in ${value} s`],
  fade_out: (value) => [`fade-out ${value} s`],
  loop: (value) => (value === 'true' ? ['loop'] : []),
  animate_strategy: (value) => (value === 'none' ? [] : [value]),
  animate_speed: (value) => [value],
};

/** What `desiredVideo` wrote for an output, in words; of none what there is without. */
export function outputWords(input: string | null): string {
  const pairs = new Map((input ?? '').split(' ').map((pair) => pair.split('=') as [string, string]));
  const words = [
    pairs.get('format') ?? 'mp4',
    ...(pairs.has('codec') ? [pairs.get('codec')!] : []),
    ...(pairs.has('height') ? [`${pairs.get('height')} pixels high`] : []),
    ...(pairs.has('fps') ? [`${pairs.get('fps')} fps`] : []),
    ...(pairs.has('quality') ? [`${pairs.get('quality')} quality`] : []),
  ];
  return words.join(', ');
}
