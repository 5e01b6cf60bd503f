import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Size of an element's content in CSS pixels; 0 until it is measured. */
export function useSize<T extends HTMLElement>(): [
  RefObject<T | null>,
  { readonly width: number; readonly height: number },
] {
  const element = useRef<T>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (element.current === null) return;
    const measure = ({ width, height }: { readonly width: number; readonly height: number }): void =>
      setSize((last) => (last.width === width && last.height === height ? last : { width, height }));
    measure({ width: element.current.clientWidth, height: element.current.clientHeight });
    const observer = new ResizeObserver(([entry]) => measure(entry!.contentRect));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}
