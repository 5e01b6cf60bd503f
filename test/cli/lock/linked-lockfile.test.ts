import { lstatSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const LOCK = 'reelform.lock.json';

describe('a lockfile that is a symbolic link', () => {
  it('stays a link whose target is written, and planning follows it, also with the plan cache', async () => {
    const root = makeRepository({ 'state/lock.json': '{"videos": {}, "lockfile_version": 1}' });
    symlinkSync('state/lock.json', join(root, LOCK));
    expect(await reelform(root, ['lock', 'migrate'])).toMatchObject({ exitCode: 0 });
    expect(lstatSync(join(root, LOCK)).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, 'state/lock.json'), 'utf8')).toContain('"lockfile_version": 1');
    for (const exitCode of [0, 0]) expect(await reelform(root, ['plan'])).toMatchObject({ exitCode });
    rmSync(join(root, 'state/lock.json'));
    const { exitCode, stderr } = await reelform(root, ['plan']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('it is a link to state/lock.json, which does not exist');
  });

  it('is an error if it dangles, even if a plan without a lockfile is cached', async () => {
    const root = makeRepository();
    for (let plan = 0; plan < 2; plan++) await reelform(root, ['plan']);
    symlinkSync('state/lock.json', join(root, LOCK));
    expect(await reelform(root, ['plan'])).toMatchObject({ exitCode: 1 });
  });
});

describe('reelform fmt', () => {
  it('writes the target of a linked file', async () => {
    const root = makeRepository({ 'more/oslo.yaml': 'title:   Oslo\ntemplate: small\n' });
    renameSync(join(root, 'reelform.yaml'), join(root, 'more/reelform.yaml'));
    symlinkSync('more/reelform.yaml', join(root, 'reelform.yaml'));
    symlinkSync('../more/oslo.yaml', join(root, 'videos/link.yaml'));
    expect(await reelform(root, ['fmt', 'videos/link.yaml', 'reelform.yaml'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(root, 'more/oslo.yaml'), 'utf8')).toBe('template: small\ntitle: Oslo\n');
    for (const name of ['videos/link.yaml', 'reelform.yaml']) {
      expect(lstatSync(join(root, name)).isSymbolicLink()).toBe(true);
    }
  });
});
