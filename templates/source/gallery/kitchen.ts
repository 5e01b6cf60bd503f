import type { SKRSContext2D } from '@napi-rs/canvas';
import { canvasOf, disc, glow, gradient, shape } from './drawing.ts';

type Pen = SKRSContext2D;

// The pictures of the recipe, seen from above: the dish, the board, the pot and the bowl.

const SIZE = 760;

/** Repeatable positions that look scattered. */
function scattered(count: number, seed: number): [number, number, number][] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () => [next(), next(), next()]);
}

function cloth(pen: Pen, from: string, to: string): void {
  pen.fillStyle = gradient(pen, [0, 0, SIZE, SIZE], from, to);
  pen.fillRect(0, 0, SIZE, SIZE);
}

function cast(pen: Pen, x: number, y: number, radius: number): void {
  disc(
    pen,
    x + 18,
    y + 26,
    radius + 8,
    glow(pen, [x + 18, y + 26, radius * 0.8, radius + 26], '#00000055', '#00000000'),
  );
}

function tomato(pen: Pen, x: number, y: number, radius: number, cut: boolean): void {
  cast(pen, x, y, radius * 0.94);
  if (!cut) {
    disc(
      pen,
      x,
      y,
      radius,
      glow(pen, [x - radius * 0.3, y - radius * 0.35, 4, radius * 1.5], '#FF7A55', '#DE3B22', '#9E2212'),
    );
    pen.fillStyle = '#3F7A3A';
    for (let leaf = 0; leaf < 5; leaf++) {
      pen.save();
      pen.translate(x, y);
      pen.rotate((2 * Math.PI * leaf) / 5 + 0.4);
      shape(pen, '#3F7A3A', [0, -5], [radius * 0.3, -9, radius * 0.52, 0], [radius * 0.3, 9, 0, 5]);
      pen.restore();
    }
    return;
  }
  disc(pen, x, y, radius, '#C93720');
  disc(pen, x, y, radius * 0.9, '#F0664A');
  for (let part = 0; part < 5; part++) {
    pen.save();
    pen.translate(x, y);
    pen.rotate((2 * Math.PI * part) / 5);
    shape(
      pen,
      '#D84A2E',
      [radius * 0.16, -radius * 0.14],
      [radius * 0.78, -radius * 0.46, radius * 0.8, 0],
      [radius * 0.78, radius * 0.46, radius * 0.16, radius * 0.14],
    );
    for (const along of [0.4, 0.56, 0.68])
      disc(pen, radius * along, (along - 0.54) * radius * 0.9, radius * 0.05, '#FFE3A8');
    pen.restore();
  }
  disc(pen, x, y, radius * 0.14, '#F7A084');
}

function basil(pen: Pen, x: number, y: number, length: number, turn: number): void {
  pen.save();
  pen.translate(x, y);
  pen.rotate(turn);
  shape(
    pen,
    '#00000033',
    [6, 12],
    [length * 0.5, -length * 0.32 + 12, length + 6, 12],
    [length * 0.5, length * 0.36 + 12, 6, 12],
  );
  shape(
    pen,
    gradient(pen, [0, -length * 0.3, 0, length * 0.3], '#6FA84F', '#2F6B32'),
    [0, 0],
    [length * 0.5, -length * 0.42, length, 0],
    [length * 0.5, length * 0.42, 0, 0],
  );
  pen.strokeStyle = '#A9CF7E88';
  pen.lineWidth = Math.max(2, length * 0.025);
  pen.beginPath();
  pen.moveTo(length * 0.06, 0);
  pen.lineTo(length * 0.9, 0);
  pen.stroke();
  pen.restore();
}

function soup(pen: Pen, x: number, y: number, radius: number): void {
  disc(
    pen,
    x,
    y,
    radius,
    glow(pen, [x - radius * 0.3, y - radius * 0.3, 10, radius * 1.5], '#F5774B', '#DD4B27', '#A82E14'),
  );
  pen.strokeStyle = '#FFD9A855';
  pen.lineWidth = radius * 0.03;
  for (const part of [0.35, 0.58, 0.8]) {
    pen.beginPath();
    pen.arc(x, y, radius * part, 3.4, 5.1);
    pen.stroke();
  }
}

function bowl(pen: Pen, x: number, y: number, radius: number): void {
  cast(pen, x, y, radius);
  disc(pen, x, y, radius, gradient(pen, [x - radius, y - radius, x + radius, y + radius], '#FFFDF6', '#CFC3B0'));
  disc(pen, x, y, radius * 0.88, gradient(pen, [x - radius, y - radius, x + radius, y + radius], '#B9AD99', '#F4EBDC'));
  soup(pen, x, y, radius * 0.82);
}

function cream(pen: Pen, x: number, y: number, radius: number): void {
  pen.strokeStyle = '#FFF6E4';
  pen.lineCap = 'round';
  pen.lineWidth = 18;
  pen.beginPath();
  for (let at = 0; at <= 90; at++) {
    const angle = at / 9;
    const reach = radius * (0.08 + at / 110);
    pen.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle) * 0.92);
  }
  pen.stroke();
}

export const dish = () =>
  canvasOf(SIZE, SIZE, (pen) => {
    cloth(pen, '#6E8F8A', '#46665F');
    pen.fillStyle = '#FFFFFF14';
    for (let row = 0; row < 12; row++) pen.fillRect(0, row * 70, SIZE, 26);
    for (let row = 0; row < 12; row++) pen.fillRect(row * 70, 0, 26, SIZE);
    bowl(pen, 380, 380, 300);
    cream(pen, 380, 380, 170);
    basil(pen, 372, 372, 130, -0.5);
    basil(pen, 376, 380, 118, 1.2);
    basil(pen, 366, 378, 104, 2.9);
    for (const [x, y, size] of scattered(22, 7)) {
      disc(pen, 210 + x * 340, 210 + y * 340, 2 + size * 4, '#2A1A12');
    }
  });

export const board = () =>
  canvasOf(SIZE, SIZE, (pen) => {
    cloth(pen, '#E7C99C', '#C79A62');
    pen.strokeStyle = '#A9783F44';
    pen.lineWidth = 5;
    for (let line = 0; line < 13; line++) {
      pen.beginPath();
      pen.moveTo(0, line * 62 + 14);
      pen.bezierCurveTo(250, line * 62 - 10, 500, line * 62 + 44, SIZE, line * 62 + 8);
      pen.stroke();
    }
    tomato(pen, 250, 250, 120, true);
    tomato(pen, 500, 210, 104, false);
    tomato(pen, 210, 500, 100, false);
    tomato(pen, 448, 446, 122, true);
    // A knife.
    pen.save();
    pen.translate(640, 400);
    pen.rotate(0.2);
    shape(pen, '#00000033', [-10, -240], [40, -120, 36, 60], [-10, 60]);
    shape(pen, gradient(pen, [-24, 0, 30, 0], '#F7F9FA', '#AAB6BC'), [-24, -250], [30, -130, 24, 50], [-24, 50]);
    shape(
      pen,
      gradient(pen, [-24, 0, 24, 0], '#5B3A29', '#33201A'),
      [-22, 50],
      [22, 50],
      [26, 170, 14, 250],
      [-14, 250],
      [-26, 170, -22, 50],
    );
    pen.restore();
    for (const [x, y, size] of scattered(12, 21)) basil(pen, 300 + x * 240, 600 + y * 90, 26 + size * 22, size * 6);
  });

export const pot = () =>
  canvasOf(SIZE, SIZE, (pen) => {
    cloth(pen, '#2F3B42', '#1C252B');
    for (const turn of [0.5, -0.5]) {
      pen.save();
      pen.translate(380, 380);
      pen.rotate(turn * Math.PI);
      shape(pen, '#11181C', [-70, 250], [70, 250], [60, 372], [-60, 372]);
      pen.restore();
    }
    cast(pen, 380, 380, 292);
    disc(pen, 380, 380, 292, gradient(pen, [100, 100, 660, 660], '#E9A23B', '#B4681B'));
    disc(pen, 380, 380, 258, '#7E4411');
    soup(pen, 380, 384, 250);
    for (const [x, y, size] of scattered(9, 3)) {
      const [px, py] = [230 + x * 300, 230 + y * 300];
      pen.save();
      pen.beginPath();
      pen.arc(px, py, 26 + size * 22, 0, 2 * Math.PI);
      pen.clip();
      disc(pen, px, py, 60, '#FF9468');
      disc(pen, px - 6, py - 6, 14 + size * 16, '#F05F3A');
      pen.restore();
    }
    for (const [x, y, size] of scattered(26, 91)) disc(pen, 210 + x * 340, 210 + y * 340, 4 + size * 10, '#FFC9A055');
    // A wooden spoon.
    pen.save();
    pen.translate(420, 420);
    pen.rotate(-0.75);
    shape(pen, '#00000033', [-6, 0], [30, 0], [40, 420], [4, 420]);
    shape(pen, gradient(pen, [-20, 0, 20, 0], '#E9C48E', '#B98646'), [-14, 20], [14, 20], [22, 460], [-22, 460]);
    pen.scale(1, 1.4);
    disc(pen, 0, -20, 58, gradient(pen, [-58, -60, 58, 40], '#F0D09C', '#B98646'));
    pen.restore();
  });

export const finish = () =>
  canvasOf(SIZE, SIZE, (pen) => {
    cloth(pen, '#F2D7A0', '#D9A85C');
    bowl(pen, 400, 410, 270);
    cream(pen, 400, 410, 150);
    for (const [x, y, size] of scattered(20, 5)) {
      disc(pen, 260 + x * 280, 270 + y * 280, 5 + size * 9, '#D8B52Ecc');
    }
    for (const [index, turn] of [-0.4, 0.5, 1.5, 2.6, 3.7, 4.8].entries()) {
      basil(pen, 400 + (index % 2) * 14, 400 + (index % 3) * 12, 150 - index * 8, turn);
    }
    basil(pen, 60, 120, 120, 0.4);
    basil(pen, 90, 90, 100, 1.1);
    basil(pen, 640, 640, 110, -2.4);
    tomato(pen, 90, 640, 84, false);
  });
