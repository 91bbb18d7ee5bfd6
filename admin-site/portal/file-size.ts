const format = (language: string, unit: string, digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: digits });

/** The size of a file in words: `104.9 MB`, `12 kB`. A file that is not empty has at least 1 kB. @param size in bytes */
export const fileSize = (size: number, language: string): string =>
  size < 1e6 ? format(language, 'kilobyte', 0).format(Math.ceil(size / 1e3)) : format(language, 'megabyte', 1).format(size / 1e6);
