/**
 * A small square in a colour of the user's, for a terminal.
 *
 * @param color 6 hexadecimal digits, or 8, of which the opacity is not shown
 * @param trueColor whether the terminal has 24-bit colours; else the nearest of its 256 is taken
 * @see ECMA-48, 8.3.117 (SGR); ISO 8613-6, 13.1.8, for the arguments of 38
 */
export function swatch(color: string, trueColor: boolean): string {
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  const arguments_ = trueColor ? `2;${red};${green};${blue}` : `5;${nearestOf256(red, green, blue)}`;
  return `\u001b[38;${arguments_}m■\u001b[39m`;
}

/** Levels of each component in the 6×6×6 cube, which begins at 16; 24 greys from 8 to 238 begin at 232. */
const LEVELS = [0, 95, 135, 175, 215, 255];

function nearestOf256(red: number, green: number, blue: number): number {
  const cube = [red, green, blue].map(nearestLevel) as [number, number, number];
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (r: number, g: number, b: number): number => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  const [r, g, b] = cube.map((level) => LEVELS[level]!) as [number, number, number];
  const shade = 8 + 10 * grey;
  return distance(shade, shade, shade) < distance(r, g, b) ? 232 + grey : 16 + 36 * cube[0] + 6 * cube[1] + cube[2];
}

function nearestLevel(component: number): number {
  let nearest = 0;
  LEVELS.forEach((level, index) => {
    if (Math.abs(level - component) < Math.abs(LEVELS[nearest]! - component)) nearest = index;
  });
  return nearest;
}
