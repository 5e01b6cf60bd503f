import { expect, it, onTestFinished } from 'vitest';
import { startGitLab } from '../../support/gitlab-server.ts';
import { newVideo, planText } from '../../support/plan-files.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const MARKER = '<!-- reelform:plan:plan -->';

it('reelform comment gitlab writes one note, updates it, and changes no other', async () => {
  const server = await startGitLab({ secret: 1 });
  onTestFinished(() => server.close());
  const comment = (plan: string, ...flags: string[]) => {
    const root = temporaryRepository({ 'plan.json': plan });
    const args = ['comment', 'gitlab', '--plan', 'plan.json', ...flags];
    return reelform(root, args, { env: server.env('secret'), isLate: true });
  };
  for (let i = 0; i < 110; i++) {
    server.notes.push({ id: i, author: { id: i % 2 === 0 ? 2 : 1 }, system: i % 2 === 1, body: `${MARKER}\nNot ours` });
  }
  const [ONE, TWO] = [planText([newVideo('berlin')]), planText([newVideo('berlin'), newVideo('rome')])];
  expect(await comment(planText([]))).toMatchObject({ exitCode: 0 });
  expect(await comment(ONE)).toMatchObject({ exitCode: 0, stdout: '', stderr: 'The comment was created\n' });
  expect((await comment(ONE)).stderr).toContain('already up to date');
  await comment(TWO);
  expect(server.notes).toHaveLength(111);
  expect(server.notes.at(-1)?.body.split('\n').slice(0, 2)).toEqual([
    MARKER,
    expect.stringContaining(`"head_sha":"${'c'.repeat(40)}","base_sha":"${'b'.repeat(40)}"`),
  ]);
  expect(server.notes.at(-1)?.body).toContain('rome');
  await comment(ONE, '--behavior', 'delete-and-new');
  expect(server.notes).toHaveLength(111);
  server.refuseWith(403);
  const refused = await comment(TWO);
  expect(refused).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^warning: forge_refused: PUT /) });
  expect(refused.stderr).not.toContain('secret');
  expect(await comment(TWO, '--strict')).toMatchObject({ exitCode: 1 });
  expect((await comment(TWO, '--dry-run', '--mr', '4')).stdout).toContain(MARKER);
  expect(server.notes.filter(({ body }) => body.endsWith('Not ours'))).toHaveLength(110);
});
