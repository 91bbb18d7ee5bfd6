import { randomBytes } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { PortalLicenseView } from '../../lambdas/contract/portal';
import type { PortalAction } from '../../lambdas/contract/portal-actions';
import { portalActions } from '../../lambdas/contract/portal-actions';
import type { AppParts } from '../../lambdas/runtime/app';
import { startEventHarness, type EventHarness, type Product } from './event-harness';
import { harnessConfig, type CallRequest, type CallResult } from './harness';
import { startMailServer, type MailServer } from './mail-server';
import { ownTable } from './own-table';

/** Creates a product with a portal, and buyers who sign in with the mails that a real mail server received. */

export interface PortalHarness extends EventHarness {
  openPortal(product: Product, settings?: object): Promise<void>;
  /** Requests a sign-in code, and returns the mail that the worker has sent since; undefined if it has sent none. */
  requestCode(product: Product, email: string, headers?: Record<string, string>): Promise<CodeMail | undefined>;
  signIn(product: Product, body: object): Promise<CallResult>;
  /** Requests a sign-in code, signs in with it, and returns the session. */
  session(product: Product, email: string): Promise<string>;
  /** Calls a route of the portal with a buyer's session. */
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
  /** The token in the mail's sign-in link; empty if the mail has no link. */
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
    config: harnessConfig(table, {
      publicUrl: 'https://licenses.example.com',
      webhookAllowPrivate: true,
      mail: mail ? { transport: 'smtp', from: 'licenses@example.com' } : { transport: 'none' },
    }),
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

/** What each test of a file gets. */
interface FreshPortal {
  readonly table: string;
  readonly mail: MailServer;
  readonly service: PortalHarness;
  /** A product with an open portal. */
  readonly product: Product;
  /** An address that has bought nothing yet. */
  readonly ada: string;
}

/** Starts a service for each test of a file. The tests share a mail server and a table. */
export function freshPortals(use: (fresh: FreshPortal) => Promise<unknown>): void {
  let mail: MailServer;
  let table: string;
  let service: PortalHarness;
  beforeAll(async () => {
    table = await ownTable();
    mail = await startMailServer();
  });
  afterAll(() => mail.close());
  beforeEach(async () => {
    mail.inbox.length = 0;
    mail.refusal = 0;
    service = startPortalHarness(table, mail);
    const product = await service.newProduct();
    await service.openPortal(product);
    await use({ table, mail, service, product, ada: `ada-${randomBytes(4).toString('hex')}@example.com` });
  });
  afterEach(() => service.close());
}

type Ok = (name: string, request: CallRequest) => Promise<unknown>;

/** A license whose buyer uses the portal, and its product. */
interface Bought {
  readonly product: { readonly id: number; readonly slug: string };
  readonly license: { readonly id: number; readonly key: string; readonly customer_email: string };
}

/** A buyer's session, and the reference of a device of the license; the reference is empty if the license has no devices. */
interface SignedIn {
  readonly session: string;
  readonly ref: string;
}

/** Creates a link with which the buyer can sign in, and returns the token of the link. */
export async function newPortalToken(ok: Ok, productId: number, email: string): Promise<string> {
  const link = await ok('createPortalLink', { params: { id: productId }, body: { customer_email: email } });
  return (link as { url: string }).url.split('#t=')[1] ?? '';
}

/** Opens the portal of a license's product with all its options, and signs the buyer in. */
export async function signInToPortal(ok: Ok, bought: Bought): Promise<SignedIn> {
  const { id, slug } = bought.product;
  await ok('setPortal', { params: { id }, body: { enabled: true, allow: allActions } });
  const body = { token: await newPortalToken(ok, bought.product.id, bought.license.customer_email) };
  const { session } = (await ok('createPortalSession', { params: { slug }, body })) as { session: string };
  const shown = await ok('listPortalLicenses', { params: { slug }, headers: { 'X-Portal-Session': session } });
  const { devices = [] } = (shown as PortalLicenseView[]).find((one) => one.id === bought.license.id) ?? {};
  return { session, ref: devices[0]?.ref ?? '' };
}
