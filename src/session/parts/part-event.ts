/** What happens to sessions that are not rendered in one piece; for logs, metrics and traces. */
export type PartEvent =
  /** It is others' from here on. */
  | { readonly kind: 'session-split'; readonly id: string; readonly attempt: number; readonly parts: number }
  /** Another session renders the same scene in parts. */
  | { readonly kind: 'session-waits'; readonly id: string; readonly attempt: number }
  | {
      readonly kind: 'part-rendered';
      readonly id: string;
      readonly attempt: number;
      readonly part: number;
      readonly frames: number;
      readonly elapsedMs: number;
    }
  /** Its parts are lost, or of several builds; it is rendered in one piece after all. */
  | { readonly kind: 'parts-unfit'; readonly id: string; readonly attempt: number };
