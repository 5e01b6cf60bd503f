import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stillKeyOf } from '../../../src/cli/locales/still-key.ts';
import { checkImage } from '../../../src/engine/images/check-image.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const FOLDER = 'locales/stills';

function repository(config: string, files: Readonly<Record<string, string>> = {}): string {
  return makeRepository({
    'reelform.yaml': `${CONFIG}${config}`,
    'videos/berlin.yaml': definition('Berlin'),
    'videos/oslo.yaml': definition('Oslo'),
    'videos/rome.yaml': `${definition('Rome')}locales: all\n`,
    'videos/cities.yaml': `title: "\${slug}"
each: {from: ./cities.csv, id: "\${slug}"}
locales: [en, de]
variants: {wide: {}, tall: {scenes: {last: {resources: {t_01: Short}}}}}
scenes:
  - {id: first, template: small, resources: {t_01: "\${claim}", c_01: "#EEADA7"}}
  - {id: last, template: small, resources: {t_01: "See you", c_01: "#EEADA7"}}
`,
    'videos/cities.csv': 'slug,claim\nlima,Up high\nbern,Bears\n',
    ...files,
  });
}

const stills = (root: string): string[] => readdirSync(join(root, FOLDER)).sort();
const times = (root: string): number[] => stills(root).map((name) => statSync(join(root, FOLDER, name)).mtimeMs);

describe('reelform locales extract --stills', () => {
  it('draws each text where it is readable, names the pictures, and draws only changed ones again', async () => {
    const root = repository('locales: {source: en, targets: [de], columns: [claim]}\n');
    const first = await reelform(root, ['locales', 'extract', '--stills']);
    expect(first.stdout).toBe('de  6 texts, 6 new  locales/de.po written\n6 pictures drawn\n');
    expect(first.stderr).not.toContain('still_missing');
    expect(stills(root)).toMatchSnapshot();
    const po = readFileSync(join(root, 'locales/de.po'), 'utf8');
    expect(po.match(/^#\. Picture: .*$/gm)).toEqual(
      expect.arrayContaining(stills(root).map((name) => `#. Picture: ${FOLDER}/${name}`)),
    );
    const [picture] = stills(root).map((name) => new Uint8Array(readFileSync(join(root, FOLDER, name))));
    const { type, width, height } = checkImage({ bytes: picture!, name: 'still' });
    expect([type, Math.max(width, height) <= 640]).toEqual(['jpeg', true]);
    expect(stillKeyOf(picture!)).toMatch(/^[0-9a-f]{64}$/);
    const before = times(root);
    const again = await reelform(root, ['locales', 'extract', '--stills', '--json']);
    expect(JSON.parse(again.stdout).stills).toEqual({ drawn: 0, unchanged: 6, removed: 0 });
    expect(times(root)).toEqual(before);
    // A changed text, and a text that is no longer there.
    writeFileSync(join(root, 'videos/cities.csv'), 'slug,claim\nlima,Higher\n');
    const changed = JSON.parse((await reelform(root, ['locales', 'extract', '--stills', '--json'])).stdout);
    expect(changed.stills).toEqual({ drawn: 3, unchanged: 2, removed: 1 });
    // Without pictures, their names stay.
    await reelform(root, ['locales', 'extract']);
    expect(readFileSync(join(root, 'locales/de.po'), 'utf8').match(/^#\. Picture: /gm)).toHaveLength(5);
  });

  it.each(['xlf', 'csv'])('names pictures in .%s files', async (extension) => {
    const root = repository(`locales: {source: en, targets: [de], files: "i18n/{locale}/videos.${extension}"}\n`, {
      'videos/cities.yaml': definition('Cities'),
    });
    await reelform(root, ['locales', 'extract', '--stills']);
    const [name] = readdirSync(join(root, 'i18n/stills')).filter((file) => file.startsWith('rome-t_01-'));
    expect(readFileSync(join(root, `i18n/de/videos.${extension}`), 'utf8')).toContain(`i18n/stills/${name}`);
  });

  it('reports texts that no video shows', async () => {
    const root = repository('locales: {source: en, targets: [de], missing: error}\n', {
      'videos/cities.yaml': `${definition('Cities')}locales: [de]\n`,
    });
    const ran = await reelform(root, ['locales', 'extract', '--stills']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatchSnapshot();
  });
});
