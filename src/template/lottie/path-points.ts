type Points = readonly (readonly number[])[];

/** A path of a keyframe: vertices, and their tangents relative to them. */
export interface KeyframePath {
  readonly c: boolean;
  readonly v: Points;
  readonly i: Points;
  readonly o: Points;
}

/**
 * Returns a path with more vertices that looks the same, because the renderer draws nothing where the number of vertices
 * changes from one keyframe to another. Repeats the last vertex.
 */
export function withPoints(path: KeyframePath, count: number): KeyframePath {
  const missing = count - path.v.length;
  const last = path.v.at(-1);
  if (missing <= 0 || last === undefined) return path;
  const zeros = Array.from({ length: missing }, () => [0, 0]);
  return {
    c: path.c,
    v: [...path.v, ...zeros.map(() => last)],
    i: [...path.i, ...zeros],
    // The last of the repeated vertices leads on.
    o: [...path.o.slice(0, -1), ...zeros, path.o.at(-1)!],
  };
}
