import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from './errors';

/** Maximum bytes of a log file. A larger file is renamed to `.1`, and a new file is started. */
const FILE_LIMIT = 10 * 1024 * 1024;
/** Milliseconds for which lines are collected before they are written. */
const FLUSH_AFTER = 200;
/** Milliseconds after which a repeated warning is shown again. */
const SHOWN_AGAIN_AFTER = 600_000;

/** Receives the functions' output. */
export interface Logs {
  /** Returns a receiver for the output of one function. It accepts whole lines or parts of lines. */
  of(functionName: string): (text: string) => void;
  /** Writes the lines that are not written yet, also a last line without a line break. */
  stop(): void;
}

/**
 * Appends the output of each function to `<folder>/<function>.log`.
 *
 * @param options.folder the folder of the log files; if undefined, the output is not written
 * @param options.show decides which lines `print` receives; by default these are warnings and errors. A repeated warning about the same
 * product, for example that the product's webhook does not respond, is printed at most once in ten minutes.
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
  const flushes: (() => void)[] = [];
  let reportedAt = -Infinity;
  const report = (error: unknown): void => {
    if (performance.now() - reportedAt < SHOWN_AGAIN_AFTER) return;
    reportedAt = performance.now();
    print(`ERROR Lines of the log are lost: ${messageOf(error)}`);
  };
  return {
    of: (functionName) => {
      const file = folder === undefined ? undefined : new LogFile(join(folder, `${functionName}.log`), report);
      let part = '';
      const receive = (text: string): void => {
        const lines = (part + text).split('\n');
        part = lines.pop()!;
        for (const line of lines) {
          file?.append(line);
          if (show(line)) print(`[${functionName}] ${line}`);
        }
      };
      flushes.push(() => {
        if (part !== '') receive('\n');
        file?.flush();
      });
      return receive;
    },
    stop: () => {
      for (const flush of flushes) flush();
    },
  };
}

/** Whether a line is a warning or an error of a JSON logger, of the runtime's `console.error`, or of the local run itself. */
const isWarning = (line: string): boolean => /^(WARN|ERROR)\b|"level":"(WARN|ERROR|FATAL)"/i.test(line);

/** Selects warnings and errors. It omits repetitions of a warning that was shown in the last ten minutes. */
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

/** A text that is the same for all repetitions of a warning; undefined if the line is not a warning about a product. */
function kindOfWarning(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, product_id, reason } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return level === 'WARN' && product_id !== undefined && reason !== undefined ? JSON.stringify([product_id, reason]) : undefined;
  } catch {
    // The line is not JSON, so it is not a warning about a product.
    return undefined;
  }
}

class LogFile {
  private gathered = '';
  private timer: NodeJS.Timeout | undefined;

  /** @param report called with the error if lines cannot be written */
  constructor(
    private readonly path: string,
    private readonly report: (error: unknown) => void,
  ) {}

  append(line: string): void {
    this.gathered += `${line}\n`;
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.gathered === '') return;
    const lines = this.gathered;
    this.gathered = '';
    try {
      const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > FILE_LIMIT) renameSync(this.path, `${this.path}.1`);
      appendFileSync(this.path, lines, { mode: 0o600 });
    } catch (error) {
      // A full disk or a deleted folder must not end the local run, which can still respond to requests.
      this.report(error);
    }
  }
}
