import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { slugOf } from './heading-slug.ts';
import { writeLlmsTexts } from './llms.ts';
import { KINDS, readPages } from './pages.ts';

const docs = join(import.meta.dirname, '..');
/** Path of the site on its host, such as `/reelform/` on GitHub Pages. */
const base = process.env.DOCS_BASE ?? '/';

function sidebar(): DefaultTheme.SidebarItem[] {
  const groups = KINDS.map(({ folder, title }) => ({
    text: title,
    items: readPages(docs, folder).map((page) => ({ text: page.title, link: `/${page.path}` })),
  }));
  return [
    ...groups,
    {
      items: [
        { text: 'Glossary', link: '/glossary' },
        { text: 'Gallery', link: '/gallery' },
        { text: 'Benchmarks', link: '/benchmarks' },
      ],
    },
  ];
}

function firstPage(folder: string): string {
  return `/${readPages(docs, folder)[0]!.path}`;
}

export default defineConfig({
  lang: 'en',
  title: 'Reelform',
  description: 'Videos as code: YAML definitions in git, a plan you can review, and only what changed is rendered.',
  base,
  cleanUrls: true,
  srcExclude: ['reference-generator/**', 'site-media/**'],
  head: [
    ['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }],
    ['meta', { name: 'theme-color', content: '#f6f4f0', media: '(prefers-color-scheme: light)' }],
    ['meta', { name: 'theme-color', content: '#141312', media: '(prefers-color-scheme: dark)' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // The anchors of GitHub, so that a link works in both places.
    anchor: { slugify: slugOf },
    toc: { level: [2, 3] },
    image: { lazyLoading: true },
    // Code is never a template of Vue, such as `${{ github.token }}`.
    config: (md) => {
      const render = md.renderer.rules.code_inline!;
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]!.attrSet('v-pre', '');
        return render(tokens, index, ...rest);
      };
    },
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      ...KINDS.map(({ folder, title }) => ({ text: title, link: firstPage(folder), activeMatch: `/${folder}/` })),
      { text: 'Gallery', link: '/gallery' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
    footer: { message: 'MIT License' },
  },
  buildEnd: ({ outDir }) => writeLlmsTexts(docs, outDir, base),
});
