import { describe, expect, it } from 'vitest';
import { followRedirects, redirectTarget } from '../../src/http/redirects.ts';

describe('redirectTarget()', () => {
  it.each([
    [301, '/b', 'https://a.example/b'],
    [302, 'https://b.example/', 'https://b.example/'],
    [303, 'c?d', 'https://a.example/x/c?d'],
    [307, Buffer.from('/é').toString('latin1'), 'https://a.example/%C3%A9'],
    [308, 'http://', 'http://'],
    [200, '/b', null],
    [304, '/b', null],
    [301, undefined, null],
  ])('of %d with Location %j is %j', (status, location, target) => {
    const headers = location === undefined ? {} : { location };
    expect(redirectTarget({ status, headers }, 'https://a.example/x/y')).toBe(target);
  });
});

describe('followRedirects()', () => {
  it('asks for each URL in turn, and stops at the limit', async () => {
    const asked: string[] = [];
    const ask = async (url: string, redirects: number) => {
      asked.push(url);
      return redirects === 2 ? { result: 'end' } : { redirectedTo: `${url}/${redirects}` };
    };
    expect(await followRedirects('a', 2, ask)).toBe('end');
    expect(asked).toEqual(['a', 'a/0', 'a/0/1']);
    expect(await followRedirects('a', 1, ask)).toBeNull();
  });
});
