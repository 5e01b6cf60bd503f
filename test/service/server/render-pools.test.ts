import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../src/service/server/log.ts';
import { openRenderPools } from '../../../src/service/server/render-pools.ts';
import { TEST_SETTINGS } from '../../support/test-settings.ts';

describe('openRenderPools()', () => {
  it('logs the name of the sandbox, or warns that there is none', () => {
    const lines: [level: string, fields: object, message: string][] = [];
    const write =
      (level: string) =>
      (fields: object, message: string): void =>
        void lines.push([level, fields, message]);
    const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
    const { sandbox, close } = openRenderPools(TEST_SETTINGS, log);
    onTestFinished(close);
    const { description, gap } = sandbox;
    expect(lines).toEqual([
      gap === null
        ? ['info', { sandbox: description }, 'renders run in a sandbox']
        : ['warn', { sandbox: description, gap }, 'the sandbox for renders is missing or incomplete'],
    ]);
  });
});
