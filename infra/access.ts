import type { SettingName, FunctionAccess } from '../lambdas/contract/access';
import type { StageConfig } from './config';
import type { EventQueue } from './event-queue';
import type { FileStore } from './file-bucket';
import type { ServiceFunction } from './function';
import { grantMail } from './mail';
import type { Secrets } from './secrets';
import type { Table } from './table';

/** The resources to which a function's contract row can declare access. */
export interface Resources {
  readonly table: Table;
  readonly secrets: Secrets;
  readonly events: EventQueue;
  readonly files: FileStore;
  /** The distribution's URL, without a trailing slash. */
  readonly publicUrl: string;
}

/** For each setting, the name and the value of the environment variable from which functions read the setting. */
const settings: Readonly<
  Record<SettingName, (config: StageConfig, resources: Resources) => readonly [name: string, value: string | undefined]>
> = {
  deviceTokenDays: ({ deviceTokenDays }) => ['DEVICE_TOKEN_DAYS', String(deviceTokenDays)],
  offlineTokenDays: ({ offlineTokenDays }) => ['OFFLINE_TOKEN_DAYS', String(offlineTokenDays)],
  expiringDays: ({ expiringDays }) => ['EXPIRING_DAYS', String(expiringDays)],
  webhookAllowPrivate: ({ webhookAllowPrivate }) => ['WEBHOOK_ALLOW_PRIVATE', String(webhookAllowPrivate)],
  processorApis: ({ processorApis }) => ['PROCESSOR_APIS', processorApis && JSON.stringify(processorApis)],
  mailsPerSecond: ({ mailsPerSecond }) => ['MAILS_PER_SECOND', String(mailsPerSecond)],
  publicUrl: (_config, { publicUrl }) => ['PUBLIC_URL', publicUrl],
};

/** Grants a function exactly the permissions that its contract row declares, and sets the environment variables that it needs. */
export function grantAccess(fn: ServiceFunction, access: FunctionAccess, config: StageConfig, resources: Resources): void {
  const { table, secrets, events, files } = resources;
  table.grant(fn, access.store);
  for (const secret of access.secrets ?? []) secrets.grantRead(fn, secret);
  for (const setting of access.settings ?? []) {
    const [name, value] = settings[setting](config, resources);
    if (value !== undefined) fn.addEnvironment(name, value);
  }
  if (access.queue) events.grantSend(fn);
  if (access.files) files.grant(fn, access.files);
  if (access.mail) grantMail(fn, config, secrets, access.mail);
}
