import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPackageZip } from '../../../src/template/archive/read-package-zip.ts';
import { writePackageZip } from '../../../src/template/archive/write-zip.ts';
import { runs } from '../../support/full-run.ts';
import { type RawEntry, rawZip } from './raw-zip.ts';

const GOOD: RawEntry = { name: 'template.yaml', bytes: Buffer.from('name: a') };

function pathsOf(zip: Uint8Array): string[] {
  const files = readPackageZip(zip);
  if (!files.ok) throw new Error(files.diagnostics.map(({ message }) => message).join('; '));
  return [...files.value.keys()];
}

function problemsOf(zip: Uint8Array): string[] {
  const files = readPackageZip(zip);
  if (files.ok) throw new Error('nothing is wrong with it');
  expect(files.diagnostics.every(({ code, severity }) => code === 'template_invalid' && severity === 'error')).toBe(
    true,
  );
  return files.diagnostics.map(({ message }) => message);
}

describe('readPackageZip()', () => {
  it('returns stored and compressed files', () => {
    const stored = { name: 'images/a.png', bytes: Buffer.from('pixels'), method: 0 };
    const empty = { name: 'empty', bytes: Buffer.alloc(0) };
    const files = readPackageZip(rawZip([GOOD, stored, empty], { comment: 'made by hand' }));
    expect(files).toEqual({
      ok: true,
      value: new Map([
        ['template.yaml', Buffer.from('name: a')],
        ['images/a.png', Buffer.from('pixels')],
        ['empty', Buffer.alloc(0)],
      ]),
    });
  });

  it('strips one enclosing directory and skips hidden files', () => {
    const names = ['launch/', 'launch/template.yaml', 'launch/images/', 'launch/images/a.png', 'launch/.DS_Store'];
    const mac = ['__MACOSX/launch/._template.yaml', '.git/config'];
    const entries = [...names, ...mac].map((name) =>
      name.endsWith('/') ? { name, bytes: Buffer.alloc(0) } : { name },
    );
    expect(pathsOf(rawZip(entries))).toEqual(['template.yaml', 'images/a.png']);
    expect(pathsOf(rawZip([{ name: 'launch/a' }, { name: 'b' }]))).toEqual(['launch/a', 'b']);
    expect(pathsOf(rawZip([{ name: 'a/b/c' }, { name: 'a/b/d' }]))).toEqual(['b/c', 'b/d']);
  });

  it('normalises names to one Unicode form', () => {
    expect(pathsOf(rawZip([GOOD, { name: 'images/u\u0308ber.png' }]))).toContain('images/\u00fcber.png');
  });

  it.each([
    '../evil',
    'a/../../evil',
    'a/..',
    '..',
    '/etc/passwd',
    '//server/share',
    'a//b',
    './a',
    'a/./b',
    '..\\evil',
    'a\\..\\..\\evil',
    '\\evil',
    'C:/evil',
    'c:evil',
    'evil\0.png',
    'evil\n.png',
    'evil\u001b[2J',
    '__proto__',
    '__proto__/polluted',
    'a/__proto__/b',
    'a/__proto__/',
    '../',
    '.hidden/../../evil',
    `${'a/'.repeat(300)}b`,
    '',
    '/',
  ])('rejects the name %j', (name) => expect(problemsOf(rawZip([GOOD, { name }]))).not.toEqual([]));

  it('rejects a name that is not UTF-8', () => {
    expect(problemsOf(rawZip([GOOD, { name: Buffer.from('\xfcber', 'latin1') }]))).toHaveLength(1);
  });

  it.each([
    ['a link', { mode: 0o120777 }],
    ['a device', { mode: 0o020666 }],
    ['a pipe', { mode: 0o010666 }],
    ['an encrypted file', { flags: 1 }],
    ['a strongly encrypted file', { flags: 0x41 }],
    ['masked headers', { flags: 0x2000 }],
    ['another method', { method: 14 }],
    ['a wrong checksum', { crc: 1 }],
    ['a wrong checksum, stored', { crc: 1, method: 0 }],
    ['a size that is too small', { bytes: Buffer.alloc(1000), sizeBytes: 10 }],
    ['a size of nothing', { bytes: Buffer.alloc(1000), sizeBytes: 0 }],
    ['a size that is too large', { bytes: Buffer.alloc(10), sizeBytes: 1000 }],
    ['a size of ZIP64', { sizeBytes: 0xffffffff }],
    ['a compressed size of ZIP64', { compressedBytes: 0xffffffff }],
    ['compressed bytes that are too few', { bytes: Buffer.from('a longer text'), compressedBytes: 4 }],
    ['compressed bytes into the directory', { compressedBytes: 100 }],
    ['no deflated data', { data: Buffer.from('no such thing') }],
    ['another name in its own header', { localName: 'b' }],
    ['another method in its own header', { localMethod: 0 }],
    ['an offset behind the end', { offset: 0xfffffff0 }],
    ['an offset into nothing', { offset: 3 }],
    ['a folder with bytes', { name: 'folder/' }],
  ] satisfies [string, Partial<RawEntry>][])('rejects an entry with %s', (_, entry) => {
    expect(problemsOf(rawZip([GOOD, { name: 'a', ...entry }]))).not.toEqual([]);
  });

  it('rejects a bomb before decompressing it, and a disguised one while decompressing', () => {
    const zeros = Buffer.alloc(60_000_000);
    const tooMuch = [expect.stringContaining('more than 200 times'), expect.stringContaining('50 MB')];
    expect(problemsOf(rawZip([GOOD, { name: 'zeros', bytes: zeros }]))).toEqual(tooMuch);
    expect(problemsOf(rawZip([{ name: 'zeros', bytes: zeros.subarray(0, 2_000_000) }]))).toEqual(tooMuch.slice(0, 1));
    const parts = Array.from({ length: 12 }, (_, index) => ({ name: `${index}`, bytes: zeros.subarray(0, 5_000_000) }));
    expect(problemsOf(rawZip(parts)).at(-1)).toContain('50 MB');
    const liar = { name: 'zeros', data: deflateRawSync(zeros), sizeBytes: 5, bytes: Buffer.from('x') };
    expect(problemsOf(rawZip([liar]))).toEqual([expect.stringContaining('damaged')]);
  });

  it('rejects entries that share their bytes', () => {
    const kernel = rawZip([
      { name: 'a', bytes: Buffer.alloc(1000) },
      { name: 'a', offset: 0, bytes: Buffer.alloc(1000) },
    ]);
    expect(problemsOf(kernel)).toEqual(['The package has overlapping entries']);
  });

  it('rejects too many files', () => {
    const many = Array.from({ length: 2001 }, (_, index) => ({ name: `f${index}` }));
    expect(problemsOf(rawZip(many))).toEqual(['The package has 2001 files; the limit is 2,000']);
    expect(pathsOf(rawZip(many.slice(1)))).toHaveLength(2000);
  });

  it.each([
    [['a', 'a']],
    [['Logo.png', 'logo.PNG']],
    [['u\u0308.png', '\u00fc.png']],
    [['Images/a', 'images/A']],
    [['a', 'a/b']],
    [['a/B', 'A/b/c']],
  ])('rejects paths that conflict: %j', (names) => {
    expect(problemsOf(rawZip(names.map((name) => ({ name }))))).toHaveLength(1);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('no zip'.repeat(100))],
    ['bytes before', rawZip([GOOD], { before: Buffer.from('#!/bin/sh\n'), directoryOffset: 50 })],
    ['bytes behind', rawZip([GOOD], { behind: Buffer.from('more') })],
    ['several parts', rawZip([GOOD], { disk: 1 })],
    ['ZIP64', rawZip([GOOD], { count: 0xffff })],
    ['more entries than there are', rawZip([GOOD], { count: 2 })],
    ['fewer entries than there are', rawZip([GOOD, { name: 'b' }], { count: 1 })],
    ['a directory elsewhere', rawZip([GOOD], { directoryOffset: 0 })],
    ['half of it', rawZip([GOOD]).subarray(0, 60)],
  ])('rejects a zip with %s', (_, zip) => expect(problemsOf(zip)).toHaveLength(1));

  it('reports all mistakes up to a limit and shortens long names', () => {
    const long = `../${'a'.repeat(10_000)}`;
    const two = problemsOf(rawZip([{ name: '../a' }, { name: 'b', mode: 0o120777 }]));
    expect(two).toHaveLength(2);
    const many = problemsOf(rawZip(Array.from({ length: 500 }, () => ({ name: long }))));
    expect(many).toHaveLength(51);
    expect(many.join('').length).toBeLessThan(20_000);
  });

  it('returns a result for any bytes', () => {
    const zip = writePackageZip(
      new Map([
        ['a/b.txt', Buffer.from('hello hello')],
        ['c', Buffer.alloc(300)],
      ]),
    );
    fc.assert(
      fc.property(fc.nat(zip.length), fc.uint8Array({ maxLength: 8 }), fc.nat(zip.length), (at, noise, cut) => {
        const damaged = Uint8Array.from(zip);
        damaged.set(noise.subarray(0, Math.max(0, damaged.length - at)), at);
        readPackageZip(damaged);
        readPackageZip(damaged.subarray(0, cut));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
