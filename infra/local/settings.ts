import { resolve } from 'node:path';
import { processors } from '../../lambdas/contract/processors';
import { StartError } from './errors';
import { MEMORY } from './data-dir';

/** The settings of a local run, which are read from the environment. */
export interface Settings {
  readonly port: number;
  readonly host: string;
  /** Additional host names of the gateway. */
  readonly allowedHosts: readonly string[];
  /** Whether the local run enforces the same request limits as a deployment. */
  readonly throttle: boolean;
  readonly adminToken: string | undefined;
  /** The absolute path of the data folder, or {@link MEMORY}. */
  readonly dataDir: string;
  readonly webhookAllowPrivate: boolean;
  readonly dynamodbEndpoint: string | undefined;
  /** How the local run sends mail. The transport is `none` if no sender address is set. */
  readonly mail: { readonly transport: 'none' } | { readonly transport: 'ses' | 'smtp'; readonly from: string };
  readonly smtpUrl: string | undefined;
  /** Maximum number of reminders per second. */
  readonly mailsPerSecond: number;
  /** Replaces the URLs of payment processors' APIs, for tests. */
  readonly processorApis: Readonly<Record<string, string>>;
  /** Whether all output of functions is printed, or only warnings and errors. */
  readonly printAll: boolean;
}

/**
 * Reads the settings. An empty variable counts as not set.
 *
 * @throws {StartError} if a variable has an invalid value
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = text(name) ?? String(otherwise);
    if (/^(true|1|yes|on)$/i.test(value)) return true;
    if (/^(false|0|no|off)$/i.test(value)) return false;
    throw new StartError(`${name}="${value}" is neither true nor false.`);
  };

  const port = text('PORT') ?? '8787';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new StartError(`PORT="${port}" is not a port: give a number from 1 to 65535, or 0 for any free port.`);
  }
  const adminToken = text('SVC_ADMIN_TOKEN');
  if (adminToken !== undefined && !/^[\x21-\x7e]+$/.test(adminToken)) {
    throw new StartError('SVC_ADMIN_TOKEN must consist of printable ASCII characters without spaces, because it is sent in a header.');
  }
  const dynamodbEndpoint = text('DYNAMODB_ENDPOINT');
  if (dynamodbEndpoint !== undefined && !/^https?:/.test(URL.canParse(dynamodbEndpoint) ? dynamodbEndpoint : '')) {
    throw new StartError(`DYNAMODB_ENDPOINT="${dynamodbEndpoint}" is not a URL such as http://127.0.0.1:8000.`);
  }
  const transport = text('MAIL_TRANSPORT') ?? 'ses';
  if (transport !== 'ses' && transport !== 'smtp' && transport !== 'none') {
    throw new StartError(`MAIL_TRANSPORT="${transport}" must be ses, smtp or none.`);
  }
  const from = text('MAIL_FROM');
  if (from !== undefined && !/^[^\s@<>]+@[^\s@<>]+$/.test(from)) throw new StartError(`MAIL_FROM="${from}" is not a plain e-mail address.`);
  const smtpUrl = text('SMTP_URL');
  if (transport === 'smtp' && !/^smtps?:/.test(smtpUrl !== undefined && URL.canParse(smtpUrl) ? smtpUrl : '')) {
    throw new StartError('MAIL_TRANSPORT=smtp needs SMTP_URL, such as smtp://user:password@127.0.0.1:587.');
  }
  const mailsPerSecond = Number(text('MAILS_PER_SECOND') ?? '5');
  if (!(mailsPerSecond >= 0.1 && mailsPerSecond <= 1000)) {
    throw new StartError(`MAILS_PER_SECOND="${text('MAILS_PER_SECOND')}" must be a number from 0.1 to 1000.`);
  }
  const processorApis: Record<string, string> = {};
  for (const processor of processors) {
    const name = `${processor.toUpperCase()}_API_BASE`;
    const base = text(name);
    if (base === undefined) continue;
    if (!/^https?:/.test(URL.canParse(base) ? base : ''))
      throw new StartError(`${name}="${base}" is not a URL such as http://127.0.0.1:9000.`);
    processorApis[processor] = base.replace(/(?<!\/)\/+$/, '');
  }
  const dataDir = text('DATA_DIR') ?? '.local';
  return {
    port: Number(port),
    host: text('HOST') ?? '127.0.0.1',
    allowedHosts: (text('ALLOWED_HOSTS') ?? '').split(/[\s,]+/).filter((name) => name !== ''),
    throttle: flag('THROTTLE', true),
    adminToken,
    dataDir: dataDir === MEMORY ? MEMORY : resolve(dataDir),
    webhookAllowPrivate: flag('WEBHOOK_ALLOW_PRIVATE', true),
    dynamodbEndpoint,
    mail: transport === 'none' || from === undefined ? { transport: 'none' } : { transport, from },
    smtpUrl,
    mailsPerSecond,
    processorApis,
    printAll: flag('LOG', false),
  };
}
