import { hashSourceFile } from '../../../src/kernel/read-source.ts';
import { createHttpService } from '../../../src/reconciler/service-client/http-service.ts';

/** Uploads a file and prints the peak of its memory in bytes. */
const [url, path] = process.argv.slice(2) as [string, string];
const service = createHttpService({
  url,
  token: 'token-of-this-test',
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  random: () => 1,
  wait: async () => undefined,
});
const bytes = await hashSourceFile(path);
await service.uploadSource({ bytes, sha256: bytes.sha256, name: 'clip.mp4' });
process.stdout.write(String(process.resourceUsage().maxRSS * 1024));
