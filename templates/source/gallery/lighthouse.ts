import { canvasOf, disc, glow, gradient, shape } from './drawing.ts';

/** The cover of the podcast: a lighthouse at night whose beam crosses the picture. */
export const lighthouse = () =>
  canvasOf(480, 480, (pen) => {
    pen.fillStyle = gradient(pen, [0, 0, 0, 480], '#142B4D', '#2C5A70', '#E58E6B');
    pen.fillRect(0, 0, 480, 480);
    disc(pen, 110, 110, 34, '#FBE9C6');
    disc(pen, 124, 100, 30, '#1B3657');
    // The beam.
    shape(pen, glow(pen, [262, 150, 4, 320], '#FFE8A8', '#FFE8A877', '#FFE8A800'), [262, 150], [540, 40], [540, 210]);
    shape(pen, glow(pen, [262, 150, 4, 260], '#FFE8A8', '#FFE8A844', '#FFE8A800'), [262, 150], [-20, 190], [-20, 290]);
    // Sea and rock.
    pen.fillStyle = gradient(pen, [0, 370, 0, 480], '#3C6F83', '#143B4C');
    pen.fillRect(0, 370, 480, 110);
    pen.fillStyle = '#FFD9B055';
    for (let row = 0; row < 6; row++) pen.fillRect(310 - row * 6, 384 + row * 15, 90 + row * 14, 3);
    shape(pen, '#12303C', [60, 480], [90, 390, 190, 372], [270, 340, 350, 380], [420, 410, 440, 480]);
    // The tower.
    shape(pen, gradient(pen, [220, 0, 310, 0], '#FFF6E6', '#C9B7A4'), [236, 170], [290, 170], [308, 372], [218, 372]);
    for (const [top, foot] of [
      [214, 252],
      [294, 332],
    ] as const) {
      const at = (y: number) => (18 * (y - 170)) / 202;
      shape(
        pen,
        gradient(pen, [220, 0, 310, 0], '#E0603E', '#A43A22'),
        [236 - at(top), top],
        [290 + at(top), top],
        [290 + at(foot), foot],
        [236 - at(foot), foot],
      );
    }
    pen.fillStyle = '#23384A';
    pen.fillRect(226, 162, 74, 10);
    disc(pen, 263, 150, 60, glow(pen, [263, 150, 2, 60], '#FFF3CCdd', '#FFE8A800'));
    pen.fillStyle = '#FFE9AE';
    pen.fillRect(242, 128, 42, 34);
    pen.fillStyle = '#23384A';
    pen.fillRect(260, 128, 5, 34);
    shape(pen, '#C74E30', [234, 128], [263, 92], [292, 128]);
  });
