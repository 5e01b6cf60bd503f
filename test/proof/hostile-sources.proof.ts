import { expect, it } from 'vitest';
import { hostileUrls, startRedirector, startTrap } from '../service/sessions/sources/hostile-urls.ts';
import { untilEnded } from '../support/api.ts';
import { pgliteDatabases } from '../support/databases.ts';
import { tell } from '../support/proof.ts';
import { sessionBody, startService } from '../support/running-service.ts';

const PHOTO = '(Footage)/USER/photo.png';

it('no URL or redirect makes the service connect to a forbidden address', async () => {
  const trap = await startTrap();
  const redirector = await startRedirector();
  try {
    const { styleVersion, client } = await startService(await pgliteDatabases.address(), {
      allowSources: [`127.0.0.1:${redirector.port}`],
    });
    const { api } = await client();
    // Names that require a real resolver are tested where the test supplies one.
    const hostile = hostileUrls(trap.port).filter(({ isNamed }) => !isNamed);
    const urls = hostile.flatMap(({ url }, index) => [url, redirector.urlTo(url, index % 3)]);
    const refused: string[] = [];
    const ids: string[] = [];
    for (const remote_url of urls) {
      const body = sessionBody(styleVersion, { [PHOTO]: { source: { remote_url } } });
      const { status, body: answer } = await api('POST', '/v2/render_sessions', { body });
      expect([201, 422]).toContain(status);
      if (status === 201) ids.push(answer.render_session.id);
      else refused.push(remote_url);
    }
    const codes = new Map<string, number>();
    for (const id of ids) {
      const session = await untilEnded(api, id);
      expect(session.status).toBe('preview_failed');
      const { code } = session.errors[0];
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(trap.connections()).toBe(0);
    expect([...codes.keys()].sort()).toEqual(['asset_forbidden_host', 'asset_unreachable']);
    tell(
      `${urls.length} URLs: ${refused.length} refused at the POST, ${JSON.stringify(Object.fromEntries(codes))}, 0 connections`,
    );
  } finally {
    await redirector.close();
    await trap.close();
  }
});
