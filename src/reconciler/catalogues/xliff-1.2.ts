import type { Element } from '@xmldom/xmldom';
import { defined } from '../../kernel/defined.ts';
import type { CatalogueUnit } from '../locales/catalogue.ts';
import { childElements, childNamed, textOfElement } from './xml-elements.ts';

/** States of XLIFF 1.2 that mean that a target is not finished. */
const UNFINISHED = ['new', 'needs-translation', 'needs-adaptation', 'needs-l10n', 'needs-review-translation', 'needs-review-adaptation', 'needs-review-l10n']; // biome-ignore format: one list

/**
 * Reads the units of XLIFF 1.2.
 *
 * @see https://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html
 */
export function readUnits12(root: Element): (CatalogueUnit<Element> & { readonly line: number })[] {
  return transUnits(root).map((element) => {
    const target = childNamed(element, 'target');
    const source = childNamed(element, 'source');
    const text = target === null ? '' : textOfElement(target);
    const state = target?.getAttribute('state') ?? '';
    const width = Number(element.getAttribute('maxwidth') || Number.NaN);
    const notes = childElements(element).filter(({ localName }) => localName === 'note');
    return {
      context: element.getAttribute('resname') || element.getAttribute('id') || '',
      source: source === null ? '' : textOfElement(source),
      target: text,
      isStale: text !== '' && UNFINISHED.includes(state),
      isObsolete: false,
      raw: element,
      line: (element as unknown as { readonly lineNumber?: number }).lineNumber ?? 1,
      ...defined({
        label: notes[0]?.textContent || undefined,
        maxLength: Number.isInteger(width) && element.getAttribute('size-unit') === 'char' ? width : undefined,
      }),
    };
  });
}

function transUnits(parent: Element): Element[] {
  return childElements(parent).flatMap((child) => (child.localName === 'trans-unit' ? [child] : transUnits(child)));
}
