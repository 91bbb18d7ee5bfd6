import type { LicenseView } from '../../lambdas/contract/resources';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { writeOfflineRequest } from '../../client/src/offline-request';
import { deviceRefOf } from '../support/devices';
import type { Product } from '../support/event-harness';
import type { CallRequest } from '../support/harness';
import { chances } from '../support/intercept';
import type { MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { startPortalHarness, toCodeMail, type CodeMail, type PortalHarness } from '../support/portal';
import { plan, show, type Plan, type Request, type Step } from './portal-plan';
import * as rules from './portal-specification';
import type { Response, Rule, State } from './portal-specification';
import { hold, type Runs } from './runs';
import { noLock, Turns, type Task } from './turns';

/**
 * Executes random actions in two portals with the service, and checks all responses against the specification. Simultaneous requests are
 * interleaved at every call to the table. There must be an order of these requests for which the specification, which executes one request
 * at a time, gives the same responses.
 */

const ADDRESSES = ['ada@example.com', 'bob@example.com', 'cay@example.com'];
const addressOf = (buyer: number): string => ADDRESSES[buyer % ADDRESSES.length] ?? '';
const fingerprintOf = (device: number): string => `fingerprint-${device}`;

/** A request, and the specification's rule that checks its response. */
interface Operation {
  readonly what: string;
  readonly endpoint: string;
  readonly request: CallRequest;
  readonly rule: Rule;
  task?: Task;
  response?: Response;
}

/** The item with the given number in a list, counted from the end: 0 is the last item, which is the newest. */
const newest = <Item>(items: readonly Item[], place: number): Item | undefined =>
  items[items.length - 1 - (place % Math.max(1, items.length))];

/** The same items, reordered: the items for which `matches` is true come last. */
const lastThose = <Item>(items: readonly Item[], matches: (item: Item) => boolean): Item[] => [
  ...items.filter((item) => !matches(item)),
  ...items.filter(matches),
];

/**
 * Two products with a portal each. If requests run at the same time, their calls to the table are executed one at a time, in a random
 * order.
 */
class Portals {
  readonly service: PortalHarness;
  private readonly turns: Turns;
  private readonly products: (Product & { readonly token: string })[] = [];
  private state: State;
  /** All codes and link tokens that were ever mailed or created, each with its product. */
  private readonly codes: { readonly product: number; readonly address: string; readonly code: string }[] = [];
  private readonly links: { readonly product: number; readonly token: string }[] = [];
  private readonly addressCodes: string[] = [];
  readonly trace: string[] = [];
  /** How often each endpoint responded with each status. */
  readonly outcomes: string[] = [];

  constructor(
    table: string,
    private readonly mail: MailServer,
    { seed }: Plan,
  ) {
    this.turns = new Turns(chances(seed), 0);
    this.service = startPortalHarness(table, mail, {
      // Each request runs in a separate function instance, and a retry takes no time.
      withLock: noLock,
      sleep: () => this.turns.take(() => Promise.resolve()),
    });
    this.service.client.middlewareStack.add((next) => (args) => this.turns.take(() => next(args)), { step: 'initialize', name: 'turns' });
    this.state = { now: this.service.now(), portals: [], licenses: [], sessions: [], codes: [], links: [], uses: [], waiting: [] };
  }

  async open(): Promise<void> {
    for (const place of [0, 1]) {
      const product = await this.service.newProduct();
      const { id } = await this.service.ok<{ id: number }>('createLicenseType', {
        params: { id: product.id },
        body: { name: 'Forever', kind: 'lifetime', max_seats: 0 },
      });
      const body = { name: `Product ${place}`, scopes: ['manage'], product_id: product.id };
      const { token } = await this.service.ok<{ token: string }>('createToken', { body });
      this.products.push({ ...product, typeId: id, token });
      await this.service.openPortal(product, { allow: portalActions, frees_per_30_days: 2 });
      const portal = { open: true, epoch: 0, allow: portalActions, freesPer30Days: 2 };
      this.state = { ...this.state, portals: [...this.state.portals, portal] };
      for (const buyer of [0, 1]) await this.requests([{ act: 'sell', product: place, buyer }]);
    }
  }

  async step(step: Step): Promise<void> {
    if (step.act === 'pause') {
      this.service.advance(step.ms);
      this.state = { ...this.state, now: this.service.now() };
      this.trace.push(`pause ${step.ms}`);
    } else if (step.act === 'send') {
      await this.send();
    } else {
      await this.requests(step.requests);
    }
  }

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────

  private async requests(requests: readonly Request[]): Promise<void> {
    const operations = requests.map((one) => this.operationOf(one));
    await this.turns.run(
      operations.map((operation) => async (task: Task): Promise<void> => {
        operation.task = task;
        const { status, headers, body } = await this.service.call(operation.endpoint, operation.request);
        operation.response = { status, code: headers['X-Svc-Error-Code'], body };
      }),
    );
    const lines = operations.map(
      ({ what, task, response }) =>
        `${task?.begin}–${task?.end} ${what} → ${response?.status} ${response?.code ?? ''} ${JSON.stringify(response?.body).slice(0, 300)}`,
    );
    this.trace.push(...lines);
    for (const { endpoint, response } of operations) this.outcomes.push(`${endpoint} ${response?.code ?? response?.status}`);
    // Several orders may explain the responses. An order is accepted only if the specification then has the same licenses as the table.
    const stored = operations.length > 1 ? JSON.stringify(await this.stored()) : undefined;
    const after = explain(this.state, operations, (state) => stored === undefined || JSON.stringify(licensesOf(state)) === stored);
    if (!after)
      throw new Error(
        ['No order of the requests explains the responses:', ...lines, 'Stored:', stored, 'Before:', JSON.stringify(this.state)].join('\n'),
      );
    this.learn(after);
    this.state = after;
  }

  /** Adds new links to the list of all links. */
  private learn(after: State): void {
    for (const { token, product } of after.links) if (!this.links.some((link) => link.token === token)) this.links.push({ token, product });
  }

  /** The licenses that are stored in the table. */
  private async stored(): Promise<object[]> {
    const lists = await Promise.all(this.products.map(({ id }) => this.service.ok<LicenseView[]>('listLicenses', { params: { id } })));
    return lists
      .flat()
      .map(({ id, key, customer_email, status, activations }) => ({
        id,
        key,
        address: customer_email,
        status,
        devices: activations.map(({ fingerprint }) => fingerprint).sort(),
      }))
      .sort((a, b) => a.id - b.id);
  }

  private operationOf(one: Request): Operation {
    return { what: JSON.stringify(one), ...this.requestOf(one) };
  }

  private requestOf(one: Request): Pick<Operation, 'endpoint' | 'request' | 'rule'> {
    const slugOf = (product: number) => ({ slug: this.products[product % 2]?.slug ?? '' });
    const productOf = (product: number) => ({ id: this.products[product % 2]?.id ?? 0 });
    const device = 'device' in one ? fingerprintOf(one.device) : '';
    const address = 'buyer' in one ? addressOf(one.buyer) : '';

    // A plan names sessions and licenses by numbers, which are mostly low. Valid sessions and the licenses of the session's buyer get
    // the lowest numbers, so that most requests use them.
    const isLive = ({ product, token }: rules.Session): boolean => rules.sessionOf(this.state, product, token) !== undefined;
    const session = 'session' in one && one.session !== undefined ? newest(lastThose(this.state.sessions, isLive), one.session) : undefined;
    const isOwn = ({ product, address: owner }: rules.License): boolean => product === session?.product && owner === session.address;
    const license = 'license' in one ? newest(lastThose(this.state.licenses, isOwn), one.license) : undefined;
    const id = license?.id ?? 0;
    const key = license?.key ?? '';
    const token = session?.token ?? 'x'.repeat(43);
    const at = 'elsewhere' in one && one.elsewhere ? 1 - (session?.product ?? 0) : (session?.product ?? 0);
    const bySession = (params: object = {}, body?: object): CallRequest => ({
      params: { ...slugOf(at), ...params },
      headers: { 'X-Portal-Session': token },
      ...(body && { body }),
    });

    switch (one.act) {
      case 'requestCode': {
        const email = one.upper ? address.toUpperCase() : address;
        return {
          endpoint: 'requestPortalCode',
          request: { params: slugOf(one.product), body: { email } },
          rule: rules.requestCode(one.product, address),
        };
      }
      case 'signIn': {
        const mailed = newest(this.codes, one.code) ?? { product: 0, address: addressOf(0), code: '00000000' };
        const product = one.elsewhere ? 1 - mailed.product : mailed.product;
        const email = one.as === null ? mailed.address : addressOf(one.as);
        const code = one.wrong ? other(mailed.code) : mailed.code;
        return {
          endpoint: 'createPortalSession',
          request: { params: slugOf(product), body: { email: email.toUpperCase(), code } },
          rule: rules.signInByCode(product, email, code),
        };
      }
      case 'signInByLink': {
        const link = newest(this.links, one.link) ?? { product: 0, token: 'x'.repeat(43) };
        const product = one.elsewhere ? 1 - link.product : link.product;
        return {
          endpoint: 'createPortalSession',
          request: { params: slugOf(product), body: { token: link.token } },
          rule: rules.signInByLink(product, link.token),
        };
      }
      case 'look':
        return { endpoint: 'listPortalLicenses', request: bySession(), rule: rules.look(at, token) };
      case 'signOut':
        return { endpoint: 'endPortalSession', request: bySession(), rule: rules.signOut(at, token) };
      case 'free': {
        const ref = deviceRefOf({ id }, device);
        return { endpoint: 'freePortalDevice', request: bySession({ id, ref }), rule: rules.free(at, token, id, device) };
      }
      case 'mint': {
        const request = writeOfflineRequest({ product: this.products[at]?.id ?? 0, key, fingerprint: device });
        return { endpoint: 'mintPortalToken', request: bySession({ id }, { request }), rule: rules.mint(at, token, id, key, device) };
      }
      case 'reissue':
        return { endpoint: 'reissuePortalLicense', request: bySession({ id }), rule: rules.reissue(at, token, id) };
      case 'mailKey':
        return { endpoint: 'mailPortalLicense', request: bySession({ id }), rule: rules.mailKey(at, token, id) };
      case 'changeAddress':
        return {
          endpoint: 'changePortalEmail',
          request: bySession({}, { email: address }),
          rule: rules.changeAddress(at, token, address),
        };
      case 'confirm': {
        const right = session?.change?.code ?? '00000000';
        const code = one.code === 'right' ? right : one.code === 'wrong' ? other(right) : (this.addressCodes.at(-2) ?? '00000000');
        return {
          endpoint: 'confirmPortalEmail',
          request: bySession({}, { email: address, code }),
          rule: rules.confirm(at, token, address, code),
        };
      }
      case 'makeLink':
        return {
          endpoint: 'createPortalLink',
          request: { params: productOf(one.product), body: { customer_email: address, ttl_minutes: one.minutes } },
          rule: rules.makeLink(one.product, address, one.minutes),
        };
      case 'sell':
        return {
          endpoint: 'createLicense',
          request: {
            params: productOf(one.product),
            body: { license_type_id: this.products[one.product]?.typeId, customer_email: address },
          },
          rule: rules.sell(one.product, address),
        };
      case 'move':
        return {
          endpoint: 'updateLicense',
          request: { params: { id }, body: { customer_email: address } },
          rule: rules.move(id, address),
        };
      case 'suspend':
        return { endpoint: 'suspendLicense', request: { params: { id } }, rule: rules.setStatus(id, 'suspended') };
      case 'reinstate':
        return { endpoint: 'reinstateLicense', request: { params: { id } }, rule: rules.setStatus(id, 'active') };
      case 'revoke':
        return { endpoint: 'revokeLicense', request: { params: { id } }, rule: rules.setStatus(id, 'revoked') };
      case 'activate': {
        const product = this.products[license?.product ?? 0];
        return {
          endpoint: 'activate',
          request: { params: { id: product?.id ?? 0 }, apiKey: product?.api_key ?? '', body: { key, fingerprint: device } },
          rule: rules.activate(id, key, device),
        };
      }
      case 'freeByOperator':
        return {
          endpoint: 'deleteActivation',
          request: { params: { id, fingerprint: device } },
          rule: rules.freeByOperator(id, device),
        };
      case 'erase':
        return {
          endpoint: 'eraseCustomer',
          request: {
            body: { customer_email: address },
            ...(one.product !== null && { headers: { 'X-Svc-Admin-Token': this.products[one.product]?.token ?? '' } }),
          },
          rule: rules.erase(one.product, address),
        };
      case 'set':
        return {
          endpoint: 'setPortal',
          request: { params: productOf(one.product), body: one.settings },
          rule: rules.set(one.product, one.settings),
        };
    }
  }

  // ── Mails ─────────────────────────────────────────────────────────────────────────────────────

  private async send(): Promise<void> {
    const before = this.mail.inbox.length;
    await this.service.run();
    const sent: CodeMail[] = this.mail.inbox.slice(before).map(toCodeMail);
    const lines = sent.map(({ to, subject, code, token }) => `mail to ${to}: ${subject} ${code} ${token}`);
    this.trace.push('send', ...lines);
    const after = rules.sendMails({ ...this.state, now: this.service.now() }, sent);
    if (!after) throw new Error(['The sent mails are not the due mails:', ...lines, 'Before:', JSON.stringify(this.state)].join('\n'));
    for (const { product, address, code } of after.codes)
      if (!this.codes.some((known) => known.code === code)) this.codes.push({ product, address, code });
    for (const { change } of after.sessions) if (change && !this.addressCodes.includes(change.code)) this.addressCodes.push(change.code);
    this.learn(after);
    this.state = after;
  }

  /**
   * Sends the remaining mails. Then checks the stored licenses, and tries to list licenses with every session, valid or not, in both
   * portals.
   */
  async finish(): Promise<void> {
    await this.send();
    expect(await this.stored()).toEqual(licensesOf(this.state));
    for (const [session] of this.state.sessions.entries())
      for (const elsewhere of [false, true]) await this.requests([{ act: 'look', session, elsewhere }]);
  }

  close(): void {
    this.service.close();
  }
}

/** A code that differs from the given code. */
const other = (code: string): string => `${code.startsWith('1') ? '2' : '1'}${code.slice(1)}`;

const licensesOf = ({ licenses }: State): object[] =>
  licenses
    .map(({ id, key, address, status, devices }) => ({ id, key, address, status, devices: [...devices].sort() }))
    .sort((a, b) => a.id - b.id);

/**
 * Searches for an order of the operations in which the rules accept all responses. If an operation ended before another operation began,
 * the operation that ended comes first. Returns the state after all operations, or undefined if there is no such order.
 */
function explain(state: State, operations: readonly Operation[], isReached: (state: State) => boolean): State | undefined {
  if (operations.length === 0) return isReached(state) ? state : undefined;
  for (const one of operations) {
    const others = operations.filter((other) => other !== one);
    if (others.some(({ task }) => (task?.end ?? 0) < (one.task?.begin ?? 0))) continue;
    const next = one.response && one.rule(state, one.response);
    const end = next && explain(next, others, isReached);
    if (end) return end;
  }
  return undefined;
}

/** The numbers of histories and requests, and how often each endpoint responded with each status or error code. */
export interface Played {
  histories: number;
  requests: number;
  readonly outcomes: Map<string, number>;
}

/** Executes random histories, each with a separate table. */
export async function playPortals(runs: Runs, mail: MailServer): Promise<Played> {
  const played: Played = { histories: 0, requests: 0, outcomes: new Map() };
  await hold('model/portal', runs, plan, show, async (drawn) => {
    const portals = new Portals(await ownTable(), mail, drawn);
    try {
      await portals.open();
      for (const step of drawn.steps) await portals.step(step);
      await portals.finish();
      played.histories += 1;
      played.requests += portals.outcomes.length;
      for (const outcome of portals.outcomes) played.outcomes.set(outcome, (played.outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      if (error instanceof Error) error.message = `${error.message}\n\nWhat was done:\n  ${portals.trace.join('\n  ')}\n`;
      throw error;
    } finally {
      portals.close();
    }
  });
  return played;
}
