import { readFileSync } from 'node:fs';
import { mediaTypeOf } from '../../../src/engine/media/media-type.ts';
import { parseJsonBody } from '../../../src/server/http/parse-json-body.ts';
import { CLIP_TYPES, describeSource } from '../../../src/session/sources/describe-source.ts';
import { readPackageZip } from '../../../src/template/archive/read-package-zip.ts';
import { isImage } from '../../../src/template/is-image.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';

const [kind = '', path = ''] = process.argv.slice(2);
async function read(bytes: Buffer): Promise<string> {
  switch (kind) {
    case 'source': {
      if (isImage(bytes)) return (await describeSource(bytes, 'image')).contentType;
      const isClip = (mediaTypeOf(bytes) ?? '') in CLIP_TYPES;
      const clip = isClip ? await describeSource(bytes, 'video').catch((error: Error) => error) : null;
      if (clip !== null && !(clip instanceof Error)) return clip.contentType;
      return (await describeSource(bytes, 'audio').catch((error) => Promise.reject(clip ?? error))).contentType;
    }
    case 'package': {
      const files = readPackageZip(bytes);
      if (!files.ok) return `${files.diagnostics[0]!.code}: ${files.diagnostics[0]!.message}`;
      const parsed = parseTemplatePackage('', files.value);
      return parsed.ok ? 'taken' : `${parsed.diagnostics[0]!.code}: ${parsed.diagnostics[0]!.message}`;
    }
    default:
      parseJsonBody(bytes, 32);
      return 'taken';
  }
}
const bytes = readFileSync(path);
const before = process.resourceUsage().maxRSS;
const cpu = process.cpuUsage();
const outcome = await read(bytes).catch(
  (error: { code?: string; message: string; error?: { code: string; detail?: string } }) =>
    `${error.error?.code ?? error.code}: ${error.error?.detail ?? error.message}`,
);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    ms: Math.round((user + system) / 1000),
    mb: Math.round((process.resourceUsage().maxRSS - before) / 1024),
    outcome: outcome.slice(0, 160),
  }),
);
process.exit(0);
