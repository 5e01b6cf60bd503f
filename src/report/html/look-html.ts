import type { SampleName } from '../../template/sample-mappings.ts';
import type { SamplePictures } from '../preview/sample-sheet.ts';
import { escapeHtml } from '../wording/display-text.ts';

const LABELS: Readonly<Record<SampleName, string>> = {
  example: 'Example values',
  longest: 'Longest texts',
  empty: 'Empty texts',
  cjk: 'Japanese texts',
  rtl: 'Right-to-left texts',
  emoji: 'Texts with emoji',
  landscape: 'Landscape images',
  portrait: 'Portrait images',
};

/** Returns the label of a sample on a contact sheet. */
export function sampleLabel(sample: SampleName): string {
  return LABELS[sample];
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0 auto;padding:1.5rem;max-width:90rem;font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem}h2{font-size:1rem;margin:2rem 0 .5rem}
.stills{display:flex;flex-wrap:wrap;gap:.75rem}
figure{margin:0}img{display:block;max-width:100%;height:auto;max-height:28rem;border-radius:4px}
figcaption{font-size:.8rem;opacity:.7}`;

/** Renders the pictures of a template with sample values as a self-contained page, which makes no network requests. */
export function lookHtml(template: string, samples: readonly SamplePictures[]): string {
  const name = escapeHtml(template);
  const sections = samples.map(({ sample, stills, width, height }) => {
    const figures = stills.map((still) => {
      const data = Buffer.from(still.bytes).toString('base64');
      const alt = escapeHtml(`${template}, ${sampleLabel(sample)}, ${still.name}`);
      return `<figure><img src="data:image/jpeg;base64,${data}" width="${width}" height="${height}" alt="${alt}"><figcaption>${escapeHtml(still.name)}</figcaption></figure>`;
    });
    return `<section><h2>${sampleLabel(sample)}</h2><div class="stills">${figures.join('')}</div></section>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${name}</h1>
${sections.join('\n')}
</body>
</html>
`;
}
