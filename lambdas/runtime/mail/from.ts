import type { App } from '../app';

/** The configured from-address; null if mail is not configured. */
export const mailFrom = ({ config: { mail } }: App): string | null => (mail.transport === 'none' ? null : mail.from);
