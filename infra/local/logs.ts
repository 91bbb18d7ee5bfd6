import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from './errors';

/** Maximum bytes of the log file. A larger file is renamed to `.1`, and a new file is started. */
const FILE_LIMIT = 10 * 1024 * 1024;
/** Milliseconds for which lines are collected before they are written. */
const FLUSH_AFTER = 200;
/** Milliseconds after which a repeated warning is shown again. */
const SHOWN_AGAIN_AFTER = 600_000;

/** Receives the log lines of the service. */
export interface Logs {
  readonly receive: (line: string) => void;
  /** Writes the lines that are not written yet. */
  stop(): void;
}

export interface LogOptions {
  /** The folder of the log file; if undefined, the lines are not written. */
  readonly folder?: string | undefined;
  /** Receives the lines that are shown in the terminal. */
  readonly print?: ((line: string) => void) | undefined;
  /**
   * Decides which lines are shown; by default these are warnings and errors. A repeated warning about the same product, for example that the
   * product's webhook does not respond, is shown at most once in ten minutes.
   */
  readonly show?: (line: string) => boolean;
}

/** Appends log lines to `<folder>/service.log`, and prints some of them. */
export function start({ folder, print = () => undefined, show = newWarnings() }: LogOptions): Logs {
  const path = folder && join(folder, 'service.log');
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  let reportedAt = -Infinity;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = gathered;
    gathered = '';
    if (path === undefined || lines === '') return;
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > FILE_LIMIT) renameSync(path, `${path}.1`);
      appendFileSync(path, lines, { mode: 0o600 });
    } catch (error) {
      // A full disk or a deleted folder must not end the local run, which can still respond to requests.
      if (performance.now() - reportedAt < SHOWN_AGAIN_AFTER) return;
      reportedAt = performance.now();
      print(`ERROR Lines of the log are lost: ${messageOf(error)}`);
    }
  };
  return {
    receive: (line) => {
      if (show(line)) print(line);
      if (path === undefined) return;
      gathered += `${line}\n`;
      timer ??= setTimeout(flush, FLUSH_AFTER);
    },
    stop: flush,
  };
}

/** Selects warnings and errors. It omits repetitions of a warning that was shown in the last ten minutes. */
function newWarnings(clock: () => number = () => performance.now()): (line: string) => boolean {
  const shownAt = new Map<string, number>();
  return (line) => {
    if (!/^ERROR\b|"level":"(WARN|ERROR)"/.test(line)) return false;
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
  const { level, product_id, reason } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return level === 'WARN' && product_id !== undefined && reason !== undefined ? JSON.stringify([product_id, reason]) : undefined;
}
