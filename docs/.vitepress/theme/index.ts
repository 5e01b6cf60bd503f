import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import BenchmarkCharts from './BenchmarkCharts.vue';
import GalleryGrid from './GalleryGrid.vue';
import HomePage from './HomePage.vue';
// After the default theme, whose variables it replaces.
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app
      .component('HomePage', HomePage)
      .component('GalleryGrid', GalleryGrid)
      .component('BenchmarkCharts', BenchmarkCharts);
  },
} satisfies Theme;
