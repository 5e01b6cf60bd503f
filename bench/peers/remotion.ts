import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Composition } from './composition.ts';
import { elementCss, fontFaces } from './element-css.ts';
import { HEADLESS_SHELL, installPackages, type Program } from './program.ts';

const VERSION = '4.0.520';
const PACKAGES = [
  ...['remotion', '@remotion/bundler', '@remotion/renderer', '@remotion/lottie'].map((name) => `${name}@${VERSION}`),
  'react@19.2.0',
  'react-dom@19.2.0',
  'lottie-web@5.13.0',
];

/** The composition in React: each element's style is computed from the frame, as Remotion's documentation does it. */
const NATIVE = `import React from 'react';
import { AbsoluteFill, Easing, Img, Sequence, interpolate, registerRoot, staticFile, useCurrentFrame, Composition } from 'remotion';
import video from './video.json';
const easing = Easing.bezier(0.16, 1, 0.3, 1);
const at = (frame, { from, to }) => interpolate(frame, [from[0], to[0]], [from[1], to[1]],
  { easing, extrapolateLeft: 'clamp', extrapolateRight: 'clamp' });
const moved = (frame, moves) => {
  const v = Object.fromEntries(moves.map((move) => [move.property, at(frame, move)]));
  return {
    ...('opacity' in v && { opacity: v.opacity }),
    ...('circle' in v && { clipPath: 'circle(' + v.circle + 'px at 50% 50%)' }),
    transform: 'translate(' + (v.x ?? 0) + 'px, ' + (v.y ?? 0) + 'px) rotate(' + (v.rotation ?? 0) + 'deg) scale(' + (v.scale ?? 1) + ')',
  };
};
const Element = ({ element: { kind, file, text, moves = [], css }, start }) => {
  const style = { ...css.content, ...moved(useCurrentFrame() + start, moves) };
  return <div style={css.frame}>{kind === 'image' ? <Img src={staticFile(file)} style={style} /> : <div style={style}>{text}</div>}</div>;
};
const Video = () => <AbsoluteFill><style>{video.faces.replaceAll('./', staticFile(''))}</style>{video.elements.map((element, index) => {
  const [from, to] = element.span ?? [0, video.frameCount];
  return <Sequence key={index} from={from} durationInFrames={to - from}><Element element={element} start={from} /></Sequence>;
})}</AbsoluteFill>;
registerRoot(() => <Composition id="video" component={Video} fps={video.fps} durationInFrames={video.frameCount}
  width={video.width} height={video.height} />);
`;

/** A Lottie animation through \`@remotion/lottie\`. */
const LOTTIE = `import React from 'react';
import { Composition, registerRoot } from 'remotion';
import { Lottie } from '@remotion/lottie';
import animation from './animation.json';
import video from './video.json';
const Video = () => <Lottie animationData={animation} style={{ width: '100%', height: '100%' }} />;
registerRoot(() => <Composition id="video" component={Video} fps={video.fps} durationInFrames={video.frameCount}
  width={video.width} height={video.height} />);
`;

const SCRIPT = `import { bundle } from '@remotion/bundler';
import { renderMedia, selectComposition } from '@remotion/renderer';
const browserExecutable = ${JSON.stringify(HEADLESS_SHELL)};
const chromeMode = 'headless-shell';
const serveUrl = await bundle({ entryPoint: process.cwd() + '/index.jsx' });
const composition = await selectComposition({ serveUrl, id: 'video', browserExecutable, chromeMode });
const isLossless = process.argv[2] === 'lossless';
await renderMedia({ serveUrl, composition, browserExecutable, chromeMode, codec: 'h264', crf: isLossless ? 1 : 20, x264Preset: 'veryfast',
  imageFormat: isLossless ? 'png' : 'jpeg', outputLocation: 'video.mp4', logLevel: 'error' });
`;

/** @param animation JSON of a Lottie animation with its files inside, drawn instead of the elements */
export function remotion(composition: Composition, animation?: string): Program {
  const way = animation === undefined ? 'in React' : 'with @remotion/lottie';
  return {
    name: `Remotion ${VERSION} ${way}`,
    async prepare(folder) {
      const failure = await installPackages(folder, PACKAGES);
      if (failure !== null) return failure;
      const video = {
        ...composition,
        faces: fontFaces(composition, './'),
        elements: composition.elements.map((element) => ({ ...element, css: elementCss(element) })),
      };
      await mkdir(join(folder, 'public'), { recursive: true });
      for (const [name, path] of Object.entries(composition.files)) await copyFile(path, join(folder, 'public', name));
      for (const [family, path] of Object.entries(composition.fonts)) {
        await copyFile(path, join(folder, 'public', `${family}.ttf`));
      }
      await writeFile(join(folder, 'index.jsx'), animation === undefined ? NATIVE : LOTTIE);
      if (animation !== undefined) await writeFile(join(folder, 'animation.json'), animation);
      await writeFile(join(folder, 'video.json'), JSON.stringify(video));
      await writeFile(join(folder, 'render.mjs'), SCRIPT);
      return null;
    },
    command: (isLossless) => [process.execPath, 'render.mjs', isLossless ? 'lossless' : 'lossy'],
    output: 'video.mp4',
  };
}
