import { DOMParser, type Document, type Element, type Node, XMLSerializer } from '@xmldom/xmldom';
import { defined } from '../../kernel/defined.ts';
import { failure, type Result, startOf } from '../../kernel/diagnostic.ts';
import { sha256 } from '../../kernel/digest.ts';
import type { CatalogueFormat, CatalogueLocales, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';
import { lineSpans } from './line-spans.ts';
import { readUnits12 } from './xliff-1.2.ts';
import { childElements, childNamed, textOfElement } from './xml-elements.ts';

const XLIFF = 'urn:oasis:names:tc:xliff:document:2.0';
const SIZES = 'urn:oasis:names:tc:xliff:sizerestriction:2.0';
/** Sub-state of a segment whose source changed after its translation. */
const STALE = 'reelform:stale';
/** Categories of notes that are written here. Others are kept. */
const NOTES = ['location', 'label', 'lines', 'picture', 'previous', 'obsolete'] as const;

/**
 * XLIFF 2. Version 1.2 is read; it is written as version 2.
 *
 * @see https://docs.oasis-open.org/xliff/xliff-core/v2.1/xliff-core-v2.1.html, with the size and length restriction module
 */
export const XLIFF_FORMAT: CatalogueFormat = {
  read(file, text): Result<readonly LocatedUnit[]> {
    const parsed = parse(file, text);
    if (!parsed.ok) return parsed;
    const root = parsed.value.documentElement;
    const version = root?.getAttribute('version') ?? '';
    if (root?.localName !== 'xliff' || !/^(?:1\.[12]|2\.\d)$/.test(version)) {
      return failure('catalogue_invalid', startOf(file), `${file} is not XLIFF 1.2 or 2`, 'Export it from the translation tool as XLIFF'); // biome-ignore format: one line
    }
    const spanOf = lineSpans(file, text);
    const units = version.startsWith('1.') ? readUnits12(root) : unitElements(root).map(unitOf);
    return {
      ok: true,
      value: units.flatMap(({ line, ...unit }) => (unit.context === '' ? [] : [{ ...unit, at: spanOf(line) }])),
    };
  },

  write(units, locales, former): string {
    const parsed = former === null ? null : parse('', former);
    const isVersion2 = parsed?.ok === true && parsed.value.documentElement?.getAttribute('version')?.startsWith('2.');
    const document = isVersion2 && parsed?.ok ? parsed.value : newDocument(locales);
    const elements = new Map(unitElements(document.documentElement!).map((element) => [keyOf(element), element]));
    const fileElement = childNamed(document.documentElement!, 'file') ?? document.documentElement!;
    let before: Element | null = null;
    const written = new Set<Element>();
    for (const unit of units) {
      const known = isVersion2 && unit.raw !== null ? elements.get(keyOf(unit.raw as Element)) : undefined;
      const element: Element = known ?? insertUnit(document, fileElement, before, unit.context);
      writeUnit(document, element, unit);
      written.add(element);
      before = element;
    }
    for (const element of elements.values()) if (!written.has(element)) removeWithSpace(element);
    return `${new XMLSerializer().serializeToString(document).trimEnd()}\n`;
  },
};

function parse(file: string, text: string): Result<Document> {
  // The parser wraps what a handler throws in sentences of its own.
  let problem: string | undefined;
  try {
    const onError = (level: string, message: string): void => {
      if (level === 'warning') return;
      problem ??= message;
      throw new Error(message);
    };
    // By default, line separators that only XML 1.1 knows become line feeds.
    const normalizeLineEndings = (lines: string): string => lines.replaceAll(/\r\n?/g, '\n');
    const parser = new DOMParser({ onError, normalizeLineEndings });
    return { ok: true, value: parser.parseFromString(text.replace(/^\ufeff/, ''), 'text/xml') };
  } catch (error) {
    const reason = (problem ?? (error instanceof Error ? error.message : String(error))).split('\n')[0];
    const { locator } = error as { readonly locator?: { readonly lineNumber?: number } };
    const at = lineSpans(file, text)(locator?.lineNumber ?? 1);
    return failure('catalogue_invalid', at, `${file} is not valid XML: ${reason}`, 'Correct the file, or restore it from Git'); // biome-ignore format: one line
  }
}

function newDocument({ source, target }: CatalogueLocales): Document {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="${XLIFF}" xmlns:slr="${SIZES}" version="2.0" srcLang="${source}" trgLang="${target}">
  <file id="reelform" xml:space="preserve">
    <slr:profiles generalProfile="xliff:codepoints"/>
  </file>
</xliff>`;
  return new DOMParser().parseFromString(text, 'text/xml');
}

function unitElements(root: Element): Element[] {
  return childElements(root).flatMap((child): Element[] => {
    if (child.localName === 'unit') return [child];
    return child.localName === 'file' || child.localName === 'group' ? unitElements(child) : [];
  });
}

/** Units of different files may have the same id. */
function keyOf(element: Element): string {
  return `${(element.parentNode as Element | null)?.getAttribute?.('id') ?? ''} ${element.getAttribute('id') ?? ''}`;
}

function unitOf(element: Element): CatalogueUnit<Element> & { readonly line: number } {
  const segments = childElements(element).filter(
    ({ localName }) => localName === 'segment' || localName === 'ignorable',
  );
  const originals = originalData(element);
  const text = (name: 'source' | 'target'): string => {
    const parts = segments.map((segment) => {
      const part =
        childNamed(segment, name) ?? (segment.localName === 'ignorable' ? childNamed(segment, 'source') : null);
      return part === null ? null : textOfElement(part, originals);
    });
    // A text of which a part is not translated is not translated.
    const isWhole = segments.every(({ localName }, index) => localName === 'ignorable' || (parts[index] ?? '') !== '');
    return isWhole ? parts.join('') : '';
  };
  const notes = notesOf(element);
  const target = text('target');
  const isStale = segments.some((segment) => {
    return (
      segment.localName === 'segment' &&
      (segment.getAttribute('subState') === STALE || segment.getAttribute('state') === 'initial')
    );
  });
  const size = Number(element.getAttributeNS(SIZES, 'sizeRestriction') || Number.NaN);
  const lines = Number(notes.get('lines') ?? Number.NaN);
  return {
    context: element.getAttribute('name') || element.getAttribute('id') || '',
    source: text('source'),
    target,
    isStale: isStale && target !== '',
    isObsolete: notes.has('obsolete'),
    raw: element,
    line: (element as unknown as { readonly lineNumber?: number }).lineNumber ?? 1,
    ...defined({
      location: notes.get('location'),
      label: notes.get('label'),
      still: notes.get('picture'),
      previous: notes.get('previous'),
      lines: Number.isInteger(lines) ? lines : undefined,
      maxLength: Number.isInteger(size) ? size : undefined,
    }),
  };
}

function originalData(unit: Element): ReadonlyMap<string, string> {
  const data = childNamed(unit, 'originalData');
  const entries = data === null ? [] : childElements(data);
  return new Map(entries.map((entry) => [entry.getAttribute('id') ?? '', entry.textContent ?? '']));
}

function notesOf(unit: Element): Map<string, string> {
  const notes = childNamed(unit, 'notes');
  const ours: readonly string[] = NOTES;
  return new Map(
    (notes === null ? [] : childElements(notes)).flatMap((note) => {
      const category = note.getAttribute('category') ?? '';
      return ours.includes(category) ? [[category, note.textContent ?? ''] as const] : [];
    }),
  );
}

function insertUnit(document: Document, file: Element, before: Element | null, context: string): Element {
  const unit = document.createElementNS(XLIFF, 'unit');
  unit.setAttribute('id', `u-${sha256(context).slice(0, 12)}`);
  unit.setAttribute('name', context);
  const parent = (before?.parentNode ?? file) as Element;
  const first = before === null ? (unitElements(parent)[0] ?? null) : null;
  const next: Node | null = before === null ? first : before.nextSibling;
  const space = document.createTextNode('\n    ');
  if (next === null || next.parentNode !== parent) {
    // Before the line break that closes the file.
    const last = parent.lastChild;
    const isSpace = last?.nodeType === 3 && /^\s*$/.test(last.nodeValue ?? '');
    const place = isSpace ? last : null;
    parent.insertBefore(space, place);
    parent.insertBefore(unit, place);
  } else if (before === null) {
    parent.insertBefore(unit, next);
    parent.insertBefore(space, next);
  } else {
    parent.insertBefore(space, next);
    parent.insertBefore(unit, next);
  }
  return unit;
}

/** Changes a unit where it differs, so that inline codes of other tools stay. */
function writeUnit(document: Document, element: Element, unit: CatalogueUnit): void {
  const present = unitOf(element);
  setAttribute(element, 'slr:sizeRestriction', unit.maxLength === undefined ? null : String(unit.maxLength), SIZES);
  writeNotes(document, element, {
    location: unit.location,
    label: unit.label,
    lines: unit.lines === undefined ? undefined : String(unit.lines),
    picture: unit.still,
    previous: unit.previous,
    obsolete: unit.isObsolete ? 'The text is no longer used.' : undefined,
  });
  const isSame =
    present.source === unit.source && present.target === unit.target && childNamed(element, 'segment') !== null;
  if (isSame && present.isStale === unit.isStale) return;
  const segments = childElements(element).filter(
    ({ localName }) => localName === 'segment' || localName === 'ignorable',
  );
  const segment =
    segments.find(({ localName }) => localName === 'segment') ?? appendIndented(document, element, 'segment');
  if (!isSame) {
    for (const other of segments) if (other !== segment) removeWithSpace(other);
    if (present.source !== unit.source || childNamed(segment, 'source') === null || segments.length > 1) {
      setText(document, segment, 'source', unit.source);
    }
    if (unit.target === '') removeNamed(segment, 'target');
    else if (present.target !== unit.target || segments.length > 1) setText(document, segment, 'target', unit.target);
  }
  for (const changed of isSame ? segments.filter(({ localName }) => localName === 'segment') : [segment]) {
    writeState(changed, unit);
  }
}

function writeState(segment: Element, { target, isStale }: CatalogueUnit): void {
  const state = segment.getAttribute('state');
  const isDone = state !== null && state !== '' && state !== 'initial';
  segment.setAttribute('state', target === '' || isStale ? 'initial' : isDone ? state : 'translated');
  if (isStale) segment.setAttribute('subState', STALE);
  else if (segment.getAttribute('subState') === STALE) segment.removeAttribute('subState');
}

function writeNotes(
  document: Document,
  unit: Element,
  notes: Readonly<Record<(typeof NOTES)[number], string | undefined>>,
): void {
  const present = notesOf(unit);
  if (NOTES.every((category) => present.get(category) === notes[category])) return;
  let list = childNamed(unit, 'notes');
  if (list === null) {
    list = document.createElementNS(XLIFF, 'notes');
    unit.insertBefore(list, childNamed(unit, 'originalData') ?? childNamed(unit, 'segment') ?? null);
    if (list.nextSibling === null || list.nextSibling.nodeType !== 3)
      unit.insertBefore(document.createTextNode('\n      '), list);
  }
  const ours: readonly string[] = NOTES;
  for (const note of childElements(list)) if (ours.includes(note.getAttribute('category') ?? '')) removeWithSpace(note);
  for (const category of NOTES) {
    const text = notes[category];
    if (text === undefined) continue;
    const note = appendIndented(document, list, 'note', 8);
    note.setAttribute('category', category);
    note.textContent = text;
  }
  if (childElements(list).length === 0) removeWithSpace(list);
}

function appendIndented(document: Document, parent: Element, name: string, indent = 6): Element {
  const element = document.createElementNS(XLIFF, name);
  const last = parent.lastChild;
  if (last?.nodeType === 3 && /^\s*$/.test(last.nodeValue ?? '')) parent.removeChild(last);
  parent.appendChild(document.createTextNode(`\n${' '.repeat(indent)}`));
  parent.appendChild(element);
  parent.appendChild(document.createTextNode(`\n${' '.repeat(indent - 2)}`));
  return element;
}

function setText(document: Document, segment: Element, name: 'source' | 'target', text: string): void {
  let element = childNamed(segment, name);
  if (element === null) {
    element = document.createElementNS(XLIFF, name);
    segment.insertBefore(
      element,
      name === 'source' ? segment.firstChild : (childNamed(segment, 'source')?.nextSibling ?? null),
    );
  }
  element.textContent = text;
}

function setAttribute(element: Element, name: string, value: string | null, namespace: string): void {
  if (value === null) element.removeAttributeNS(namespace, name.replace(/^.*:/, ''));
  else element.setAttributeNS(namespace, name, value);
}

function removeNamed(parent: Element, name: string): void {
  const element = childNamed(parent, name);
  if (element !== null) parent.removeChild(element);
}

function removeWithSpace(element: Element): void {
  const { parentNode: parent, previousSibling: before } = element;
  if (before?.nodeType === 3 && /^\s*$/.test(before.nodeValue ?? '')) parent?.removeChild(before);
  parent?.removeChild(element);
}
