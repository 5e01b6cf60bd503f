import { bindMapping } from '../../template/bind/bind-mapping.ts';
import type { Scene } from '../../template/scene.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { Resource } from '../../wire/mapping.ts';
import { encodeStoredPng } from '../images/stored-png.ts';
import type { StillImage } from '../stills/still-protocol.ts';

/** Draws the stills of a scene: a render pool, or this thread. */
export type DrawStills = (scene: Scene) => Promise<readonly StillImage[]>;

/** Lines of the pictures that are compared. */
const HEIGHT = 360;

/**
 * On which stills each text, colour, image and video of a template is seen: those whose picture changes with what fills it.
 * No animation has to be understood for that, only drawn.
 *
 * @returns by editable; the stills in their order. Sounds and fonts are not there.
 * @throws SceneError for a package that cannot be drawn
 */
export async function stillsOfEditables(template: TemplatePackage, draw: DrawStills): Promise<Map<string, string[]>> {
  const before = await draw(sceneWith(template, null));
  const looks = [...template.manifest.editables].flatMap(([key, { kind }]) => {
    const filling = fillingFor(template, key, kind);
    return filling === null ? [] : [{ key, filling }];
  });
  const seen = await Promise.all(
    looks.map(async ({ key, filling }): Promise<[string, string[]]> => {
      const after = await draw(sceneWith(template, { key, ...filling }));
      const changed = before.filter(({ bytes }, index) => !Buffer.from(bytes).equals(after[index]!.bytes));
      return [key, changed.map(({ name }) => name)];
    }),
  );
  return new Map(seen);
}

interface Filling {
  readonly resource: Resource;
  readonly bytes: Uint8Array | null;
}

function sceneWith(template: TemplatePackage, filling: (Filling & { readonly key: string }) | null): Scene {
  const resources = filling === null ? {} : { [filling.key]: filling.resource };
  const bytes = filling?.bytes ?? null;
  const fetched = new Map(filling === null || bytes === null ? [] : [[filling.key, bytes] as const]);
  const height = Math.min(HEIGHT, template.height - (template.height % 2));
  const scene = bindMapping(template, { resources, output: { height } }, fetched);
  return { ...scene, sounds: [] };
}

/** Something that looks unlike what is there; null for what nobody sees. */
function fillingFor(template: TemplatePackage, key: string, kind: string): Filling | null {
  const { example_text: example = '' } = template.spec.editables[key] ?? {};
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

function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red + green + blue > 382;
}

/** Nobody's picture. */
const CHECKERBOARD = encodeStoredPng(
  Uint8Array.from({ length: 16 * 16 * 4 }, (_, index) => {
    const [channel, pixel] = [index % 4, Math.floor(index / 4)];
    if (channel === 3) return 255;
    return (pixel + Math.floor(pixel / 16)) % 2 === 0 ? 255 * (channel % 2) : 255 * (1 - (channel % 2));
  }),
  16,
  16,
);
