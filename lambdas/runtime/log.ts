/** Structured logs: one JSON object a line, with a stable `code` to search for. Never a credential, key or e-mail. */
type Level = 'INFO' | 'WARN' | 'ERROR';

const describe = (error: unknown): object =>
  error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : { message: String(error) };

function write(level: Level, code: string, fields: Record<string, unknown>, error?: unknown): void {
  const line = JSON.stringify({ level, code, ...fields, ...(error !== undefined && { error: describe(error) }) });
  // eslint-disable-next-line no-console -- Lambda's log is its standard output
  console[level === 'ERROR' ? 'error' : level === 'WARN' ? 'warn' : 'info'](line);
}

export const log = {
  info: (code: string, fields: Record<string, unknown> = {}): void => write('INFO', code, fields),
  warn: (code: string, fields: Record<string, unknown>, error?: unknown): void => write('WARN', code, fields, error),
  error: (code: string, fields: Record<string, unknown>, error: unknown): void => write('ERROR', code, fields, error),
};
