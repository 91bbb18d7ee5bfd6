/** A color as its red, green and blue parts, from 0 to 255. */
const partsOf = (color: string): readonly number[] => [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

/** The relative luminance of a color (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [r = 0, g = 0, b = 0] = partsOf(color).map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The text color for a background color: white or black, whichever has the higher contrast. The contrast is at least 4.5 : 1. */
export const textOn = (color: string): string => (contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000');

const mixed = (color: string, other: string, share: number): string => {
  const parts = partsOf(other);
  const mix = partsOf(color).map((part, place) => Math.round(part * (1 - share) + (parts[place] ?? 0) * share));
  return `#${mix.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

/**
 * The color for links and focus rings: the vendor's color, mixed with black or white until its contrast to the background is at least
 * 4.5 : 1. With a light background, the result is darker than the vendor's color, and with a dark background it is lighter.
 */
export function readableOn(background: string, color: string): string {
  const end = textOn(background);
  const steps = Array.from({ length: 21 }, (_, step) => mixed(color, end, step / 20));
  return steps.find((one) => contrast(one, background) >= 4.5) ?? end;
}
