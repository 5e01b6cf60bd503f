import { afterEach, expect, it, vi } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('reelform doctor prints the proxies without their credentials, and an unusable one as an error', async () => {
  const root = makeRepository({});
  vi.stubEnv('https_proxy', 'http://me:s3cret@proxy.example:3128');
  vi.stubEnv('http_proxy', '');
  vi.stubEnv('HTTP_PROXY', '');
  vi.stubEnv('no_proxy', 'api.github.com');
  const { stdout } = await reelform(root, ['doctor']);
  expect(stdout).toContain('other http URLs: direct, other https URLs: http://proxy.example:3128');
  expect(stdout).toContain('the forge: direct');
  expect(stdout).not.toContain('s3cret');
  vi.stubEnv('https_proxy', 'socks5://me:s3cret@proxy.example');
  const unusable = await reelform(root, ['doctor']);
  expect(unusable.stdout).toMatch(/✗ Proxy +The proxy for https:\/\/ URLs is not an http or https URL/);
  expect(unusable.stdout).not.toContain('s3cret');
});
