import { describe, expect, it, test } from 'vitest';
import { fillDestinations } from '../../../src/reconciler/definition/destinations.ts';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import { deliverContext } from '../../../src/reconciler/project/deliveries.ts';
import { parseConfig } from '../../../src/reconciler/project/parse-config.ts';
import { createChecks } from '../../../src/reconciler/schema/create-checks.ts';
import { DEFINITION, placed, resolve } from '../../support/resolve.ts';

const CREDENTIALS = `credentials:
  main: {kind: s3, allow: ["s3://videos/public/"]}
  cold: {kind: azblob, account_key_env: AZURE_KEY}
`;

function read(config: string): ReturnType<typeof parseConfig> {
  return parseConfig('reelform.yaml', `templates: {launch: ./t}\n${config}`, createChecks().config, '/repository');
}

/** Returns `code file:line:column message` of each problem, and the destinations of each video. */
function delivered(files: Readonly<Record<string, string>>, config = CREDENTIALS) {
  const { videos, diagnostics } = resolve(files, deliverContext(read(config).config));
  return {
    problems: diagnostics.map((one) => `${placed(one, (file) => files[file])} ${one.message}`),
    places: videos.map(({ video }) => video.deliver.map(({ to, credential }) => [to, credential])),
  };
}

const one = (deliver: string, more = ''): Record<string, string> => ({
  'videos/berlin.yaml': `${DEFINITION}${more}deliver: ${deliver}\n`,
});

describe('deliver', () => {
  it.each([
    ['s3://videos/{id}.mp4', [['s3://videos/{id}.mp4', null]]],
    ['{to: "s3://videos/public/{id}", credential: main}', [['s3://videos/public/{id}', 'main']]],
    [
      '[s3://videos/, "file:out/{label.region}.mp4"]',
      [
        ['s3://videos/', null],
        ['file:out/{label.region}.mp4', null],
      ],
    ],
    ['[]', []],
  ])('accepts a destination, one with a credential, several, and none: %s', (deliver, places) => {
    const config = `${CREDENTIALS}deliver: s3://other/\n`;
    expect(delivered(one(deliver, 'labels: {region: eu}\n'), config)).toEqual({ problems: [], places: [places] });
  });

  it('uses the destinations of reelform.yaml if a definition has none', () => {
    const files = { 'videos/berlin.yaml': DEFINITION };
    expect(delivered(files, 'deliver: s3://other/\n').places).toEqual([[['s3://other/', null]]]);
  });

  it('reports a video that lacks a value that reelform.yaml requires', () => {
    const files = { 'videos/berlin.yaml': DEFINITION, 'videos/oslo.yaml': `${DEFINITION}labels: {region: north}\n` };
    const config = `${CREDENTIALS}deliver: {to: "s3://videos/public/{label.region}/{id}", credential: main}\n`;
    const { problems, places } = delivered(files, config);
    expect(problems).toEqual([
      expect.stringMatching(/^definition_invalid videos\/berlin\.yaml:\S+ deliver: The video has no label "region"/),
    ]);
    expect(places).toHaveLength(1);
  });

  it.each([
    ['s3://videos/{session_id}.mp4', '7:10', 'would change the destination for each rendering'],
    ['s3://videos/{date}.mp4', '7:10', 'would change the destination for each day'],
    ['"s3://videos/{Id}.mp4"', '7:10', 'no placeholder {Id}'],
    ['"s3://videos/{label.region}.mp4"', '7:10', 'no placeholder {label.region}'],
    ['ftp://videos/a.mp4', '7:10', 'a bucket or a folder'],
    ['"file:../a.mp4"', '7:10', 'A key has a path segment that is empty, "." or ".."'],
    ['{to: "s3://videos/public/a", credential: mian}', '7:51', 'no credential "mian"'],
    ['{to: "s3://videos/private/a", credential: main}', '7:15', 'does not allow this destination'],
    ['{to: "s3://videos/a", credential: cold}', '7:15', 'is for azblob:'],
    ['azblob://account/container/a', '7:10', 'needs a credential of the kind azblob'],
    ['["s3://videos/berlin", "s3://videos/{id}"]', '7:33', 'The video has this destination twice'],
    ['{credential: main}', '7:1', 'has no to'],
    ['{to: "s3://videos/a", name: main}', '7:32', 'not a property'],
    ['[[]]', '7:11', 'must be a text'],
  ])('locates the error: %s', (deliver, place, message) => {
    const { problems } = delivered(one(deliver));
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toContain(`videos/berlin.yaml:${place}`);
  });

  it('locates a missing value for reelform.yaml in the definition, not in the fragment with its template', () => {
    const files = { 'videos/_b.yaml': DEFINITION, 'videos/oslo.yaml': 'extends: ./_b.yaml\ntitle: Oslo\n' };
    expect(delivered(files, 'deliver: "s3://videos/{label.region}/{id}"\n').problems).toEqual([
      expect.stringMatching(/^definition_invalid videos\/oslo\.yaml:2:1 deliver: The video has no label "region"/),
    ]);
  });

  it('refuses two videos with the same destination, including rows of one definition', () => {
    const files = {
      'videos/berlin.yaml': `${DEFINITION}deliver: s3://videos/one.mp4\n`,
      'videos/oslo.yaml': `${DEFINITION}deliver: ["s3://videos/{id}.mp4", s3://videos/one.mp4]\n`,
      'videos/same.yaml': `${DEFINITION}deliver: "s3://videos/{fingerprint}.mp4"\n`,
      'videos/alike.yaml': `${DEFINITION}deliver: "s3://videos/{fingerprint}.mp4"\n`,
      'videos/shops.yaml': `${DEFINITION}each: {from: data/shops.csv, id: "\${city}"}\ndeliver: "s3://videos/\${land}"\n`,
      'data/shops.csv': 'city,land\nBerlin,de\nBonn,de\n',
    };
    expect(delivered(files).problems).toEqual([
      expect.stringMatching(
        /^destination_taken videos\/oslo\.yaml:7:35 .*"berlin" and "oslo" have the same destination/,
      ),
      expect.stringMatching(/^destination_taken videos\/shops\.yaml:8:10 .*"shops\/Berlin" and "shops\/Bonn"/),
    ]);
  });
});

describe('fillDestinations()', () => {
  const video = { id: 'de/berlin' as VideoId, title: 'A/B: {id} ', labels: { region: 'north/west' }, output: null };
  const fingerprint = `v1:${'4f0c9a1e'.repeat(8)}`;
  test.each([
    ['s3://b', 's3://b/de/berlin.mp4'],
    ['s3://b/x/', 's3://b/x/de/berlin.mp4'],
    ['azblob://a/c', 'azblob://a/c/de/berlin.mp4'],
    ['file:', 'file:de/berlin.mp4'],
    ['file:././out/', 'file:out/de/berlin.mp4'],
    ['file:///srv/{id}', 'file:/srv/de/berlin'],
    ['s3://b/{fingerprint}.{extension}', 's3://b/4f0c9a1e.mp4'],
    ['s3://b/{label.region}/{title}', 's3://b/north-west/A-B- id'],
    ['s3://b/{other}', 's3://b/{other}'],
  ])('%s → %s', (to, filled) => {
    expect(fillDestinations({ to, credential: null }, video, fingerprint)).toEqual([{ to: filled, credential: null }]);
  });

  test('uses the file extension of the format', () => {
    const zip = { ...video, output: { format: 'png_sequence' as const } };
    const [only] = fillDestinations({ to: 's3://b/', credential: null }, zip, fingerprint);
    expect(only!.to).toBe('s3://b/de/berlin.zip');
  });

  test('returns a destination for each file', () => {
    const outputs = [{ name: 'master' }, { name: 'small', height: 360 }, { name: 'poster', format: 'png' as const }];
    const several = { ...video, outputs };
    const filled = (to: string) =>
      fillDestinations({ to, credential: 'main' }, several, fingerprint).map((one) => [one.to, one.output]);
    expect(filled('s3://b/')).toEqual([
      ['s3://b/de/berlin.mp4', undefined],
      ['s3://b/de/berlin.small.mp4', 'small'],
      ['s3://b/de/berlin.poster.png', 'poster'],
    ]);
    expect(filled('s3://b/{output}.{extension}').map(([to]) => to)).toEqual([
      's3://b/master.mp4',
      's3://b/small.mp4',
      's3://b/poster.png',
    ]);
  });
});

describe('deliver, credentials and assets of reelform.yaml', () => {
  it('are read without secrets', () => {
    const { config, diagnostics } = read(
      `${CREDENTIALS}deliver: {to: s3://videos/public/, credential: main}\nassets: {publish: s3://assets, public_url: "https://cdn.example.com/a"}\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(config.deliver).toEqual([{ to: 's3://videos/public/', credential: 'main' }]);
    expect(config.assets).toEqual({
      publish: 's3://assets/',
      publicUrl: 'https://cdn.example.com/a/',
      credential: null,
    });
    expect([...config.credentials.keys()]).toEqual(['main', 'cold']);
  });

  it.each([
    ['deliver: s3://videos/all.mp4', '2:10', 'All videos would have the same destination'],
    ['deliver: ["s3://videos/{id}", "s3://videos/{date}/{id}"]', '2:31', 'each day'],
    ['deliver: [s3://videos/, "s3://videos/{id}.{extension}"]', '2:25', 'The video has this destination twice'],
    [
      'deliver: [file:1/, file:2/, file:3/, file:4/, file:5/, file:6/, file:7/, file:8/, file:9/]',
      '2:10',
      '8 destinations',
    ],
    [
      `${CREDENTIALS}deliver: {to: "s3://videos/private/{id}", credential: main}`,
      '5:15',
      'does not allow this destination',
    ],
    ['deliver: {to: s3://videos/, credential: nobody}', '2:41', 'no credential "nobody"'],
    ['credentials: {main: {kind: s3, secret_access_key: hush}}', '2:32', 'would store a secret in a file'],
    ['assets: {publish: s3://assets/}', '2:1', 'has no public_url'],
    ['assets: {publish: "file:out/", public_url: "https://a.example/"}', '2:19', 'the folder of a bucket'],
    [
      'service: {url: "https://a.example", capabilities: {external_uploads: false}}\ndeliver: s3://videos/',
      '3:10',
      'The service does not support deliveries',
    ],
  ])('are refused at the location of the error: %s', (text, place, message) => {
    const { diagnostics } = read(text);
    expect(diagnostics.map((one) => placed(one, () => `templates: {launch: ./t}\n${text}`))).toEqual([
      expect.stringContaining(`reelform.yaml:${place}`),
    ]);
    expect(diagnostics[0]?.message).toContain(message);
    expect(JSON.stringify(diagnostics)).not.toContain('hush');
  });
});
