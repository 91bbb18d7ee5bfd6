import { waitFor } from '@testing-library/react';
import { MAILBOX_PATH } from '../../../infra/local/mailbox';
import type { LicenseTypeView } from '../../../lambdas/contract/resources';

import { get, newAdminToken, newLicense, newProduct, newShop, newType, patch, post, unique } from '../../support/http';
import { until } from '../../support/until';
import { startReceiver, type Receiver } from '../../support/receiver';
import { changeQueries, failing, hold, intercept, loseNextResponse, lost, openPage, sentRequests, told } from '../page';

/** Tests the pages of a product and of the deployment with the real service, without a browser. */

let backend: Receiver;
beforeAll(async () => {
  backend = await startReceiver();
});
afterAll(() => backend?.close());

const CHANGED = 'Not saved, because somebody else has changed the same data in the meantime';

describe('the first page', () => {
  test('it sends four requests, regardless of the number of products', async () => {
    await Promise.all([newProduct(), newProduct(), newProduct()]);
    const sent = sentRequests();
    const page = await openPage('/');
    await page.shows('Issued, last 30 days');
    await page.shows(/Needs attention|All is well/);
    // The page requests the numbers of each product, and the list of products that need attention.
    const paths = sent.map(({ path }) => path.split('?')[0]);
    for (const path of ['/v1/overview', '/v1/products']) expect(paths.filter((one) => one === path)).toHaveLength(2);
    expect(paths).toHaveLength(4);
  });

  // The overview of the product counts such a license as expired, so the two pages would contradict each other.
  test('it does not count a license as active whose expiry has passed', async () => {
    const { product, type } = await newShop({ kind: 'subscription', duration_days: 30 });
    await newLicense(type, { expires_at: new Date(Date.now() - 1000).toISOString() });
    const token = await newAdminToken({ scopes: ['read'], product_id: product.id });
    await until('both licenses are counted', async () => {
      const listed = await get<{ numbers: { licenses: { active: number } } }[]>('/v1/products?include=numbers', {
        'X-Svc-Admin-Token': token,
      });
      return listed.body[0]?.numbers.licenses.active === 2;
    });
    const page = await openPage('/', token);
    const row = await page.part('row', new RegExp(product.slug));
    await row.shows(new RegExp(`${product.slug}.*1None`));
  });

  test('a name that is already used is refused at its field, and a product whose response was lost is not reported as a used name', async () => {
    const { name } = await newProduct();
    const page = await openPage('/');
    await page.press('New product');
    const form = await page.dialog('New product');
    await form.fill('Name', name);
    await form.press('Create product');
    await form.says('This is taken by another product.');
    await form.fill('Name', unique('Lost'));
    loseNextResponse();
    await form.press('Create product');
    await form.within.findByRole('alert');
    await form.press('Create product');
    await form.closed();
    expect(window.location.hash).toMatch(/^#\/products\/\d+\/integration/);
  });
});

test('the page of a new product says what to do first', async () => {
  const { id } = await newProduct();
  const page = await openPage(`/products/${id}`);
  await page.shows('1 of 5 done');
  await page.user.click(await page.within.findByText('Add a license type'));
  await page.shows('No license types yet');
});

test('a product is renamed, and its API key, signing key and webhook secret are replaced', async () => {
  const product = await newProduct();
  const page = await openPage(`/products/${product.id}`);
  await page.press('Rename');
  const rename = await page.dialog('Rename this product');
  await rename.fill('Name', `${product.name} renamed`);
  await rename.press('Rename');
  await page.shows(`${product.name} renamed`);

  page.go(`/products/${product.id}/integration`);
  await page.press('Rotate');
  const rotation = await page.dialog('Rotate the API key?');
  // The dialog names the time until which the old key is valid, even if this time is less than a day away. No input breaks the dialog.
  for (const [hours, words] of [
    ['9'.repeat(15), undefined],
    ['', undefined],
    ['0', 'The old key stops working after at most 60 seconds.'],
    ['2', 'The old key will be valid until'],
  ] as const) {
    await rotation.fill('Keep the old key valid for (hours)', hours);
    if (words === undefined || hours === '0') await rotation.hides('The old key will be valid until');
    if (words !== undefined) await rotation.shows(words);
  }
  await rotation.press('Rotate the API key');
  await told('The product has a new API key');
  await page.hides(product.api_key);
  await page.press('Create the next key');
  await told('Published the next signing key');
  await page.press('Activate');
  await (await page.dialog('Activate this signing key?')).press('Activate the key');
  await told('The new key is active');
  await page.shows('Previous');

  page.go(`/products/${product.id}/webhooks`);
  await page.press('Reveal the secret');
  const secret = (await page.within.findByRole('group', { name: 'Signing secret' })).textContent;
  expect(secret).toMatch(/^whsec_/);
  await page.press('Rotate');
  await (await page.dialog('Rotate the signing secret?')).press('Rotate the secret');
  await told(/The webhook has a new secret/);
  await page.hides(secret);
});

test("an operator can allow a product's apps to list devices, and the check mark stays during the request", async () => {
  const { id } = await newProduct();
  const page = await openPage(`/products/${id}/integration`);
  const box = await page.within.findByLabelText<HTMLInputElement>(/^Apps may list the devices/);
  const release = hold(/\/v1\/products/);
  await page.user.click(box);
  expect(box.checked).toBe(true);
  release();
  await told('Apps may list the devices of a license');
  expect((await get<{ list_devices: boolean }>(`/v1/products/${id}`)).body.list_devices).toBe(true);
});

describe('license types', () => {
  const typesOf = async (id: number) => (await get<LicenseTypeView[]>(`/v1/products/${id}/license-types`)).body;

  test('a type with a lease, updates and a limit of new devices is created, changed and archived', async () => {
    const { id } = await newProduct();
    const page = await openPage(`/products/${id}/types`);
    await page.press('New license type');
    const form = await page.dialog('New license type');
    await form.fill('Name', 'Team');
    await form.check(/^Floating/);
    await form.fill(/Lease/, '2');
    await form.fill(/^Days of updates/, '365');
    await form.fill(/^Up to major version/, '3');
    await form.fill(/New devices allowed/, '3');
    await form.press('Create license type');
    await form.says(/^This .*5/);
    await form.fill(/Lease/, '60');
    await form.press('Create license type');
    await told('Created the license type Team');
    await page.shows('365 days of updates, and all versions up to 3.x');
    expect(await typesOf(id)).toMatchObject([
      { name: 'Team', kind: 'floating', lease_minutes: 60, new_devices_per_week: 3, updates_days: 365, max_major: 3, archived: false },
    ]);
    await page.press('Edit Team');
    const edit = await page.dialog('Edit this license type');
    await edit.fill(/Lease/, '');
    await edit.fill(/^Up to major version/, '');
    await edit.check(/^Archived/);
    await edit.press('Save changes');
    await told('Changed the license type Team');
    expect(await typesOf(id)).toMatchObject([{ lease_minutes: null, max_major: null, updates_days: 365, archived: true }]);
  });

  test('a subscription can start with the first activation and keep its downloads', async () => {
    const { id } = await newProduct();
    const page = await openPage(`/products/${id}/types`);
    await page.press('New license type');
    const form = await page.dialog('New license type');
    await form.fill('Name', 'Boxed');
    await form.choose('The term starts', 'with the first activation');
    await form.check(/^Expired licenses keep their downloads/);
    await form.press('Create license type');
    await told('Created the license type Boxed');
    await page.shows('365 days from activation');
    expect(await typesOf(id)).toMatchObject([{ duration_days: 365, starts: 'activation', downloads_when_expired: true }]);
  });

  test('the form sends only changed fields, so that the changes of somebody else are kept', async () => {
    const type = await newType(await newProduct(), { max_seats: 1, features: ['sync'] });
    const page = await openPage(`/products/${type.product_id}/types`);
    await page.press(`Edit ${type.name}`);
    const form = await page.dialog('Edit this license type');
    await form.fill(/Features/, 'sync export');
    await patch(`/v1/license-types/${type.id}`, { max_seats: 3 });
    await form.press('Save changes');
    await form.closed();
    expect(await typesOf(type.product_id)).toMatchObject([{ max_seats: 3, features: ['export', 'sync'] }]);
  });
});

test('settings that somebody else has changed while a form was open are not overwritten', async () => {
  const { id } = await newProduct();
  const path = `/v1/products/${id}`;
  const page = await openPage(`/products/${id}/portal`);
  await page.fill('Title (optional)', 'Mine');
  await post(`${path}/portal`, { enabled: true });
  await page.press('Save');
  await told('The portal is open');
  // The form now also shows what somebody else has changed, so the next request does not undo it.
  await page.fill('Title (optional)', 'Mine again');
  await page.press('Save');
  await waitFor(async () => expect((await get(`${path}/portal`)).body).toMatchObject({ enabled: true, title: 'Mine again' }));

  page.go(`/products/${id}/payments`);
  await page.press('Edit the mail with the key');
  const mail = await page.dialog('Edit the mail with the key');
  await mail.fill('Reply-to address (optional)', 'help@example.com');
  await post(`${path}/mail`, { send_keys: true });
  await mail.press('Save');
  await mail.closed();
  expect((await get(`${path}/mail`)).body).toMatchObject({ send_keys: true, reply_to: 'help@example.com' });

  await page.press('Edit the reminders');
  let reminders = await page.dialog('Edit the reminders');
  await reminders.fill('Renewal page (optional)', 'https://example.com/renew');
  await post(`${path}/mail`, { reminders: [{ event: 'expired', days: 3 }] });
  await reminders.press('Save');
  await reminders.closed();
  await page.press('Edit the reminders');
  reminders = await page.dialog('Edit the reminders');
  await reminders.press('Add a reminder');
  await post(`${path}/mail`, { reminders: [] });
  await reminders.press('Save');
  await reminders.shows(CHANGED);
  expect((await get(`${path}/mail`)).body).toMatchObject({ renew_url: 'https://example.com/renew', reminders: [] });
});

describe('the page for webhooks', () => {
  test('a webhook that somebody else has changed is not overwritten', async () => {
    const { id } = await newProduct();
    const path = `/v1/products/${id}/webhook`;
    const page = await openPage(`/products/${id}/webhooks`);
    await page.fill('URL', 'https://example.com/mine');
    await post(path, { url: 'https://example.com/first' });
    await page.press('Save');
    await page.shows(CHANGED);
    expect(page.field('URL').value).toBe('https://example.com/mine');
    await page.press('Choose events');
    const choice = await page.dialog('Choose events');
    await choice.press('None');
    await post(path, { url: 'https://example.com/theirs' });
    await choice.press('Save');
    await choice.shows(CHANGED);
    expect((await get(path)).body).toMatchObject({ url: 'https://example.com/theirs', events: null });
  });

  test('a URL is set, tested and cleared, and the test is shown as delivered', async () => {
    const { id } = await newProduct();
    const page = await openPage(`/products/${id}/webhooks`);
    await page.fill('URL', 'ftp://example.com');
    await page.press('Save');
    await page.says(/^This must/);
    await page.fill('URL', backend.url);
    await page.press('Save');
    await told('Saved the webhook');
    await page.press('Send a test event');
    const delivery = await page.dialog('webhook.test');
    await delivery.shows('"event": "webhook.test"');
    await delivery.shows('Responded 200');
    await delivery.user.keyboard('{Escape}');
    await delivery.closed();
    // The list updates automatically, without a reload.
    await page.shows(/webhook\.test.*Delivered/);
    await page.press('Clear');
    await (await page.dialog('Clear the webhook?')).press('Clear the webhook');
    await told('Cleared the webhook');
    await waitFor(() => expect(page.field('URL').value).toBe(''));
  });

  test('events can be left out, and all skipped events can be sent again at once', async () => {
    const { product, license } = await newShop();
    await post(`/v1/products/${product.id}/webhook`, { url: backend.url });
    const page = await openPage(`/products/${product.id}/webhooks`);
    await page.press('Choose events');
    const choice = await page.dialog('Choose events');
    await choice.press('None');
    await choice.check(/license\.revoked/);
    await choice.press('Save');
    await told('Saved the selection of events');
    await page.shows('Only these events are sent: license.revoked.');
    await post(`/v1/licenses/${license.id}/reset`);
    await page.press('Choose events');
    const all = await page.dialog('Choose events');
    await all.press('All');
    await all.press('Save');
    await page.shows('All events are sent.');
    await page.press('Send many again');
    const form = await page.dialog('Send many events again');
    await form.choose('Status', 'skipped');
    await form.press('Send them again');
    await told(/sent again/);
    await page.shows(/license\.reset[^.]*Delivered/);
  });

  test('the log updates only its first page, and shows new deliveries above the loaded ones', async () => {
    const { product, license } = await newShop();
    for (let times = 0; times < 8; times += 1) await post(`/v1/licenses/${license.id}/reset`);
    // Each page of the log contains five deliveries instead of fifty.
    changeQueries((path) => path.replace('limit=50', 'limit=5'));
    const page = await openPage(`/products/${product.id}/webhooks`);
    await page.press('Show older');
    await waitFor(() => expect(page.rows()).toHaveLength(9));
    const sent = sentRequests();
    await post(`/v1/licenses/${license.id}/revoke`);
    await page.shows('license.revoked');
    expect(page.rows()).toHaveLength(10);
    expect(sent.some(({ path }) => path.includes('cursor='))).toBe(false);
  });

  /** A failed delivery, which the page receives instead of a real one, because that would take half a minute. */
  const failure = (product: number, number: number, error: string) => ({
    ...{ id: String(number).padStart(32, '0'), product_id: product, license_id: 1, event: 'license.renewed', channel: 'webhook' },
    ...{ url: 'http://127.0.0.1:9/', status: 'failed', attempts: 4, last_error: error, last_status: null, next_attempt_at: null },
    ...{ delivered_at: null, payload: { data: {} }, history: [] },
    created_at: new Date(Date.now() - number * 1000).toISOString(),
  });

  test('an attempt shows a reason only if the status does not already say it, and an open delivery shows when it is tried again', async () => {
    const { id } = await newProduct();
    const at = new Date().toISOString();
    const failed = {
      ...failure(id, 1, 'the receiver responded with 500'),
      status: 'pending',
      next_attempt_at: new Date(Date.now() + 15_000).toISOString(),
      history: [
        { attempt: 1, at, status: 200, duration_ms: 5, error: 'aborted (ECONNRESET)' },
        { attempt: 2, at, status: 500, duration_ms: 5, error: 'the receiver responded with 500' },
      ],
    };
    intercept(new RegExp(`/deliveries/${failed.id}$`), () => Response.json(failed));
    const page = await openPage(`/products/${id}/webhooks/${failed.id}`);
    const attempts = await page.dialog('license.renewed');
    await attempts.shows(/The next attempt is due.*1\. Responded 200.*ECONNRESET.*2\. Responded 500/);
    await attempts.hides('the receiver');
  });

  test.each(['one', 'many'])('after %s failed events were sent again, their causes are read again at once', async (many) => {
    const { id } = await newProduct();
    const failed = failure(id, 1, 'connect ECONNREFUSED 127.0.0.1:9');
    let failures: object[] = [failed];
    intercept(/\/deliveries\?/, () => Response.json(failures));
    intercept(new RegExp(`/deliveries/${failed.id}$`), () => Response.json(failed));
    intercept(/\/redeliver/, (_, { path }) => {
      failures = [];
      return Response.json(path.includes('/products/') ? { count: 1 } : failed, { status: 202 });
    });
    const page = await openPage(`/products/${id}/webhooks`);
    await page.shows('1 × connection refused');
    if (many === 'many') {
      await page.press('Send many again');
      await (await page.dialog('Send many events again')).press('Send them again');
    } else {
      await page.user.click(await page.within.findByText('license.renewed'));
      await (await page.dialog('license.renewed')).press('Send again');
    }
    // Otherwise the page would still offer to send the events again for up to ten seconds.
    await waitFor(() => expect(page.within.queryByRole('region', { name: 'Failures by cause' })).toBeNull(), { timeout: 5000 });
  });

  test('equal failures are one line with the cause, and can be sent again separately, oldest first', async () => {
    const { id } = await newProduct();
    const refused = Array.from({ length: 60 }, (_, place) => failure(id, place + 1, `connect ECONNREFUSED 127.0.0.1:${9 + (place % 2)}`));
    const other = failure(id, 400, 'getaddrinfo ENOTFOUND nowhere');
    intercept(/\/deliveries\?/, () => Response.json([...refused, other]));
    const sent: string[] = [];
    intercept(/\/redeliver/, (_, { path }) => {
      sent.push(path.split('/').at(-2) ?? '');
      return Response.json(refused[0], { status: 202 });
    });
    const page = await openPage(`/products/${id}/webhooks`);
    await page.shows('60 × connection refused');
    await page.press('Send these again: connection refused');
    const form = await page.dialog('Send these events again');
    await form.press('Send 60 events again');
    await form.shows('60 of 60 done');
    expect([new Set(sent).size, sent[0], sent.includes(other.id)]).toEqual([60, refused[59]?.id, false]);
  });
});

describe('the mail page', () => {
  test('a test mail is sent to the entered address, from the address that the page shows', async () => {
    const page = await openPage('/mail');
    await page.fill('Send a test mail to', 'ada@');
    await page.press('Send');
    await page.says(/^This must be a valid e-mail address/);
    const to = `${unique()}@example.com`;
    await page.fill('Send a test mail to', to);
    await page.press('Send');
    await told(`Sent a test mail to ${to}`);
    const id = (await page.within.findByText(/Accepted for/)).querySelector('code')?.textContent;
    const { from } = (await get<{ from: string }>('/v1/mail/status')).body;
    await page.shows(from);
    const mailbox = (await get<readonly Record<string, unknown>[]>(MAILBOX_PATH)).body;
    expect(mailbox.find((mail) => mail['message_id'] === id)).toMatchObject({
      from,
      to: [to],
      subject: 'Test mail from the license key service',
    });
    intercept(/\/mail\/test/, () => failing(502, 'The mail could not be sent: 550 no such user', { 'X-Svc-Error-Code': 'mail_failed' }));
    await page.press('Send');
    await page.shows('550 no such user');
  });

  test('without a mail transport the page says what is missing', async () => {
    intercept(/\/mail\/status/, () => Response.json({ configured: false, from: null }));
    const page = await openPage('/mail');
    await page.shows(/Mail is not set up.*MAIL_FROM/);
  });
});

describe('the sign-in', () => {
  test('an invalid token is refused and not stored, and is not called wrong if the service cannot be reached', async () => {
    const page = await openPage('/mail');
    await page.press('Sign out');
    await page.shows('You are signed out.');
    for (const token of ['not-the-token', 'schlüssel', 'two words']) {
      await page.fill('Admin token', token);
      await page.press('Sign in');
      await page.shows('This admin token is not valid');
      expect(sessionStorage.length + localStorage.length).toBe(0);
    }
    intercept(/tokens/, lost);
    await page.fill('Admin token', 'not-the-token');
    await page.press('Sign in');
    await page.shows('The service cannot be reached');
    await page.hides('This admin token is not valid');
  });
});

describe('problems with the service', () => {
  test('every part that could not be loaded says why, can be loaded again, and is loaded again automatically after an outage', async () => {
    const {
      product: { id },
    } = await newShop();
    const end = intercept(/\/license-types/, () => failing(500, 'The types broke'));
    const page = await openPage(`/products/${id}`);
    await page.shows('The types broke');
    end();
    await page.press('Try again');
    await page.shows('Licenses by type');
    const works = intercept(/\/overview/, () => failing(500, 'The numbers broke'));
    page.go('/');
    await page.shows('The numbers broke');
    expect(page.rows()).not.toEqual([]);
    works();
    const online = intercept(/\/v1\//, lost);
    page.go(`/products/${id}/webhooks`);
    await page.shows('The service cannot be reached.');
    online();
    await page.shows('Signing secret');
    await page.hides('The service cannot be reached.');
  });

  test('a response of a captive portal is reported as such, and its content is not shown', async () => {
    intercept(/\/v1\/products\?/, () => new Response('<!doctype html><title>Hotel Wi-Fi</title>'));
    await (await openPage('/')).shows('The response did not come from the service.');
  });

  test('while a response is awaited, the page shows that it is loading', async () => {
    const { id } = await newProduct();
    const release = hold(/deliveries/);
    const page = await openPage(`/products/${id}/webhooks`);
    await page.within.findAllByRole('status', { name: 'Loading' });
    release();
    await page.shows('No events yet');
  });

  test('each list says how many entries the service could not read', async () => {
    const { id } = await newProduct();
    await post(`/v1/products/${id}/payment-connections`, { processor: 'gumroad' });
    intercept(/\/v1\/audit\?|\/(deliveries|releases|orders|payments)\?/, () => Response.json([], { headers: { 'X-Svc-Unreadable': '2' } }));
    const page = await openPage('/');
    for (const route of ['audit', 'webhooks', 'releases', 'payments', 'payments?view=log']) {
      page.go('/no/such/page');
      await page.hides('entries are missing here');
      page.go(`/products/${id}/${route}`);
      await page.shows('2 entries are missing here');
    }
  });

  test.each([
    '/licenses/999999999',
    '/products/999999999',
    '/products/999999999/licenses',
    '/products/999999999/releases',
    '/products/999999999/payments',
    `/events/${'0'.repeat(32)}`,
    '/no/such/page',
    '/products/0/licenses',
  ])('the page %s does not exist: it has one heading and no buttons, and links to the first page', async (route) => {
    const page = await openPage(route);
    await waitFor(() => {
      const main = document.querySelector('main');
      expect([main?.querySelectorAll('h1').length, main?.querySelectorAll('button').length]).toEqual([1, 0]);
      expect([...(main?.querySelectorAll('a') ?? [])].map(({ hash, textContent }) => [hash, textContent])).toContainEqual([
        '#/',
        'All products',
      ]);
    });
    expect(page.rows()).toEqual([]);
  });
});

test('metadata with a text that reverses the direction of writing is shown escaped', async () => {
  const { license } = await newShop({}, { metadata: { turned: '\u202Eexe.gpj' } });
  await (await openPage(`/licenses/${license.id}`)).shows('"turned": "\\u202eexe.gpj"');
});
