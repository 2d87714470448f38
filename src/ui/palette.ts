/**
 * The colours of the two themes of our own, for terminals that have more than their 16: chosen so that text can be read on every
 * background of its kind, from black to dark grey and from white to light grey. test/ui/theme.test.ts holds the contrasts.
 */

export type ColorName = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "dim";

export type Rgb = readonly [red: number, green: number, blue: number];

export type Palette = Readonly<Record<ColorName, Rgb>>;

export const darkPalette: Palette = {
  red: [255, 135, 135],
  green: [135, 215, 135],
  yellow: [229, 192, 123],
  blue: [135, 175, 255],
  magenta: [215, 155, 245],
  cyan: [95, 215, 215],
  dim: [158, 158, 158],
};

export const lightPalette: Palette = {
  red: [175, 0, 30],
  green: [0, 95, 35],
  yellow: [125, 70, 0],
  blue: [0, 70, 180],
  magenta: [130, 20, 140],
  cyan: [0, 90, 110],
  dim: [95, 95, 95],
};

/** The nearest of the 240 colours that are the same in every terminal of 256: the cube and the greys. */
export function nearestOf256([red, green, blue]: Rgb): number {
  const steps = [0, 95, 135, 175, 215, 255];
  const step = (value: number) =>
    steps.reduce((best, each, at) => {
      const isNearer = Math.abs(each - value) < Math.abs((steps[best] ?? 0) - value);
      return isNearer ? at : best;
    }, 0);
  const [r, g, b] = [step(red), step(green), step(blue)];
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const shade = 8 + 10 * grey;
  const away = (color: Rgb) => (color[0] - red) ** 2 + (color[1] - green) ** 2 + (color[2] - blue) ** 2;
  const inCube: Rgb = [steps[r] ?? 0, steps[g] ?? 0, steps[b] ?? 0];
  return away([shade, shade, shade]) < away(inCube) ? 232 + grey : 16 + 36 * r + 6 * g + b;
}
