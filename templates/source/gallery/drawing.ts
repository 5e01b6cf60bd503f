import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';

// What the pictures of the gallery are drawn with.

type Pen = SKRSContext2D;

export function canvasOf(width: number, height: number, draw: (pen: Pen) => void, grain = 10): Canvas {
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  draw(pen);
  addGrain(canvas, grain);
  return canvas;
}

/** Grain that keeps gradients from banding; the same for the same size. */
function addGrain(canvas: Canvas, amount: number): void {
  const pen = canvas.getContext('2d');
  const picture = pen.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = picture;
  let state = 20_261_123;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let at = 0; at < data.length; at += 4) {
    const noise = (random() + random()) * amount;
    for (let channel = at; channel < at + 3; channel++) data[channel] = data[channel]! + noise;
  }
  pen.putImageData(picture, 0, 0);
}

export function gradient(pen: Pen, [x0, y0, x1, y1]: [number, number, number, number], ...colors: string[]) {
  const paint = pen.createLinearGradient(x0, y0, x1, y1);
  for (const [index, color] of colors.entries()) paint.addColorStop(index / (colors.length - 1), color);
  return paint;
}

export function glow(pen: Pen, [x, y, inner, outer]: [number, number, number, number], ...colors: string[]) {
  const paint = pen.createRadialGradient(x, y, inner, x, y, outer);
  for (const [index, color] of colors.entries()) paint.addColorStop(index / (colors.length - 1), color);
  return paint;
}

export function disc(pen: Pen, x: number, y: number, radius: number, paint: Pen['fillStyle']): void {
  pen.fillStyle = paint;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** A closed curve through points given as [x, y, control x, control y, …] for quadratic segments. */
export function shape(pen: Pen, paint: Pen['fillStyle'], start: [number, number], ...curves: number[][]): void {
  pen.fillStyle = paint;
  pen.beginPath();
  pen.moveTo(...start);
  for (const curve of curves) {
    if (curve.length === 2) pen.lineTo(curve[0]!, curve[1]!);
    else if (curve.length === 4) pen.quadraticCurveTo(curve[0]!, curve[1]!, curve[2]!, curve[3]!);
    else pen.bezierCurveTo(curve[0]!, curve[1]!, curve[2]!, curve[3]!, curve[4]!, curve[5]!);
  }
  pen.closePath();
  pen.fill();
}
