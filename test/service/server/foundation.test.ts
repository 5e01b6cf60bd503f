import { expect, it } from 'vitest';
import { openFoundation } from '../../../src/service/server/foundation.ts';
import { createLogger } from '../../../src/service/server/log.ts';
import { createRenderPool } from '../../../src/service/sessions/processes/render-pool.ts';
import { TEST_SETTINGS } from '../../support/test-settings.ts';

it('openFoundation() closes the render processes if the database does not respond', async () => {
  let open = 0;
  const opened = openFoundation({
    settings: { ...TEST_SETTINGS, databaseUrl: 'postgres://reelform@127.0.0.1:1/reelform' },
    servedAt: 'http://127.0.0.1:8080',
    logger: createLogger('error', { write() {} }),
    createRenderPool(options) {
      const pool = createRenderPool(options);
      open += 1;
      return {
        ...pool,
        close() {
          open -= 1;
          return pool.close();
        },
      };
    },
  });
  await expect(opened).rejects.toMatchObject({ code: 'database_unavailable' });
  expect(open).toBe(0);
});
