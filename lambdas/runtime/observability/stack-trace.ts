import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/**
 * The source map of this bundle, which is read when the first fault is logged. The variable is undefined in tests and local runs, where no
 * source map exists.
 */
let map: SourceMap | undefined | null = null;

function sourceMap(): SourceMap | undefined {
  if (map === null) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${__filename}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0]);
    } catch {
      map = undefined;
    }
  }
  return map;
}

/**
 * Converts a stack trace: positions in this bundle become positions in the source files. Node's option `--enable-source-maps` does the
 * same, but reads the source map at every cold start. That takes a seventh of the cold start's time, and most instances never log a fault.
 */
export function inSources(stack: string): string {
  const [start = '', ...places] = stack.split(`${__filename}:`);
  if (places.length === 0) return stack;
  const found = sourceMap();
  return places.reduce((text, place) => {
    const [position = '', line, column] = /^(\d+):(\d+)/.exec(place) ?? [];
    const origin = found?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!origin || !('originalSource' in origin)) return `${text}${__filename}:${place}`;
    const { originalSource, originalLine, originalColumn } = origin;
    const source = originalSource.split('../').at(-1);
    return `${text}${source}:${originalLine + 1}:${originalColumn + 1}${place.slice(position.length)}`;
  }, start);
}
