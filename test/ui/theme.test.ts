/** Colours that can be read, in terminals of every kind. */

import { describe, expect, test } from "bun:test";
import {
  darkBackgrounds,
  darkPalette,
  lightBackgrounds,
  lightPalette,
  makeTheme,
} from "../../src/ui/theme.ts";

type ColorName = keyof typeof darkPalette;
type Rgb = (typeof darkPalette)[ColorName];

/** As WCAG 2 defines it. */
function contrast(one: Rgb, other: Rgb): number {
  const brightness = (color: Rgb): number => {
    const [red = 0, green = 0, blue = 0] = color.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [brightness(one), brightness(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function rgbOf256(index: number): Rgb {
  if (index >= 232) return [8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)];
  const steps = [0, 95, 135, 175, 215, 255];
  const at = index - 16;
  return [steps[Math.floor(at / 36)] ?? 0, steps[Math.floor(at / 6) % 6] ?? 0, steps[at % 6] ?? 0];
}

const dark: readonly Rgb[] = [
  [0, 0, 0],
  [30, 30, 30],
  [40, 42, 54],
  [0, 43, 54],
];
const light: readonly Rgb[] = [
  [255, 255, 255],
  [253, 246, 227],
  [239, 241, 245],
];

describe.each([
  { name: "dark", palette: darkPalette, backgrounds: [...dark, ...Object.values(darkBackgrounds)] },
  { name: "light", palette: lightPalette, backgrounds: [...light, ...Object.values(lightBackgrounds)] },
])("the $name theme", ({ palette, backgrounds }) => {
  const names = Object.keys(palette) as ColorName[];
  const isLight = palette === lightPalette;
  const tooWeak = (shown: (name: ColorName) => Rgb) =>
    names.filter((name) =>
      backgrounds.some((background) => contrast(shown(name), background) < (name === "dim" ? 3 : 4.5)),
    );

  test("can be read in true colours", () => {
    expect(tooWeak((name) => palette[name])).toEqual([]);
  });

  test("can be read in 256 colours", () => {
    const theme = makeTheme({ hasColors: true, depth: "256", isLight, isAscii: false });
    const indexOf = (name: ColorName) => Number(theme[name]("x").match(/38;5;(\d+)m/)?.[1]);
    expect(tooWeak((name) => rgbOf256(indexOf(name)))).toEqual([]);
  });
});

test("contrasts are measured as everybody does", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2);
});

test("each kind of terminal gets its own sequences", () => {
  const painted = (depth: "16" | "256" | "true", isLight: boolean) =>
    makeTheme({ hasColors: true, depth, isLight, isAscii: false }).red("x");
  expect(painted("16", false)).toBe("\x1b[31mx\x1b[39m");
  expect(painted("256", false)).toBe("\x1b[38;5;210mx\x1b[39m");
  expect(painted("true", false)).toBe("\x1b[38;2;255;135;135mx\x1b[39m");
  expect(painted("true", true)).toBe("\x1b[38;2;175;0;30mx\x1b[39m");
  expect(makeTheme({ hasColors: false, isLight: false, isAscii: false }).red("x")).toBe("x");
});

test("a style inside another does not end the outer one", () => {
  const { dim, cyan } = makeTheme({ hasColors: true, depth: "256", isLight: false, isAscii: false });
  expect(dim(`a ${cyan("b")} c`)).toBe("\x1b[38;5;247ma \x1b[38;5;80mb\x1b[39m\x1b[38;5;247m c\x1b[39m");
});

test("a style ends with its line and begins again on the next", () => {
  const { red } = makeTheme({ hasColors: true, isLight: false, isAscii: false });
  expect(red("a\nb")).toBe("\x1b[31ma\x1b[39m\n\x1b[31mb\x1b[39m");
});
