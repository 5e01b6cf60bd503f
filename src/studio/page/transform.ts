/** Values of a transform as in a definition. */
export type TransformValues = Readonly<Record<string, string | number | boolean>>;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

type Crop = {
  readonly crop_x: number;
  readonly crop_y: number;
  readonly crop_width: number;
  readonly crop_height: number;
};

/** Values that need not be written. */
const DEFAULTS: TransformValues = {
  crop_strategy: 'cover',
  focus_x: 0.5,
  focus_y: 0.5,
  trim_start_time: 0,
  fade_in: 0,
  fade_out: 0,
  loop: false,
};

/** Changes values of a transform. Drops defaults and fields that the crop strategy does not allow. */
export function setTransform(values: TransformValues, changed: Partial<TransformValues>): TransformValues {
  const merged = { ...values, ...changed } as TransformValues;
  const strategy = merged.crop_strategy ?? 'cover';
  return Object.fromEntries(
    Object.entries(merged).filter(
      ([name, value]) =>
        value !== undefined &&
        value !== DEFAULTS[name] &&
        !(name.startsWith('focus_') && strategy !== 'cover') &&
        !(/^crop_(?:x|y|width|height)$/.test(name) && strategy !== 'manual') &&
        !(name === 'background' && strategy !== 'contain'),
    ),
  );
}

/**
 * Returns a crop in whole pixels with the shape of the area, inside the picture and as close to a centre as possible.
 *
 * @param area shape of the crop; null for the shape of the picture
 * @param scale share of the largest possible crop, 0..1
 */
export function cropAround(
  picture: PictureSize,
  area: PictureSize | null,
  centre: { readonly x: number; readonly y: number },
  scale: number,
): Crop {
  const shape = area ?? picture;
  const fit = Math.min(picture.width / shape.width, picture.height / shape.height) * Math.min(1, Math.max(0.02, scale));
  const width = Math.max(1, Math.min(picture.width, Math.round(shape.width * fit)));
  const height = Math.max(1, Math.min(picture.height, Math.round(shape.height * fit)));
  const within = (value: number, size: number, whole: number): number =>
    Math.round(Math.min(whole - size, Math.max(0, value - size / 2)));
  return {
    crop_x: within(centre.x, width, picture.width),
    crop_y: within(centre.y, height, picture.height),
    crop_width: width,
    crop_height: height,
  };
}
