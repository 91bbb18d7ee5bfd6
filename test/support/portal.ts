import type { OutgoingHttpHeaders } from 'node:http';
import type { PortalLicenseView } from '../../lambdas/contract/portal';
import type { PortalAction } from '../../lambdas/contract/portal-actions';
import { portalActions } from '../../lambdas/contract/portal-actions';
import type { AppParts } from '../../lambdas/runtime/app';
import { parseConfig } from '../../lambdas/runtime/config';
import { startEventHarness, type EventHarness, type Product } from './event-harness';
import type { CallResult } from './harness';
import type { MailServer } from './mail-server';

/** A product with a portal, and buyers who sign in to it with the mails that a real mail server took. */

export interface PortalHarness extends EventHarness {
  openPortal(product: Product, settings?: object): Promise<void>;
  /** Requests a code, and returns what the worker has mailed since; undefined if nothing. */
  requestCode(product: Product, email: string, headers?: Record<string, string>): Promise<CodeMail | undefined>;
  signIn(product: Product, body: object): Promise<CallResult>;
  /** Requests a code and signs in with it. */
  session(product: Product, email: string): Promise<string>;
  /** Calls a route of the portal with a session. */
  as(
    product: Product,
    session: string,
    name: string,
    request?: { params?: object; body?: unknown; query?: Record<string, string>; headers?: OutgoingHttpHeaders },
  ): Promise<CallResult>;
  licenses(product: Product, session: string): Promise<readonly PortalLicenseView[]>;
}

export interface CodeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly code: string;
  /** Of the link; empty if the mail has none. */
  readonly token: string;
}

export const toCodeMail = ({ to, mail }: MailServer['inbox'][number]): CodeMail => {
  const text = mail.text ?? '';
  return {
    to: to.join(),
    subject: mail.subject ?? '',
    text,
    html: String(mail.html),
    code: /^\d{8}$/m.exec(text)?.[0] ?? '',
    token: /#t=([\w-]+)/.exec(text)?.[1] ?? '',
  };
};

export const allActions: readonly PortalAction[] = portalActions;

export function startPortalHarness(table: string, mail: MailServer | undefined, parts: Partial<AppParts> = {}): PortalHarness {
  const service = startEventHarness(table, {
    config: {
      ...parseConfig({ PUBLIC_URL: 'https://licenses.example.com' }),
      expiringDays: 0,
      tableName: table,
      webhookAllowPrivate: true,
      mail: mail ? { transport: 'smtp', from: 'licenses@example.com' } : { transport: 'none' },
    },
    fetchSecret: (name) =>
      Promise.resolve(name === 'adminToken' ? 'test-admin-token' : name === 'smtpUrl' ? (mail?.url ?? '') : `test-${name}`),
    ...parts,
  });
  const harness: PortalHarness = {
    ...service,
    openPortal: async (product, settings = { allow: allActions }) =>
      void (await service.ok('setPortal', { params: { id: product.id }, body: { enabled: true, ...settings } })),
    requestCode: async ({ slug }, email, headers = {}) => {
      const before = mail?.inbox.length ?? 0;
      await service.ok('requestPortalCode', { params: { slug }, body: { email }, headers });
      await service.run();
      const sent = mail?.inbox[before];
      return sent && toCodeMail(sent);
    },
    signIn: ({ slug }, body) => service.call('createPortalSession', { params: { slug }, body }),
    session: async (product, email) => {
      const { code = '' } = (await harness.requestCode(product, email)) ?? {};
      const { status, body } = await harness.signIn(product, { email, code });
      if (status !== 201) throw new Error(`Signing in answered ${status}`);
      return String(body['session']);
    },
    as: ({ slug }, session, name, { params = {}, headers = {}, ...request } = {}) =>
      service.call(name, {
        ...request,
        params: { slug, ...params },
        headers: { 'X-Portal-Session': session, ...(headers as Record<string, string>) },
      }),
    licenses: async (product, session) =>
      (await harness.as(product, session, 'listPortalLicenses')).body as unknown as readonly PortalLicenseView[],
  };
  return harness;
}
