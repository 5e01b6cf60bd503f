import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT } from '../../../src/kernel/diagnostic.ts';
import { checkTokenOrigin, exchange } from '../../../src/reconciler/service-client/exchange.ts';
import { startServer } from '../../support/http-server.ts';

describe('exchange()', () => {
  it('explains a server without TLS', async () => {
    const { url, close } = await startServer((_, response) => void response.end());
    onTestFinished(close);
    const request = { method: 'GET', url: url.replace('http:', 'https:'), headers: {}, totalMs: 10_000 } as const;
    const message = expect.stringMatching(/: the response is not TLS; does the URL begin with http:\/\/\?$/);
    expect(await exchange(request, 'token')).toMatchObject({ kind: 'unsent', error: { message } });
  });
});

describe('checkTokenOrigin()', () => {
  it.each([
    ['https://api.example.com/base', undefined],
    ['https://api.example.com/base', '  '],
    ['https://api.example.com/base', 'https://api.example.com'],
    ['https://api.example.com', 'https://other.example, https://api.example.com:443/'],
  ])('allows the token for %s with %j', (url, allowed) => {
    expect(() => checkTokenOrigin(url, allowed)).not.toThrow();
  });

  it.each([
    ['https://evil.example', 'https://api.example.com'],
    ['https://api.example.com.evil.example', 'https://api.example.com'],
    ['http://api.example.com', 'https://api.example.com'],
    ['https://api.example.com:8443', 'https://api.example.com'],
    // An origin that cannot be parsed allows nothing.
    ['https://api.example.com', 'api.example.com'],
    ['https://api.example.com', '*'],
    ['https://api.example.com', ' , '],
  ])('refuses the token for %s with %j', (url, allowed) => {
    expect(() => checkTokenOrigin(url, allowed)).toThrow(
      expect.objectContaining({ code: 'token_origin', exitCode: EXIT.authentication }),
    );
  });
});
