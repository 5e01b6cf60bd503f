import type { Composition, Element } from './composition.ts';

type Css = Readonly<Record<string, string | number>>;

/** The CSS of an element before it moves: a frame that stays, and the content that moves in it. Pixels as numbers. */
export function elementCss({ kind, box, color, round, edge, font, size, isMasked }: Element): {
  readonly frame: Css;
  readonly content: Css;
} {
  const frame = {
    position: 'absolute',
    left: box.x,
    top: box.y,
    width: box.width,
    height: box.height,
    overflow: isMasked ? 'hidden' : 'visible',
  };
  const content: Record<string, string | number> = {
    position: 'absolute',
    left: 0,
    top: 0,
    width: '100%',
    height: '100%',
  };
  if (kind === 'image') content.objectFit = 'cover';
  if (kind === 'text') {
    Object.assign(content, {
      color,
      fontFamily: font,
      fontSize: size,
      lineHeight: `${box.height}px`,
      whiteSpace: 'pre',
    });
  }
  if (kind === 'box' && edge !== undefined) content.border = `${edge}px solid ${color}`;
  else if (kind === 'box') content.background = color!;
  if (round !== undefined) content.borderRadius = round;
  if (edge !== undefined) content.boxSizing = 'border-box';
  return { frame, content };
}

export function fontFaces({ fonts }: Composition, folder: string): string {
  return Object.keys(fonts)
    .map((family) => `@font-face { font-family: ${family}; src: url(${folder}${family}.ttf); }`)
    .join('\n');
}

export function inlineCss(css: Css): string {
  return Object.entries(css)
    .map(([name, value]) => {
      const property = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return `${property}: ${typeof value === 'number' ? `${value}px` : value}`;
    })
    .join('; ');
}
