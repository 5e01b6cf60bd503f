import { isSlotKind, type SlotKind } from '../../contract/fields/editable-kinds.ts';
import type { Resource } from '../../contract/wire/mapping.ts';
import { formatNumbers, parseNumbers } from '../../contract/wire/slot-text.ts';
import { bindMapping } from '../../template/bind/bind-mapping.ts';
import { chooseStills } from '../../template/init/choose-stills.ts';
import { findEditableTargets } from '../../template/init/editable-targets.ts';
import type { RenderInput, Still } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { encodeStoredPng } from '../images/png-file.ts';
import type { StillImage } from '../stills/draw-stills.ts';

/** Draws the stills of an input, in a render pool or on this thread. */
export type DrawStills = (renderInput: RenderInput) => Promise<readonly StillImage[]>;

/** Height of the compared pictures, in pixels. */
const HEIGHT = 360;

/** Number of evenly spaced frames to draw for editables that no still shows. */
const MAX_FRAMES = 120;

/** The stills and times at which a change of an editable's value changes the picture. */
export interface EditableVisibility {
  /** Names of the stills that change, in the order of the template. */
  readonly stills: readonly string[];
  /** Time of a frame that changes, from the start; null if no drawn frame does. */
  readonly seconds: number | null;
}

/**
 * Detects where each editable of a template, except sounds and fonts, is visible, by comparing pictures drawn with two
 * different values. If an editable changes no still, frames of the whole animation are compared too, including those where
 * the editable's layers are most visible.
 *
 * @returns by editable; sounds and fonts are absent
 * @throws RenderError for a package that cannot be drawn
 */
export async function measureEditableVisibility(
  template: TemplatePackage,
  draw: DrawStills,
): Promise<Map<string, EditableVisibility>> {
  const probes = [...template.manifest.editables].flatMap(([key, { kind }]) => {
    const value = probeValueFor(template, key, kind);
    return value === null ? [] : [{ key, value }];
  });
  const onStills = await changedOn(template, template.stills, probes, draw);
  const hidden = probes.filter(({ key }) => onStills.get(key)!.length === 0);
  const frames = hidden.length === 0 ? [] : framesToDraw(template, hidden);
  const onFrames = hidden.length === 0 ? new Map() : await changedOn(template, frames, hidden, draw);
  const visibilityOf = (key: string): EditableVisibility => {
    const stills = onStills.get(key)!;
    const [best] = stills.length > 0 ? stills : middleOfLongest(frames, onFrames.get(key) ?? []);
    return { stills: stills.map(({ name }) => name), seconds: best === undefined ? null : best.frame / template.fps };
  };
  return new Map(probes.map(({ key }) => [key, visibilityOf(key)]));
}

interface Probe {
  readonly key: string;
  readonly value: ProbeValue;
}

/** Returns, by editable, the frames that change with its value. */
async function changedOn(
  template: TemplatePackage,
  stills: readonly Still[],
  probes: readonly Probe[],
  draw: DrawStills,
): Promise<Map<string, Still[]>> {
  const before = await draw(inputWith(template, stills, null));
  const changed = await Promise.all(
    probes.map(async ({ key, value }): Promise<[string, Still[]]> => {
      const after = await draw(inputWith(template, stills, { key, ...value }));
      return [key, stills.filter((_, index) => !Buffer.from(before[index]!.bytes).equals(after[index]!.bytes))];
    }),
  );
  return new Map(changed);
}

/** Returns frames to draw for editables that no still shows, in ascending order. */
function framesToDraw({ animation, frameCount }: TemplatePackage, probes: readonly Probe[]): Still[] {
  const step = Math.max(1, frameCount / MAX_FRAMES);
  const even = Array.from({ length: Math.ceil(frameCount / step) }, (_, index) => Math.floor(index * step));
  const targets = findEditableTargets(animation);
  const mostVisible = probes.flatMap(({ key }) => {
    const layers = targets.filter(({ node }) => node.sid === key).flatMap((target) => target.layers);
    const editable = { key, kind: 'text', label: '', origin: 'slot', sourceName: '', nodes: [], layers } as const;
    return chooseStills({ ...animation, markers: [] }, [editable]).stills.map(({ frame }) => frame);
  });
  const frames = [...new Set([...even, ...mostVisible])].filter((frame) => frame < frameCount);
  return frames.sort((a, b) => a - b).map((frame) => ({ name: `frame_${frame}`, frame }));
}

/** Returns the middle frame of the longest run of consecutive changed frames; empty if no frame changed. */
function middleOfLongest(frames: readonly Still[], changed: readonly Still[]): Still[] {
  let longest: Still[] = [];
  let run: Still[] = [];
  for (const frame of frames) {
    run = changed.includes(frame) ? [...run, frame] : [];
    if (run.length > longest.length) longest = run;
  }
  return longest.slice(Math.floor((longest.length - 1) / 2)).slice(0, 1);
}

interface ProbeValue {
  readonly resource: Resource;
  readonly bytes: Uint8Array | null;
}

function inputWith(
  template: TemplatePackage,
  stills: readonly Still[],
  value: (ProbeValue & { readonly key: string }) | null,
): RenderInput {
  const resources = value === null ? {} : { [value.key]: value.resource };
  const bytes = value?.bytes ?? null;
  const fetched = new Map(value === null || bytes === null ? [] : [[value.key, bytes] as const]);
  const height = Math.min(HEIGHT, template.height - (template.height % 2));
  const renderInput = bindMapping(template, { resources, output: { height } }, fetched);
  return { ...renderInput, stills, sounds: [] };
}

/** Returns a value that differs from the current value; null for editables without a picture. */
function probeValueFor(template: TemplatePackage, key: string, kind: string): ProbeValue | null {
  const { example_text: example = '' } = template.spec.editables[key] ?? {};
  if (isSlotKind(kind)) return { resource: { source: { text: CONTRASTING[kind](example) } }, bytes: null };
  switch (kind) {
    case 'text':
      return { resource: { source: { text: example === 'WXM' ? 'HAK' : 'WXM' } }, bytes: null };
    case 'color':
      return { resource: { source: { text: isLight(example) ? '000000' : 'FFFFFF' } }, bytes: null };
    case 'image':
    case 'video':
      return {
        resource: { source: { remote_url: 'reelform:check' }, transform: { crop_strategy: 'fill' } },
        bytes: CHECKERBOARD,
      };
    default:
      return null;
  }
}

/** Values far from the example: a much larger number or point, or a gradient of the opposite brightness. */
const CONTRASTING: Readonly<Record<SlotKind, (example: string) => string>> = {
  number: (example) => formatNumbers((parseNumbers('number', example) ?? [0]).map(enlarge)),
  point: (example) => formatNumbers((parseNumbers('point', example) ?? [0, 0]).map(enlarge)),
  gradient: (example) => (isLight(example.slice(1, 7)) ? '#000000 0%, #333333 100%' : '#FFFFFF 0%, #CCCCCC 100%'),
};

function enlarge(number: number): number {
  return number * 2 + 10;
}

function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red + green + blue > 382;
}

/** A test pattern that no template uses. */
const CHECKERBOARD = encodeStoredPng(
  Uint8Array.from({ length: 16 * 16 * 4 }, (_, index) => {
    const [channel, pixel] = [index % 4, Math.floor(index / 4)];
    if (channel === 3) return 255;
    return (pixel + Math.floor(pixel / 16)) % 2 === 0 ? 255 * (channel % 2) : 255 * (1 - (channel % 2));
  }),
  16,
  16,
);
