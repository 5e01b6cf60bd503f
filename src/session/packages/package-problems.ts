import type { Diagnostic } from '../../diagnostic.ts';
import type { SceneError } from '../../engine/scene-error.ts';
import { jsonPointer } from '../../json.ts';
import type { RequestProblem } from '../../wire/problem.ts';

/** Problems of one package that are reported; a generated file can have a hundred thousand. */
const MAX_TOLD = 100;
const MAX_DETAIL_CHARACTERS = 500;

/**
 * What is wrong with a package, as the service tells it. A pointer names the file in the package, as a URI fragment of its
 * path; where in the file is part of the detail.
 *
 * @param files of the package, to find lines
 * @see RFC 6901, section 6
 */
export function packageProblems(
  diagnostics: readonly Diagnostic[],
  files: ReadonlyMap<string, Uint8Array>,
): RequestProblem[] {
  const told = diagnostics.slice(0, MAX_TOLD).map(({ code, message, hint, at }) => {
    const line = at === undefined ? null : lineAt(files.get(at.file), at);
    const words = [line === null ? message : `Line ${line}: ${message}`, ...(hint === undefined ? [] : [hint])];
    return problem(code, at?.file ?? '', words.join('. '));
  });
  const more = diagnostics.length - told.length;
  return more === 0 ? told : [...told, problem('template_invalid', '', `There are ${more} more problems`)];
}

/** Why the engine could not draw a package. */
export function drawingProblem({ code, message, imageName }: SceneError): RequestProblem {
  return problem(code, imageName ?? 'animation.json', message);
}

/** @param file in the package; empty: the package itself */
export function problem(code: string, file: string, detail: string): RequestProblem {
  const pointer = file === '' ? '#' : `#/${encodeURIComponent(jsonPointer([file]).slice(1))}`;
  const isLong = detail.length > MAX_DETAIL_CHARACTERS;
  return { code, pointer, detail: isLong ? `${detail.slice(0, MAX_DETAIL_CHARACTERS - 1)}…` : detail };
}

/** From 1; null where the diagnostic stands for the whole file. */
function lineAt(bytes: Uint8Array | undefined, { start, end }: { start: number; end: number }): number | null {
  if (bytes === undefined || end === 0) return null;
  return new TextDecoder().decode(bytes).slice(0, start).split('\n').length;
}
