import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes after which a new log file is started; the previous one is kept as `.1`. */
const FILE_LIMIT = 10 * 1024 * 1024;
/** Milliseconds for which lines are collected before they are written. */
const FLUSH_AFTER = 200;
/** Milliseconds after which a warning of the same kind is shown again. */
const SHOWN_AGAIN_AFTER = 600_000;

/** Receives the functions' output. */
export interface Logs {
  /** Returns a sink for one function's output, which may be whole lines or parts of them. */
  of(functionName: string): (text: string) => void;
  /** Writes the remaining lines. */
  stop(): void;
}

/**
 * Appends each function's output to `<folder>/<function>.log`.
 *
 * @param options.folder undefined drops the output
 * @param options.show decides which lines also go to `print`; warnings and errors by default. A warning that repeats for one
 *   product, such as that its webhook does not respond, is printed once in ten minutes
 */
export function start({
  folder,
  print = () => undefined,
  show = newWarnings(),
}: {
  folder?: string;
  print?: (line: string) => void;
  show?: (line: string) => boolean;
}): Logs {
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files: { flush(): void }[] = [];
  return {
    of: (functionName) => {
      const file = folder === undefined ? undefined : new LogFile(join(folder, `${functionName}.log`));
      if (file) files.push(file);
      let part = '';
      return (text) => {
        const lines = (part + text).split('\n');
        part = lines.pop()!;
        for (const line of lines) {
          file?.append(line);
          if (show(line)) print(`[${functionName}] ${line}`);
        }
      };
    },
    stop: () => {
      for (const file of files) file.flush();
    },
  };
}

/** True for warnings and errors of JSON loggers, of the runtime's `console.error`, and of this folder's own messages. */
const isWarning = (line: string): boolean => /^(WARN|ERROR)\b|"level":"(WARN|ERROR|FATAL)"/i.test(line);

/** Selects warnings and errors, except repetitions of one that was shown in the last minutes. */
function newWarnings(clock: () => number = () => performance.now()): (line: string) => boolean {
  const shownAt = new Map<string, number>();
  return (line) => {
    if (!isWarning(line)) return false;
    const kind = kindOfWarning(line);
    if (kind === undefined) return true;
    const last = shownAt.get(kind);
    if (last !== undefined && clock() - last < SHOWN_AGAIN_AFTER) return false;
    shownAt.set(kind, clock());
    return true;
  };
}

/** The same text for all repetitions of a warning; undefined if the line is not a warning about a product. */
function kindOfWarning(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, product_id, reason } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return level === 'WARN' && product_id !== undefined && reason !== undefined ? JSON.stringify([product_id, reason]) : undefined;
  } catch {
    // Not JSON, so it is not a warning about a product.
    return undefined;
  }
}

class LogFile {
  private gathered = '';
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly path: string) {}

  append(line: string): void {
    this.gathered += `${line}\n`;
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.gathered === '') return;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > FILE_LIMIT) renameSync(this.path, `${this.path}.1`);
    appendFileSync(this.path, this.gathered, { mode: 0o600 });
    this.gathered = '';
  }
}
