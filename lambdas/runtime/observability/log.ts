import { SERVICE } from '../version';
import { redact } from './redact';
import { inSources } from './stack-trace';

type Level = 'info' | 'warn' | 'error';
const RANKS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Selects the fields of an error that are logged. The other fields are left out, because errors of a transaction contain whole rows of the
 * table.
 */
function partsOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack: stack === undefined ? stack : inSources(stack),
    ...('$metadata' in error && { $metadata: error.$metadata }),
    ...(cause !== undefined && { cause: partsOf(cause) }),
  };
}

/** The log level from `LOG_LEVEL`, in upper or lower case. An unknown value counts as `INFO`. */
const threshold = (): number => {
  const name = (process.env['LOG_LEVEL'] ?? '').toLowerCase();
  return name in RANKS ? RANKS[name as keyof typeof RANKS] : RANKS.info;
};

/** Receives the lines outside of Lambda. People and tests read the console; a local run replaces `write`. */
export const outsideOfLambda = { write: (level: Level, line: string): void => console[level](line) };

function write(level: Level, code: string, fields: Fields, error?: unknown): void {
  if (RANKS[level] < threshold()) return;
  const line = JSON.stringify(
    {
      level: level.toUpperCase(),
      message: code,
      timestamp: new Date().toISOString(),
      service: SERVICE,
      ...fields,
      ...(error !== undefined && { error: partsOf(error) }),
    },
    redact,
  );
  // In Lambda, the console would add its own text before each line.
  if (process.env['AWS_LAMBDA_FUNCTION_NAME'] === undefined) outsideOfLambda.write(level, line);
  else process.stdout.write(`${line}\n`);
}

/**
 * Structured logs: each line is a JSON object whose message is a stable code to search for. Log lines never contain a credential, key or
 * e-mail address: see {@link redact}. `LOG_LEVEL` sets the level.
 */
export const log = {
  info: (code: string, fields: Fields = {}): void => write('info', code, fields),
  warn: (code: string, fields: Fields, error?: unknown): void => write('warn', code, fields, error),
  error: (code: string, fields: Fields, error: unknown): void => write('error', code, fields, error),
};
