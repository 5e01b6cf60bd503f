import type { Diagnostic, Span } from './diagnostic.ts';

/** Where a value of a checked document stands in what the user wrote. */
interface Place {
  readonly span: Span;
  /** What the text shows of the cause and the value alone cannot: it replaces the checker's hint. */
  readonly hint?: string | undefined;
  /** Names the row of data that filled the value in; it belongs in the message. */
  readonly row?: string | undefined;
}

/** Finds the place of a key or of its value; of the nearest thing around it where the document does not have it. */
export type Locate = (path: readonly string[], part: 'key' | 'value') => Place;

/** Holds a document against a schema and tells all that is wrong. */
export type Check = (document: unknown, locate: Locate) => readonly Diagnostic[];
