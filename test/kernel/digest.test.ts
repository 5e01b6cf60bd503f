import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byCodeUnit,
  canonicalJson,
  canonicalMap,
  fileSha256,
  type Json,
  knownJson,
  sha256,
  shareJson,
} from '../../src/kernel/digest.ts';

describe('sha256()', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('returns the digest of %j in FIPS 180-4', (text, digest) => {
    expect(sha256(text)).toBe(digest);
    expect(sha256(new TextEncoder().encode(text))).toBe(digest);
  });

  it('encodes text as UTF-8', () => {
    expect(sha256('ü')).toBe(sha256(new Uint8Array([0xc3, 0xbc])));
  });
});

describe('canonicalMap()', () => {
  it('serializes a map as the object of its entries, and is part of another value as it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (record) => {
        const text = canonicalMap(new Map(Object.entries(record)), canonicalJson);
        expect(text).toBe(canonicalJson(record));
        expect(canonicalJson({ b: [knownJson(text)], a: 1 })).toBe(canonicalJson({ b: [record], a: 1 }));
      }),
    );
  });
});

describe('canonicalJson()', () => {
  // The example of RFC 8785, section 3.2.2, and the order of section 3.2.3.
  it('writes numbers, literals and escapes as RFC 8785 does', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code unit', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 };
    const keys = [...canonicalJson(value).matchAll(/:(\d)/g)].map(([, number]) => Number(number));
    expect(keys).toEqual([2, 4, 6, 7, 1, 5, 3]);
  });

  it('omits undefined members', () => {
    expect(canonicalJson({ a: undefined, b: [] })).toBe('{"b":[]}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { a: '\udc00' }])('throws for %j', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('returns the same text for the same value in any order of keys', () => {
    const json = fc.jsonValue().filter((value) => JSON.stringify(value).isWellFormed()) as fc.Arbitrary<Json>;
    const reversed = (value: Json): Json => {
      if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, item]) => [key, reversed(item!)]),
      );
    };
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        // JSON has no negative zero: it is written as 0.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('shareJson()', () => {
  it('changes no text, also of values that hold a shared value twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const plain = structuredClone(value) as Json;
        const shared = shareJson(value) as Json;
        const [first, second] = [{ list: [shared, 1], shared }, { shared }];
        expect([first, second, first].map(canonicalJson)).toEqual(
          [{ list: [plain, 1], shared: plain }, { shared: plain }, { list: [plain, 1], shared: plain }].map(
            canonicalJson,
          ),
        );
      }),
    );
  });

  it('throws for a shared value without a JSON form each time', () => {
    const value = shareJson({ rate: Number.NaN });
    for (let turn = 0; turn < 2; turn++) expect(() => canonicalJson({ value })).toThrow(TypeError);
  });
});

describe('byCodeUnit()', () => {
  it('orders by code unit regardless of language', () => {
    expect(['b', 'ä', 'B', 'a', 'a/b', 'a-b'].sort(byCodeUnit)).toEqual(['B', 'a', 'a-b', 'a/b', 'b', 'ä']);
  });
});

describe('fileSha256()', () => {
  it.each([0, 1, 2 ** 22, 2 ** 22 + 1, 9_000_000])('returns the digest of %i bytes', async (length) => {
    const bytes = Buffer.alloc(length, 'reelform');
    expect(await fileSha256(bytes)).toBe(sha256(bytes));
  });

  it('yields to other work', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await fileSha256(Buffer.alloc(100_000_000));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(3);
  });
});
