import { Logger } from '@aws-lambda-powertools/logger';
import { redact } from './redact';
import { SERVICE } from '../version';

let made: Logger | undefined;

/** The logger, made with the first line: most requests write none, and it takes long to make. */
function logger(): Logger {
  if (made) return made;
  made = new Logger({ serviceName: SERVICE, jsonReplacerFn: redact });
  // In Lambda, the console would put its own words before each line, so the logger has one of its own. Elsewhere
  // the usual one is right, which tests listen to; the library's own switch for that breaks lines as well.
  if (process.env['AWS_LAMBDA_FUNCTION_NAME'] === undefined) Object.assign(made, { console });
  return made;
}

type Fields = Readonly<Record<string, unknown>>;
const withError = (fields: Fields, error: unknown): Fields => (error === undefined ? fields : { ...fields, error: told(error) });

/** What is told of an error. What it carries beside is left out: errors of a transaction carry whole rows of the table. */
function told(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...('$metadata' in error && { $metadata: error.$metadata }), ...(cause !== undefined && { cause: told(cause) }) };
}

/**
 * Structured logs: one JSON object a line, with a stable code as its message, to search for. Never a
 * credential, key or e-mail: see {@link redact}. `LOG_LEVEL` sets the level.
 */
export const log = {
  info: (code: string, fields: Fields = {}): void => logger().info(code, fields),
  warn: (code: string, fields: Fields, error?: unknown): void => logger().warn(code, withError(fields, error)),
  error: (code: string, fields: Fields, error: unknown): void => logger().error(code, withError(fields, error)),
};
