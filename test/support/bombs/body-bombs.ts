import { BODY_BYTES, type Bomb } from './bomb.ts';

function bomb(what: string, text: (length: number) => string): Bomb {
  const make = (sizeBytes: number): Uint8Array => Buffer.from(text(sizeBytes - 20));
  return { name: `JSON: ${what}`, kind: 'body', limitBytes: BODY_BYTES, make };
}

/** Bodies of `POST /v2/render_sessions`. */
export const BODY_BOMBS: readonly Bomb[] = [
  bomb('lists in lists', (length) => `{"title":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`),
  bomb('lists that do not end', (length) => '['.repeat(length)),
  bomb('lists of nothing', (length) => `{"title":[${'[],'.repeat(length / 3)}0]}`),
  bomb('fields of many names', (length) => {
    return `{${Array.from({ length: length / 12 }, (_, index) => `"k${1_000_000 + index}":0`).join(',')}}`;
  }),
  bomb('the same field again', (length) => `{${'"title":0,'.repeat(length / 10)}"x":0}`),
  bomb('one text', (length) => `{"title":"${'x'.repeat(length)}"}`),
  bomb('one text of escapes', (length) => `{"title":"${'\\u0041'.repeat(length / 6)}"}`),
  bomb('one number', (length) => `{"title":${'1'.repeat(length)}}`),
  bomb('spaces', (length) => `{"title":${' '.repeat(length)}0}`),
];
