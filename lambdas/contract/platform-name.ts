/** The names of platforms, by what apps report: the client libraries report the names of Node.js, Python and Rust. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^(?:darwin|mac|macos|mac ?os ?x|osx)$/i, 'macOS'],
  [/^(?:win|win32|win64|windows)$/i, 'Windows'],
  [/^linux$/i, 'Linux'],
  [/^ios$/i, 'iOS'],
  [/^android$/i, 'Android'],
];

/** The name of a platform for people: `macOS` for `darwin`. A text that is not known stays as the app reported it. */
export const platformName = (reported: string): string => names.find(([pattern]) => pattern.test(reported.trim()))?.[1] ?? reported;
