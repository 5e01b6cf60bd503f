import { type Fields, isRelationMet } from '../../contract/fields/field.ts';
import { TRANSFORM_FIELDS } from '../../contract/fields/transform-fields.ts';

/** Values of a transform as in a definition. */
export type TransformValues = Readonly<Record<string, string | number | boolean>>;

/** Changed values; undefined removes a value. */
export type FieldChanges = Readonly<Record<string, string | number | boolean | undefined>>;

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

/** Changes values of the fields of a table. Drops defaults and fields that other fields do not allow. */
export function setFields(fields: Fields, values: TransformValues, changed: FieldChanges): TransformValues {
  const merged = Object.entries({ ...values, ...changed } as TransformValues);
  const kept = Object.fromEntries(
    merged.filter(([name, value]) => value !== undefined && (value !== fields[name]?.default || isMute(fields, name))),
  );
  return Object.fromEntries(
    Object.entries(kept).filter(([name]) => {
      const { onlyWith } = fields[name] ?? {};
      return onlyWith === undefined || isRelationMet(onlyWith, kept, fields);
    }),
  );
}

/** A volume of 0 stays in the definition of a clip, because it mutes a clip whose fragment has a volume. */
function isMute(fields: Fields, name: string): boolean {
  return fields === TRANSFORM_FIELDS.video && name === 'volume';
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
