import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { deployFile, ROOT, unknownVariables } from './deploy-files.ts';

const TEXT = deployFile('Dockerfile');
/** Instructions, one per line, without comments. */
const INSTRUCTIONS = TEXT.replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '');
const LAST_STAGE = INSTRUCTIONS.slice(INSTRUCTIONS.findLastIndex((line) => line.startsWith('FROM ')));

describe('deploy/Dockerfile', () => {
  it('passes the Dockerfile linter', () => {
    expect(validate(TEXT).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  });

  it('pins its base images, copies existing files and downloads nothing', () => {
    for (const line of INSTRUCTIONS.filter((one) => one.startsWith('FROM '))) {
      expect(line).toMatch(/^FROM [\w./-]+:\d+\.\d+\.\d+-[\w-]+(?: AS \w+)?$/);
    }
    expect(INSTRUCTIONS.filter((line) => /^ADD |curl|wget/.test(line))).toEqual([]);
    const copied = INSTRUCTIONS.filter((line) => line.startsWith('COPY ') && !line.includes('--from'));
    const sources = copied.flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
  });

  it('runs as an unprivileged user under an init process', () => {
    expect(LAST_STAGE.findLast((line) => line.startsWith('USER '))).toBe('USER node');
    expect(LAST_STAGE.findLast((line) => line.startsWith('ENTRYPOINT '))).toContain('"tini", "--", "node"');
  });

  it('sets only known settings', () => {
    const names = LAST_STAGE.filter((line) => line.startsWith('ENV ')).flatMap((line) =>
      [...line.matchAll(/(\w+)=/g)].map((match) => match[1]!),
    );
    expect(names).toContain('REELFORM_DATA');
    expect(unknownVariables(names)).toEqual([]);
  });
});
