import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/kernel/digest.ts';
import { contentSha256, parseLfsPointer, wrongKind } from '../../src/kernel/file-kind.ts';
import { pointerTo } from '../support/lfs-pointer.ts';

const OID = 'a'.repeat(64);
const pointer = (text: string): ReturnType<typeof parseLfsPointer> => parseLfsPointer(Buffer.from(text));
const VERSION = 'version https://git-lfs.github.com/spec/v1\n';

describe('parseLfsPointer()', () => {
  it('reads oid and size', () => {
    expect(pointer(`${VERSION}oid sha256:${OID}\nsize 12345\n`)).toEqual({ oid: OID, sizeBytes: 12_345 });
    const extended = `${VERSION}ext-0-foo sha256:${'b'.repeat(64)}\noid sha256:${OID}\nsize 7\n`;
    expect(pointer(extended)).toEqual({ oid: OID, sizeBytes: 7 });
  });

  it.each([
    ['another version', `version https://git-lfs.github.com/spec/v2\noid sha256:${OID}\nsize 1\n`],
    ['version elsewhere', `oid sha256:${OID}\nsize 1\n${VERSION}`],
    ['keys out of order', `${VERSION}size 1\noid sha256:${OID}\n`],
    ['a key twice', `${VERSION}oid sha256:${OID}\noid sha256:${OID}\nsize 1\n`],
    ['another hash', `${VERSION}oid md5:${OID}\nsize 1\n`],
    ['a short oid', `${VERSION}oid sha256:${OID.slice(1)}\nsize 1\n`],
    ['no size', `${VERSION}oid sha256:${OID}\n`],
    ['no last line break', `${VERSION}oid sha256:${OID}\nsize 1`],
    ['CR LF', `${VERSION}oid sha256:${OID}\nsize 1\n`.replaceAll('\n', '\r\n')],
    ['1024 bytes', `${VERSION}oid sha256:${OID}\nsize 1\nz ${'x'.repeat(2000)}`.slice(0, 1023).concat('\n')],
    ['text around it', `${VERSION}oid sha256:${OID}\nsize 1\n\n`],
  ])('rejects %s', (_, text) => {
    expect(pointer(text)).toBeNull();
  });
});

describe('contentSha256()', () => {
  it('is the digest of the bytes, whether they were fetched or not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const digest = createHash('sha256').update(bytes).digest('hex');
        expect([contentSha256(bytes), contentSha256(pointerTo(bytes))]).toEqual([digest, digest]);
      }),
    );
    expect(contentSha256(Buffer.from(VERSION))).toBe(sha256(VERSION));
  });
});

describe('wrongKind()', () => {
  it.each([
    ['', 'is empty, not an image'],
    ['<!DOCTYPE html><html>', 'is a web page, not an image; use a direct link to the file'],
    ['\n<!-- saved -->\n<html lang="en">', 'is a web page, not an image; use a direct link to the file'],
    ['<?xml version="1.0"?>\n<svg xmlns="…">', 'is an SVG drawing, not an image; export it as PNG, JPEG or WebP'],
    ['<rss>', 'is an XML document, not an image'],
    ['{"error": "expired"}', 'is a JSON document, not an image'],
    ['#EXTM3U\n', 'is a playlist, not an image; use the video itself'],
    ['no image', 'is a text, not an image'],
    ['\0\0\0\x18ftypheic\0\0\0\0', 'is a HEIC image, not an image; export it as PNG, JPEG or WebP'],
    ['\0\0\0\x1cftypmif1\0\0\0\0mif1heicheix', 'is a HEIC image, not an image; export it as PNG, JPEG or WebP'],
    ['\0\0\0\x18ftypmsf1\0\0\0\0msf1hevc', 'is a HEIC image, not an image; export it as PNG, JPEG or WebP'],
    ['\0\0\0\x18ftypmif1\0\0\0\0mif1avif', 'is an AVIF image, not an image'],
    ['\0\0\0\x18ftypavif\0\0\0\0mif1miaf', 'is an AVIF image, not an image'],
    ['\0\0\0\x18ftypisom\0\0\0\0', 'is an MP4 file, not an image'],
    ['%PDF-1.7', 'is a PDF document, not an image; export it as PNG, JPEG or WebP'],
    ['8BPS\0\x01', 'is a Photoshop document, not an image; export it as PNG, JPEG or WebP'],
    ['MM\0*\0\0\0\x08', 'is a TIFF image or raw photograph, not an image; export it as PNG, JPEG or WebP'],
    ['PK\x03\x04', 'is a zip archive, not an image; unpack it, and use the file inside'],
    ['\x1f\x8b\x08', 'is a gzip archive, not an image; unpack it, and use the file inside'],
    ['\x01\x02\x03\xff', 'is not an image'],
  ])('says what %j is', (text, expected) => {
    expect(wrongKind(Buffer.from(text, /[^\x00-\xff]/.test(text) ? 'utf8' : 'latin1'), 'an image')).toBe(expected);
  });

  it('names Git LFS pointers', () => {
    const expected = 'is a Git LFS pointer, not a font; git lfs pull fetches the file that it stands for';
    expect(wrongKind(pointerTo(Buffer.from('font')), 'a font')).toBe(expected);
  });

  it('uses the given remedy for kinds without one', () => {
    expect(wrongKind(Buffer.from('text'), 'a sound', 'convert it')).toBe('is a text, not a sound; convert it');
  });
});
