import { OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import { TRANSFORM_FIELDS } from '../../contract/fields/transform-fields.ts';

/** Property that users try in a kind of map, in lower case without separators → the answer. */
type Answers = Readonly<Record<string, Answer>>;

interface Answer {
  /** Words for which the answer is meant, if the map has `needs`. */
  readonly hint: string;
  /** The property that the hint names; the answer is left out if the map does not have it. */
  readonly needs?: string;
}

const LENGTH = { hint: 'Write duration: seconds, or content for the length of the tracks', needs: 'duration' };
const OUTPUT_LENGTH = { hint: 'Write duration in the definition, not in its output' };
const SCENES = { hint: 'Write scenes: a list of maps, each with a template', needs: 'scenes' };
const TEXTS = { hint: 'Write texts as values of editables: resources: {t_01: …}', needs: 'resources' };
const MEDIA = { hint: 'Write images and clips as values of editables under resources', needs: 'resources' };
const SOUND = { hint: 'Write sounds as tracks: audio: {main: ./music.mp3}', needs: 'audio' };
const OUTPUT = {
  hint: 'Write it as a field of output, like output: {format: webm, height: 720, fps: 25}',
  needs: 'output',
};
const ROWS = { hint: 'Write each: {from: data/rows.csv, id: "${slug}"}', needs: 'each' };
const DELIVER = { hint: 'Write deliver: s3://bucket/{id}.mp4', needs: 'deliver' };
const EXTENDS = { hint: 'Write extends: ./_base.yaml', needs: 'extends' };
const CAPTIONS = { hint: 'Write captions: {from: ./captions/en.vtt}', needs: 'captions' };

const OF_DEFINITION: Answers = {
  length: LENGTH,
  seconds: LENGTH,
  start: LENGTH,
  end: LENGTH,
  frames: LENGTH,
  subtitles: CAPTIONS,
  subtitle: CAPTIONS,
  caption: CAPTIONS,
  text: TEXTS,
  texts: TEXTS,
  headline: TEXTS,
  values: TEXTS,
  editables: TEXTS,
  props: TEXTS,
  params: TEXTS,
  image: MEDIA,
  images: MEDIA,
  video: MEDIA,
  videos: MEDIA,
  clips: MEDIA,
  assets: MEDIA,
  inputs: MEDIA,
  music: SOUND,
  sound: SOUND,
  sounds: SOUND,
  soundtrack: SOUND,
  voice: SOUND,
  voiceover: SOUND,
  tracks: SOUND,
  format: OUTPUT,
  width: OUTPUT,
  height: OUTPUT,
  resolution: OUTPUT,
  fps: OUTPUT,
  quality: OUTPUT,
  codec: OUTPUT,
  framerate: OUTPUT,
  render: OUTPUT,
  data: ROWS,
  rows: ROWS,
  csv: ROWS,
  foreach: ROWS,
  variables: ROWS,
  matrix: ROWS,
  destination: DELIVER,
  destinations: DELIVER,
  upload: DELIVER,
  publish: DELIVER,
  delivery: DELIVER,
  include: EXTENDS,
  includes: EXTENDS,
  import: EXTENDS,
  base: EXTENDS,
  inherits: EXTENDS,
  name: { hint: 'Write title, or id for the name in the lockfile', needs: 'title' },
  slug: { hint: 'Write id', needs: 'id' },
  tags: { hint: 'Write labels: {campaign: summer}', needs: 'labels' },
  metadata: { hint: 'Write labels: {campaign: summer}', needs: 'labels' },
  font: { hint: 'Write fonts: {Name in the template: Other name}', needs: 'fonts' },
  locked: { hint: 'Write protect: true', needs: 'protect' },
  slides: SCENES,
  sequence: SCENES,
  timeline: SCENES,
  elements: SCENES,
  compositions: SCENES,
  if: { hint: 'Write when: "${column}", or when: {column: value}', needs: 'when' },
  condition: { hint: 'Write when: "${column}", or when: {column: value}', needs: 'when' },
};

const OF_VIDEO = { hint: 'It belongs to the whole video: write it beside scenes' };
const OF_SCENE: Answers = {
  ...OF_DEFINITION,
  title: OF_VIDEO,
  description: OF_VIDEO,
  labels: OF_VIDEO,
  protect: OF_VIDEO,
  output: OF_VIDEO,
  outputs: OF_VIDEO,
  deliver: OF_VIDEO,
  size: OF_VIDEO,
  rate: OF_VIDEO,
  poster: OF_VIDEO,
  name: { hint: 'Write id', needs: 'id' },
};

const QUALITY = { hint: `Write quality: ${choice(OUTPUT_FIELDS.quality.values)}`, needs: 'quality' };
const FORMAT = { hint: `Write format: ${choice(OUTPUT_FIELDS.format.values)}`, needs: 'format' };
const HEIGHT = { hint: 'Write height; the width follows from the shape of the template', needs: 'height' };

const OF_OUTPUT: Answers = {
  width: HEIGHT,
  size: HEIGHT,
  resolution: HEIGHT,
  scale: HEIGHT,
  aspectratio: HEIGHT,
  bitrate: QUALITY,
  crf: QUALITY,
  preset: QUALITY,
  duration: OUTPUT_LENGTH,
  length: OUTPUT_LENGTH,
  start: OUTPUT_LENGTH,
  end: OUTPUT_LENGTH,
  framerate: { hint: 'Write fps', needs: 'fps' },
  type: FORMAT,
  container: FORMAT,
};

const START = { hint: 'Write trim_start_time, in seconds', needs: 'trim_start_time' };
const END = {
  hint: 'A clip or sound ends with its layer or the video. trim_start_time sets where it starts',
  needs: 'trim_start_time',
};
const { crop_strategy: CROPS, animate_strategy: MOVEMENTS } = TRANSFORM_FIELDS.video;
const CROP = { hint: `Write crop_strategy: ${choice(CROPS.values)}`, needs: 'crop_strategy' };
const ZOOMS = MOVEMENTS.values.filter((movement) => movement.startsWith('zoom-'));
const SOURCE = { hint: 'Write source', needs: 'source' };
const VOLUME = { hint: 'Write volume: 0', needs: 'volume' };

const FROM = { hint: 'Write from: ./captions/en.vtt, {track: voice}, or a list of {start, end, text}', needs: 'from' };
const CAPTION_FILES = { hint: 'Write files: [vtt, srt]', needs: 'files' };

const OF_CAPTIONS: Answers = {
  source: FROM,
  src: FROM,
  file: FROM,
  path: FROM,
  track: FROM,
  cues: FROM,
  words: FROM,
  text: FROM,
  language: { hint: 'Write lang', needs: 'lang' },
  locale: { hint: 'Write lang', needs: 'lang' },
  burnin: { hint: 'Write burn', needs: 'burn' },
  burned: { hint: 'Write burn', needs: 'burn' },
  sidecar: CAPTION_FILES,
  sidecars: CAPTION_FILES,
  formats: CAPTION_FILES,
  format: CAPTION_FILES,
  profile: { hint: 'Write rules', needs: 'rules' },
};

const OF_MEDIA: Answers = {
  start: START,
  startat: START,
  from: START,
  offset: START,
  trim: START,
  trimstart: START,
  in: START,
  end: END,
  duration: END,
  length: END,
  trimend: END,
  to: END,
  out: END,
  crop: CROP,
  fit: CROP,
  objectfit: CROP,
  resize: CROP,
  url: SOURCE,
  src: SOURCE,
  path: SOURCE,
  file: SOURCE,
  mute: VOLUME,
  muted: VOLUME,
  position: { hint: 'Write focus_x and focus_y, from 0 to 1', needs: 'focus_x' },
  zoom: { hint: `Write animate_strategy: ${choice(ZOOMS)}`, needs: 'animate_strategy' },
};

/**
 * Returns the answer to a property of a definition that does not exist but that people try; undefined for other words.
 *
 * @param path of the map
 * @param known properties of the map
 */
export function propertyAdvice(
  path: readonly string[],
  property: string,
  known: readonly string[],
): string | undefined {
  const answer = answersAt(path)[property.toLowerCase().replaceAll(/[_\s-]/g, '')];
  return answer === undefined || (answer.needs !== undefined && !known.includes(answer.needs))
    ? undefined
    : answer.hint;
}

function answersAt([section, ...rest]: readonly string[]): Answers {
  if (section === undefined) return OF_DEFINITION;
  if (section === 'scenes') return rest.length === 1 ? OF_SCENE : {};
  if (section === 'captions') return rest.length === 0 ? OF_CAPTIONS : {};
  if (section === 'output' || section === 'outputs') return OF_OUTPUT;
  return (section === 'resources' || section === 'audio') && rest.length > 0 ? OF_MEDIA : {};
}

/** Formats values as `low, medium or high`. */
function choice(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
