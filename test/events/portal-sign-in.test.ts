import { randomBytes } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { chunks } from '../../lambdas/store/chunks';
import { meter, type Spent } from '../support/capacity';
import type { CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import type { MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { freshPortals, newPortalToken, startPortalHarness, toCodeMail, type PortalHarness } from '../support/portal';
import type { Product } from '../support/event-harness';

/** Buyers sign in with a code or a link in a mail. Nobody else can sign in, and nobody can find out who is a customer. */

const logged = captureLogs();
const MINUTE = 60_000;
let mail: MailServer;
let table: string;
let service: PortalHarness;
let product: Product;
let ada: string;

freshPortals(async (fresh) => {
  ({ table, mail, service, product, ada } = fresh);
  await product.license({ customer_email: ada });
});

const refusal = (answer: CallResult): object => ({ status: answer.status, body: answer.body });
const REFUSED = { status: 401, body: { detail: 'Bad or missing credentials' } };

describe('a code', () => {
  test('signs in once, for its address in upper or lower case, and shows the licenses of that address', async () => {
    const sent = await service.requestCode(product, ada.toUpperCase());
    // Two mailboxes may differ only in upper and lower case. Therefore the mail goes to the buyer's stored address and not to the typed
    // one.
    expect(sent).toMatchObject({ to: ada });
    expect(sent!.text).toMatch(new RegExp(`^${product.name}\n\nHello,`));
    const first = await service.signIn(product, { email: ada, code: `${sent!.code.slice(0, 4)} ${sent!.code.slice(4)}` });
    expect(first.status).toBe(201);
    expect(Object.keys(first.body).sort()).toEqual(['expires_at', 'session']);
    expect(Buffer.from(String(first.body['session']), 'base64url')).toHaveLength(32);
    expect(await service.licenses(product, String(first.body['session']))).toHaveLength(1);
    expect(refusal(await service.signIn(product, { email: ada, code: sent!.code }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(product, { token: sent!.token }))).toEqual(REFUSED);
  });

  test('that 40 simultaneous requests use creates one session', async () => {
    const { code } = (await service.requestCode(product, ada))!;
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.signIn(product, { email: ada, code })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(39);
  });

  test('of a link that 20 simultaneous requests use creates one session', async () => {
    const { token } = (await service.requestCode(product, ada))!;
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.signIn(product, { token })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('is invalid after five wrong attempts, even if it is then entered correctly; the link of its mail still signs in', async () => {
    const { code, token } = (await service.requestCode(product, ada))!;
    const wrong = code === '00000000' ? '11111111' : '00000000';
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(refusal(await service.signIn(product, { email: ada, code: wrong }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(product, { email: ada, code }))).toEqual(REFUSED);
    expect((await service.signIn(product, { token })).status).toBe(201);
  });

  test('works at the fifth attempt', async () => {
    const { code } = (await service.requestCode(product, ada))!;
    for (let attempt = 0; attempt < 4; attempt += 1) await service.signIn(product, { email: ada, code: '00000000' });
    expect((await service.signIn(product, { email: ada, code })).status).toBe(201);
  });

  test('works for no other address, and in no other product', async () => {
    const other = await service.newProduct();
    const bob = `bob-${ada}`;
    await product.license({ customer_email: bob });
    await other.license({ customer_email: ada });
    await service.openPortal(other);
    const { code, token } = (await service.requestCode(product, ada))!;
    await service.requestCode(product, bob);
    await service.requestCode(other, ada);
    expect(refusal(await service.signIn(product, { email: bob, code }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(other, { email: ada, code }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(other, { token }))).toEqual(REFUSED);
    expect((await service.signIn(product, { email: ada, code })).status).toBe(201);
  });

  test('ends after ten minutes, and when a new code is mailed', async () => {
    const first = (await service.requestCode(product, ada))!;
    const second = (await service.requestCode(product, ada))!;
    expect(refusal(await service.signIn(product, { email: ada, code: first.code }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(product, { token: first.token }))).toEqual(REFUSED);
    service.advance(10 * MINUTE);
    expect(refusal(await service.signIn(product, { email: ada, code: second.code }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(product, { token: second.token }))).toEqual(REFUSED);
  });

  test('that is malformed is 422, and so is a request without a code or a token, or with both', async () => {
    const malformed = ['1234567', '123456789', '1234567a', '', '１２３４５６７８'].map((code) => ({ email: ada, code }));
    const others = [{}, { email: 'a@example.com' }, { code: '12345678' }, { email: 'a@example.com', code: '12345678', token: 'x' }];
    for (const body of [...malformed, ...others])
      expect({ body, status: (await service.signIn(product, body)).status }).toEqual({ body, status: 422 });
  });
});

describe('the link of a code mail', () => {
  test('signs in once, and makes the code of the same mail invalid', async () => {
    const { code, token, text } = (await service.requestCode(product, ada))!;
    expect(text).toContain(`https://licenses.example.com/portal/${product.slug}#t=${token}`);
    expect((await service.signIn(product, { token })).status).toBe(201);
    expect(refusal(await service.signIn(product, { token }))).toEqual(REFUSED);
    expect(refusal(await service.signIn(product, { email: ada, code }))).toEqual(REFUSED);
  });
});

describe('who is a customer', () => {
  test('no response reveals an account: bodies and headers are the same for known, unknown and erased addresses', async () => {
    const ask = async (email: string): Promise<object> => {
      const { status, headers, body } = await service.call('requestPortalCode', { params: { slug: product.slug }, body: { email } });
      return { status, headers, body };
    };
    const known = await ask(ada);
    expect(known).toMatchObject({ status: 202, body: {} });
    expect(await ask(`nobody-${ada}`)).toEqual(known);
    await service.run();
    expect(mail.inbox.map(({ to }) => to.join())).toEqual([ada]);
  });

  test('no duration reveals an account: the medians of interleaved requests differ by less than a tenth of their spread', async () => {
    // Requests for known and for unknown addresses alternate, so other load on the computer delays both kinds equally. A difference
    // between the medians must come from the code.
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    // The test has its own table, because the mails are never sent. In the common table, sweeps of other tests would send all of them.
    const separate = startPortalHarness(await ownTable(), mail);
    const asked = await separate.newProduct();
    await asked.license({ customer_email: ada });
    await separate.openPortal(asked);
    const measure = async (kind: keyof typeof times): Promise<void> => {
      const email = kind === 'known' ? ada : `nobody-${randomBytes(2).toString('hex')}${ada.slice(4)}`;
      const start = process.hrtime.bigint();
      await separate.call('requestPortalCode', { params: { slug: asked.slug }, body: { email } });
      times[kind].push(Number(process.hrtime.bigint() - start));
    };
    const round = async (): Promise<number> => {
      for (let pair = 0; pair < 100; pair += 1)
        for (const kind of pair % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)) await measure(kind);
      const sorted = { known: [...times.known].sort((a, b) => a - b), unknown: [...times.unknown].sort((a, b) => a - b) };
      const at = (list: readonly number[], share: number): number => list[Math.floor(list.length * share)] ?? 0;
      const all = [...times.known, ...times.unknown].sort((a, b) => a - b);
      // The spread is the range between the 5th and the 95th percentile. This range leaves out the slowest requests, which other load on
      // the computer delayed.
      return Math.abs(at(sorted.known, 0.5) - at(sorted.unknown, 0.5)) / (at(all, 0.95) - at(all, 0.05));
    };
    // The times of all rounds are evaluated together. More requests reduce random differences, but not a difference that the code causes.
    let ratio = await round();
    for (let again = 0; again < 9 && ratio >= 0.1; again += 1) ratio = await round();
    separate.close();
    expect(ratio).toBeLessThan(0.1);
  });

  test('a wrong code makes the same calls with the same units for a buyer with a code, a buyer without one, and a stranger', async () => {
    const withoutCode = `bob-${ada}`;
    await product.license({ customer_email: withoutCode });
    // Many sessions enlarge the row of the buyer, so that a write to this row would cost more than a write to a new row.
    for (let count = 0; count < 15; count += 1) await service.signIn(product, { token: await newPortalToken(service.ok, product.id, ada) });
    await service.requestCode(product, ada);
    const metered = meter(service.client);
    const costs: Spent[] = [];
    for (const email of [ada, withoutCode, `nobody-${ada}`, ada, `nobody-${ada}`]) {
      expect(refusal(await service.signIn(product, { email, code: '00000000' }))).toEqual(REFUSED);
      costs.push(metered.take());
    }
    expect(costs).toEqual(costs.map(() => costs[0]));
    expect(costs[0]).toMatchObject({ calls: ['GetItem', 'GetItem', 'UpdateItem'], writeUnits: 1 });
  });

  test('guesses for an address without a code leave one row, which expires after ten minutes', async () => {
    const rows = async (): Promise<Record<string, unknown>[]> =>
      (await service.client.send(new ScanCommand({ TableName: table, ConsistentRead: true }))).Items ?? [];
    const before = (await rows()).map(({ pk, sk }) => JSON.stringify([pk, sk]));
    for (let guess = 0; guess < 7; guess += 1) await service.signIn(product, { email: `nobody-${ada}`, code: '00000000' });
    const left = (await rows()).filter(({ pk, sk }) => !before.includes(JSON.stringify([pk, sk])));
    expect(left).toMatchObject([{ ttl: Math.ceil((service.now() + 10 * MINUTE) / 1000) }]);
  });

  test('the delivery log shows no mail to an address without licenses, and hides the addresses of buyers with licenses', async () => {
    await service.requestCode(product, `nobody-${ada}`);
    expect(await product.deliveries({ channel: 'mail' })).toEqual([]);
    const sent = (await service.requestCode(product, ada))!;
    const log = await product.deliveries({ channel: 'mail' });
    expect(log).toMatchObject([
      { event: 'portal.code_mailed', status: 'delivered', url: 'mailto:', payload: { data: { product: product.slug } } },
    ]);
    for (const secret of [sent.code, sent.token, ada, sent.text]) {
      expect(JSON.stringify(log)).not.toContain(secret);
      expect(logged().join('\n')).not.toContain(secret);
    }
  });

  test('no row contains a code, or the token of a link or a session', async () => {
    const sent = (await service.requestCode(product, ada))!;
    const again = (await service.requestCode(product, ada))!;
    const { body } = await service.signIn(product, { email: ada, code: again.code });
    const { Items = [] } = await service.client.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
    const rows = JSON.stringify(Items);
    for (const secret of [sent.code, sent.token, again.code, again.token, String(body['session'])])
      expect(rows).not.toContain(`"${secret}"`);
  });
});

describe('nobody gets too many mails', () => {
  test('an address gets three codes in ten minutes; a further request does not change the valid code', async () => {
    await service.requestCode(product, ada);
    await service.requestCode(product, ada);
    const third = (await service.requestCode(product, ada))!;
    expect(await service.requestCode(product, ada)).toBeUndefined();
    expect((await service.signIn(product, { email: ada, code: third.code })).status).toBe(201);
    service.advance(10 * MINUTE);
    expect(await service.requestCode(product, ada)).toBeDefined();
  });

  test('for each product at most twenty codes are mailed in a minute; further codes wait, and no code is lost', async () => {
    const buyers = Array.from({ length: 24 }, (_, index) => `buyer-${index}-${ada}`);
    for (const buyer of buyers) await product.license({ customer_email: buyer, mail: false });
    for (const email of buyers) await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email } });
    const start = service.now();
    // The limit is reached while several mails of one batch are being sent. The queue's batches have at most ten messages.
    for (const batch of chunks(service.queue.splice(0), 8)) await service.deliver(...batch);
    const atOnce = mail.inbox.length;
    expect(atOnce).toBeLessThanOrEqual(20);
    await service.recover();
    const sentTo = mail.inbox.map(({ to }) => to.join()).filter((to) => to.startsWith('buyer-'));
    expect(sentTo.sort()).toEqual([...buyers].sort());
    expect(service.now() - start).toBeGreaterThan(MINUTE);
    for (const sent of mail.inbox.slice(-1).map(toCodeMail))
      expect([201, 401]).toContain((await service.signIn(product, { email: sent.to, code: sent.code })).status);
  });

  test('a mail that cannot be sent is tried for five minutes, each time with a new code, and never later', async () => {
    mail.refusal = 450;
    await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email: ada } });
    await service.run();
    mail.refusal = 0;
    const [entry] = await product.deliveries({ channel: 'mail' });
    expect(entry).toMatchObject({ status: 'failed' });
    expect(entry!.attempts).toBeGreaterThan(2);
    await service.recover();
    expect(mail.inbox).toEqual([]);
  });

  test('the log of a failed mail does not contain the address, even if the mail server repeats it in another spelling', async () => {
    const address = ada.replace('ada', 'Ada');
    await product.license({ customer_email: address, mail: false });
    mail.refusal = 550;
    await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email: address } });
    await service.run();
    const [entry] = await product.deliveries({ channel: 'mail' });
    const shown = await service.ok('getDelivery', { params: { event_id: entry!.id } });
    expect(shown).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(shown).toLowerCase()).not.toContain(address.toLowerCase());
  });

  test('a mail that could not be sent within its time limit is dropped, even if an operator sends it again', async () => {
    await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email: ada } });
    service.advance(5 * MINUTE);
    await service.run();
    expect(mail.inbox).toEqual([]);
    const sent = (await service.requestCode(product, ada))!;
    expect(sent.code).toMatch(/^\d{8}$/);
    const [entry] = await product.deliveries({ channel: 'mail', status: 'delivered' });
    await service.ok('redeliver', { params: { event_id: entry!.id } });
    service.advance(5 * MINUTE);
    await service.run();
    expect(mail.inbox).toHaveLength(1);
  });

  test('a mail is finally sent if its message is lost or its function dies', async () => {
    await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email: ada } });
    service.queue.length = 0;
    service.advance(30_000);
    await service.sweep();
    await service.run();
    expect(mail.inbox).toHaveLength(1);
  });
});

test('mails are in German or English, by the language of the request, in text and plain HTML', async () => {
  const english = (await service.requestCode(product, ada, { 'Accept-Language': 'fr, en;q=0.5, de;q=0.1' }))!;
  const german = (await service.requestCode(product, ada, { 'Accept-Language': 'de-AT' }))!;
  expect(english.text).toContain('this is your code');
  expect(german.text).toContain('mit diesem Code');
  for (const { html, code, token, subject } of [english, german]) {
    expect(html).toContain(`>${code}</code>`);
    expect(html).toContain(`#t=${token}"`);
    expect(html).not.toMatch(/<(script|img|style|link)|\{\{/);
    expect(subject).toContain(product.name);
  }
});

describe('a disabled portal', () => {
  test('responds with 404 before any other check, like the portal of an unknown product', async () => {
    await service.openPortal(product, { enabled: false });
    for (const slug of [product.slug, 'no-such-product', '%00'])
      for (const [name, body] of [
        ['showPortal', undefined],
        ['requestPortalCode', '{"'],
        ['createPortalSession', {}],
        ['endPortalSession', undefined],
        ['listPortalLicenses', undefined],
      ] as const)
        expect([slug, name, (await service.call(name, { params: { slug }, ...(body !== undefined && { body }) })).status]).toEqual([
          slug,
          name,
          404,
        ]);
  });

  test('has ended all sessions, codes and links, even if it is enabled again', async () => {
    const session = await service.session(product, ada);
    const { code, token } = (await service.requestCode(product, ada))!;
    await service.openPortal(product, { enabled: false });
    await service.openPortal(product, { enabled: true });
    expect((await service.as(product, session, 'listPortalLicenses')).status).toBe(401);
    expect((await service.signIn(product, { token })).status).toBe(401);
    expect((await service.signIn(product, { email: ada, code })).status).toBe(401);
  });

  test('sends no code that was requested before', async () => {
    await service.ok('requestPortalCode', { params: { slug: product.slug }, body: { email: ada } });
    await service.openPortal(product, { enabled: false });
    await service.run();
    expect(mail.inbox).toEqual([]);
  });
});
