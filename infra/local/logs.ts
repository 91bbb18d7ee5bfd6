import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes after which a new log file is started; the previous one is kept as `.1`. */
const FILE_LIMIT = 10 * 1024 * 1024;
/** Milliseconds for which lines are gathered before they are written. */
const FLUSH_AFTER = 200;

/** Takes what functions print. */
export interface Logs {
  /** A sink for one function's output, whole lines or parts of them. */
  of(functionName: string): (text: string) => void;
  /** Writes out what is still gathered. */
  stop(): void;
}

/**
 * Appends each function's output to `<folder>/<function>.log`.
 *
 * @param options.folder undefined drops the output
 * @param options.show decides which lines also go to `print`; warnings and errors by default
 */
export function start({
  folder,
  print = () => undefined,
  show = isWarning,
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

/** Lines that JSON loggers, `console.error` of the runtime, and this folder's own messages mark as worth seeing. */
const isWarning = (line: string): boolean => /^(WARN|ERROR)\b|"level":"(WARN|ERROR|FATAL)"/i.test(line);

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
