import type { Element } from '@xmldom/xmldom';

const ELEMENT = 1;
const TEXT = 3;
const CDATA = 4;

/** Returns the elements of an element. */
export function childElements(parent: Element): Element[] {
  return Array.from(parent.childNodes).filter((node): node is Element => node.nodeType === ELEMENT);
}

/** Returns the first element of a name; null if there is none. */
export function childNamed(parent: Element, name: string): Element | null {
  return childElements(parent).find(({ localName }) => localName === name) ?? null;
}

/**
 * Returns the text of an element with inline codes. A code stands for its original text, so that placeholders survive tools that
 * protect them.
 *
 * @param originals of the unit, by id
 */
export function textOfElement(element: Element, originals: ReadonlyMap<string, string> = new Map()): string {
  return Array.from(element.childNodes)
    .map((node): string => {
      if (node.nodeType === TEXT || node.nodeType === CDATA) return node.nodeValue ?? '';
      if (node.nodeType !== ELEMENT) return '';
      const code = node as Element;
      if (code.localName === 'cp')
        return String.fromCodePoint(Number.parseInt(code.getAttribute('hex') ?? '', 16) || 0xfffd);
      const data = (name: string): string => originals.get(code.getAttribute(name) ?? '') ?? '';
      const inside = textOfElement(code, originals);
      const first =
        data('dataRef') ||
        data('dataRefStart') ||
        (inside === '' ? (code.getAttribute('equiv') ?? code.getAttribute('equiv-text') ?? '') : '');
      return `${first}${inside}${data('dataRefEnd')}`;
    })
    .join('');
}
