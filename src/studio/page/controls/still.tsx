import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { stillAddress } from '../server.ts';
import { usePage } from '../store.ts';

const SCROLL_REST_MS = 90;
let lastScroll = Number.NEGATIVE_INFINITY;
addEventListener(
  'scroll',
  () => {
    lastScroll = performance.now();
  },
  { passive: true },
);

interface StillProps {
  readonly fingerprint: string;
  readonly frame: number;
  /** Width on the page in CSS pixels. */
  readonly width: number;
  /** Fills its area exactly, for areas that differ from the picture by less than a pixel. */
  readonly isCut?: boolean;
}

/** A frame of a video, as decoration of a control with a name. The previous frame stays until the next frame is decoded, so that nothing flickers. */
export function Still({ fingerprint, frame, width, isCut = false }: StillProps): JSX.Element {
  const address = stillAddress(fingerprint, frame, width * devicePixelRatio);
  const { shown, isFailed } = useDecoded(address);
  if (shown === null) {
    return <span class={`still ${isFailed ? 'still-failed' : 'still-waiting'}`}>{isFailed && 'No picture'}</span>;
  }
  return <img class={isCut ? 'still is-cut' : 'still'} src={shown} alt="" draggable={false} decoding="async" />;
}

/** Loads and decodes images in sequence; of the images requested meanwhile, only the latest. */
export function useDecoded(address: string | null): { readonly shown: string | null; readonly isFailed: boolean } {
  const [result, setResult] = useState<{ readonly shown: string | null; readonly isFailed: boolean }>({
    shown: null,
    isFailed: false,
  });
  const isLost = usePage(({ connection }) => connection === 'lost');
  const queue = useRef<{ wanted: string | null; loading: HTMLImageElement | null }>({ wanted: null, loading: null });
  useEffect(() => {
    // Pictures that failed meanwhile are loaded once the server answers again.
    if (isLost) return;
    const { current } = queue;
    current.wanted = address;
    const load = (): void => {
      const wanted = current.wanted;
      if (wanted === null || current.loading !== null) return;
      const image = new Image();
      current.loading = image;
      image.src = wanted;
      const end = (next: { readonly shown: string | null; readonly isFailed: boolean }): void => {
        if (current.loading !== image) return;
        current.loading = null;
        if (current.wanted === wanted) setResult(next);
        else {
          if (next.shown !== null) setResult(next);
          load();
        }
      };
      image.decode().then(
        () => end({ shown: wanted, isFailed: false }),
        () => end({ shown: null, isFailed: true }),
      );
    };
    // A card that is scrolled past in a moment needs no picture.
    const isScrolling = performance.now() - lastScroll < SCROLL_REST_MS;
    if (!isScrolling || current.loading !== null) {
      load();
      return;
    }
    const timer = setTimeout(load, SCROLL_REST_MS);
    return () => clearTimeout(timer);
  }, [address, isLost]);
  useEffect(
    () => () => {
      // Removing the address cancels the request.
      queue.current.loading?.removeAttribute('src');
      queue.current.loading = null;
      queue.current.wanted = null;
    },
    [],
  );
  return result;
}
