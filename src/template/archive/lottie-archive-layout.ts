import { isRecord } from '../../json.ts';

/** Everything of ours lies below this folder; players of Lottie pass it by. */
export const OWN_FOLDER = 'reelform/';
export const LAYOUT_FILE = `${OWN_FOLDER}layout.json`;

/** What packing a package as `.lottie` changed, so that unpacking gives the package back to the byte of every value. */
export interface ArchiveLayout {
  readonly layout_version: 1;
  /** Of the animation in the archive. */
  readonly animation: string;
  /** Path in the archive → path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Index in `assets` → what it said; null: the field was not there. */
  readonly assets: Readonly<Record<string, Changed>>;
  /** The same of `fonts.list`. */
  readonly fonts: Readonly<Record<string, Changed>>;
}

/** Fields of an object as they were. */
export type Changed = Readonly<Record<string, string | number | null>>;

/** A layout as anybody may have written it; null when it makes no sense. */
export function parseLayout(value: unknown): ArchiveLayout | null {
  if (!isRecord(value) || value.layout_version !== 1 || typeof value.animation !== 'string') return null;
  const { files, assets, fonts } = value;
  if (!isRecord(files) || !Object.values(files).every(isPackagePath)) return null;
  return [assets, fonts].every((one) => isRecord(one) && Object.values(one).every(isChanged))
    ? (value as unknown as ArchiveLayout)
    : null;
}

function isPackagePath(path: unknown): boolean {
  if (typeof path !== 'string' || path.includes('\\')) return false;
  return path.split('/').every((part) => !['', '.', '..', '__proto__'].includes(part) && !part.startsWith('.'));
}

function isChanged(fields: unknown): boolean {
  return (
    isRecord(fields) &&
    Object.entries(fields).every(
      ([name, value]) =>
        ['u', 'p', 'e', 'fPath', 'origin'].includes(name) &&
        (value === null || typeof value === 'string' || typeof value === 'number'),
    )
  );
}
