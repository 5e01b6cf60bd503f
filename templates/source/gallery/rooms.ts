import type { SKRSContext2D } from '@napi-rs/canvas';
import { canvasOf, disc, glow, gradient, shape } from './drawing.ts';

type Pen = SKRSContext2D;

// The pictures of the listing: a house above a bay at dusk, and two of its rooms.

const [WIDTH, HEIGHT] = [1080, 760];

function box(pen: Pen, paint: Pen['fillStyle'], x: number, y: number, width: number, height: number, round = 0): void {
  pen.fillStyle = paint;
  pen.beginPath();
  pen.roundRect(x, y, width, height, round);
  pen.fill();
}

function cypress(pen: Pen, x: number, foot: number, height: number): void {
  const paint = gradient(pen, [x - 30, 0, x + 30, 0], '#3E5A45', '#1B3230');
  const width = height * 0.13;
  shape(
    pen,
    paint,
    [x, foot - height],
    [x + width * 1.6, foot - height * 0.45, x + width, foot],
    [x - width, foot],
    [x - width * 1.6, foot - height * 0.45, x, foot - height],
  );
}

function window(pen: Pen, x: number, y: number, width: number, height: number): void {
  box(pen, gradient(pen, [x, y, x, y + height], '#FFE3A3', '#F7B56B'), x, y, width, height, 4);
  pen.fillStyle = '#6B4A35';
  for (let at = x + width / 3; at < x + width - 4; at += width / 3) pen.fillRect(at - 2, y, 4, height);
}

export const house = () =>
  canvasOf(WIDTH, HEIGHT, (pen) => {
    box(pen, gradient(pen, [0, 0, 0, 480], '#27406B', '#7A6C9E', '#F0A07C', '#FFD39B'), 0, 0, WIDTH, 520);
    disc(pen, 250, 410, 260, glow(pen, [250, 410, 20, 260], '#FFE6B6', '#FFC98A55', '#FFC98A00'));
    disc(pen, 250, 410, 46, '#FFF0CF');
    // The sea, an island and the slope.
    box(pen, gradient(pen, [0, 440, 0, 600], '#F2B488', '#6D82A6', '#3A5A80'), 0, 440, WIDTH, 200);
    shape(pen, '#5F6A93', [420, 444], [520, 384, 640, 424], [720, 384, 880, 444]);
    shape(pen, '#7D80A6', [0, 444], [90, 404, 190, 444]);
    pen.fillStyle = '#FFE9C055';
    for (let row = 0; row < 9; row++) pen.fillRect(250 - 46 - row * 5, 452 + row * 15, 92 + row * 10, 4);
    shape(
      pen,
      gradient(pen, [0, 520, 0, 760], '#8B8A5E', '#4E5A41'),
      [0, 640],
      [300, 540, 620, 560],
      [900, 540, 1080, 500],
      [1080, 760],
      [0, 760],
    );
    // The house: two white volumes, a terrace and its lit windows.
    box(pen, gradient(pen, [520, 300, 980, 560], '#FFF1E0', '#D9B9A6'), 520, 330, 460, 240, 6);
    box(pen, gradient(pen, [600, 200, 860, 330], '#FFF6EA', '#E6CBB8'), 620, 212, 300, 122, 6);
    box(pen, '#7A5240', 604, 200, 332, 16, 4);
    box(pen, '#7A5240', 502, 320, 496, 16, 4);
    window(pen, 650, 238, 110, 78);
    window(pen, 792, 238, 92, 78);
    window(pen, 556, 372, 210, 150);
    window(pen, 812, 372, 130, 96);
    pen.fillStyle = '#4A342A';
    pen.fillRect(452, 356, 10, 214);
    pen.fillRect(440, 350, 96, 12);
    for (let beam = 0; beam < 6; beam++) pen.fillRect(446 + beam * 15, 344, 6, 8);
    box(pen, '#F3DCC6', 380, 564, 640, 22, 4);
    // The pool mirrors the windows.
    shape(
      pen,
      gradient(pen, [400, 600, 400, 690], '#8FC7CF', '#3F8496'),
      [420, 612],
      [930, 612],
      [1000, 690],
      [350, 690],
    );
    pen.fillStyle = '#FFE0A066';
    for (let row = 0; row < 5; row++) pen.fillRect(570 + row * 4, 620 + row * 13, 190 - row * 8, 5);
    cypress(pen, 1010, 590, 330);
    cypress(pen, 1056, 610, 260);
    cypress(pen, 398, 590, 210);
    shape(pen, '#3B4A38', [0, 700], [120, 640, 260, 700], [320, 740, 340, 760], [0, 760]);
    for (const [x, y, radius] of [
      [70, 690, 34],
      [120, 672, 40],
      [180, 694, 30],
    ] as const) {
      disc(pen, x, y, radius, '#5C6B4A');
    }
  });

function room(pen: Pen, wall: readonly [string, string], floor: readonly [string, string]): void {
  box(pen, gradient(pen, [0, 0, WIDTH, 560], ...wall), 0, 0, WIDTH, 570);
  box(pen, gradient(pen, [0, 560, 0, HEIGHT], ...floor), 0, 560, WIDTH, 200);
}

/** An arched window onto the sea. */
function archedView(pen: Pen, x: number, y: number, width: number, height: number): void {
  pen.save();
  pen.beginPath();
  pen.moveTo(x, y + height);
  pen.lineTo(x, y + width / 2);
  pen.arc(x + width / 2, y + width / 2, width / 2, Math.PI, 0);
  pen.lineTo(x + width, y + height);
  pen.closePath();
  pen.clip();
  pen.fillStyle = gradient(pen, [0, y, 0, y + height], '#8FC3E8', '#E6F1EE', '#FFE9CF');
  pen.fillRect(x, y, width, height);
  const sea = y + height * 0.62;
  pen.fillStyle = gradient(pen, [0, sea, 0, y + height], '#4B93B8', '#2F6C94');
  pen.fillRect(x, sea, width, height);
  shape(pen, '#8FA6B8', [x + width * 0.3, sea], [x + width * 0.6, sea - 50, x + width, sea]);
  pen.restore();
}

function plant(pen: Pen, x: number, foot: number, size: number): void {
  shape(
    pen,
    gradient(pen, [x - 40, 0, x + 40, 0], '#D98B5F', '#A85A34'),
    [x - size * 0.2, foot - size * 0.34],
    [x + size * 0.2, foot - size * 0.34],
    [x + size * 0.15, foot],
    [x - size * 0.15, foot],
  );
  for (const [turn, length] of [
    [-0.9, 0.8],
    [-0.5, 1],
    [-0.12, 1.12],
    [0.25, 1.05],
    [0.6, 0.9],
    [1, 0.7],
  ] as const) {
    const [tipX, tipY] = [
      x + Math.sin(turn) * size * length * 0.7,
      foot - size * 0.34 - Math.cos(turn) * size * length * 0.7,
    ];
    const [midX, midY] = [(x + tipX) / 2, (foot - size * 0.34 + tipY) / 2];
    const bend = size * 0.14;
    shape(
      pen,
      turn < 0 ? '#5B7F57' : '#456B4B',
      [x, foot - size * 0.34],
      [midX - bend, midY - bend * 0.3, tipX, tipY],
      [midX + bend, midY + bend * 0.3, x, foot - size * 0.34],
    );
  }
}

export const livingRoom = () =>
  canvasOf(WIDTH, HEIGHT, (pen) => {
    room(pen, ['#F7E7D2', '#E9CFB2'], ['#C9925F', '#A87044']);
    archedView(pen, 96, 96, 300, 464);
    // Light of the window on the floor.
    shape(pen, '#FFE9C244', [96, 560], [396, 560], [620, 760], [220, 760]);
    // A picture, a lamp and the sofa.
    box(pen, '#FFF8EC', 620, 110, 190, 230, 4);
    disc(pen, 715, 210, 52, '#D9683C');
    box(pen, '#2F5D62', 640, 250, 150, 70, 0);
    pen.fillStyle = '#4A342A';
    pen.fillRect(945, 270, 8, 290);
    shape(pen, glow(pen, [949, 230, 10, 120], '#FFF3CF', '#FFD48A'), [910, 180], [988, 180], [1026, 276], [872, 276]);
    disc(pen, 949, 300, 190, glow(pen, [949, 300, 10, 190], '#FFE6A855', '#FFE6A800'));
    pen.fillStyle = '#00000022';
    pen.beginPath();
    pen.ellipse(690, 664, 330, 34, 0, 0, 2 * Math.PI);
    pen.fill();
    box(pen, gradient(pen, [0, 400, 0, 560], '#3F7C78', '#2C5F5E'), 470, 404, 440, 170, 44);
    box(pen, gradient(pen, [0, 500, 0, 650], '#4C8F89', '#2F6966'), 440, 500, 500, 140, 40);
    box(pen, '#37736F', 420, 470, 88, 176, 40);
    box(pen, '#2C5F5E', 872, 470, 88, 176, 40);
    box(pen, '#F3B562', 540, 430, 112, 106, 22);
    box(pen, '#E8825A', 640, 446, 100, 94, 22);
    plant(pen, 330, 640, 210);
  });

export const bedroom = () =>
  canvasOf(WIDTH, HEIGHT, (pen) => {
    room(pen, ['#D7E1DC', '#B9CCC6'], ['#D9B48C', '#B98C62']);
    archedView(pen, 660, 84, 340, 476);
    shape(pen, '#FFF3DA55', [660, 560], [1000, 560], [900, 760], [380, 760]);
    // Curtains.
    shape(pen, '#FBF5EAdd', [610, 60], [680, 60], [660, 300, 690, 566], [600, 566]);
    shape(pen, '#F2E8D8dd', [1000, 60], [1066, 60], [1066, 566], [980, 566], [1010, 300, 1000, 60]);
    // The bed.
    box(pen, gradient(pen, [0, 300, 0, 560], '#C98F5E', '#9C6539'), 60, 300, 470, 290, 60);
    box(pen, '#FFFDF8', 84, 470, 440, 170, 40);
    box(pen, gradient(pen, [0, 540, 0, 690], '#E9F0EE', '#BFD2CD'), 50, 540, 540, 150, 44);
    shape(
      pen,
      gradient(pen, [0, 560, 0, 700], '#D9683C', '#B44C26'),
      [330, 546],
      [470, 530, 588, 548],
      [600, 620, 590, 676],
      [440, 700, 300, 690],
      [350, 620, 330, 546],
    );
    box(pen, '#FFFFFF', 104, 420, 180, 110, 40);
    box(pen, '#F3E9DC', 300, 426, 170, 104, 40);
    disc(pen, 216, 190, 74, glow(pen, [196, 170, 6, 90], '#FFF6E0', '#F0D8A8'));
    plant(pen, 610, 640, 190);
  });
