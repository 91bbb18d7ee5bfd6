import { act } from '@testing-library/react';
import { actorName, localTime } from '../../../admin-site/src/format';
import { RenewLicense } from '../../../admin-site/src/pages/renew-license';
import { setLanguage } from '../../../admin-site/src/texts';
import { de } from '../../../admin-site/src/texts/de';
import type { LicenseView } from '../../../lambdas/contract/resources';
import { DAY_MS } from '../../../lambdas/domain/time';
import type { DeliveryView } from '../../../lambdas/contract/webhooks';
import { get, getLicense, newAdminToken, newFingerprint, newShop, patch, post, unique } from '../../support/http';
import { until } from '../../support/until';
import { failing, hold, intercept, openDialog, openPage, sentRequests, told, type AdminPage } from '../page';

/** Tests the page of a license with the real service, without a browser. */

const open = (license: LicenseView): Promise<AdminPage> => openPage(`/licenses/${license.id}`);
const SUBSCRIPTION = { kind: 'subscription', duration_days: 30 };

test('a license is revoked only after a confirmation, and then the page offers no impossible action', async () => {
  const { license } = await newShop();
  const page = await open(license);
  await page.menu('Revoke');
  await (await page.dialog('Revoke this license?')).press('Cancel');
  expect((await getLicense(license.id)).status).toBe('active');
  await page.menu('Revoke');
  const form = await page.dialog('Revoke this license?');
  await form.fill(/Reason/, 'Refunded');
  await form.press('Revoke permanently');
  await told('Revoked the license');
  await page.shows('“Refunded”');
  expect(await getLicense(license.id)).toMatchObject({ status: 'revoked', revoked_reason: 'Refunded' });
  for (const name of ['Renew', 'Offline token']) expect([name, page.button(name).disabled]).toEqual([name, true]);
});

test("the page shows why apps were refused, and the product's page shows requests with unknown keys", async () => {
  const { license, client, product } = await newShop({ max_seats: 1 });
  await client.activate(license.key, newFingerprint());
  await client.activate(license.key, newFingerprint(), { name: 'The second laptop', platform: 'linux' });
  await client.activate('NEVER-ISSUED-KEY', newFingerprint());
  const page = await open(license);
  await page.shows(/No free seat.*The second laptop, Linux/);
  page.go(`/products/${product.id}`);
  await (await page.part('region', 'Unknown keys')).press('Show');
  await page.shows('NEVER…');
});

test('a license can have notes, and one click adds a week or two seats, which can be undone', async () => {
  const { license } = await newShop({ ...SUBSCRIPTION, max_seats: 2 });
  const page = await open(license);
  await page.fill('New note', 'Called on Friday.\nWants a week more.');
  await page.press('Save the note');
  await told('Saved the note');
  await page.press('Delete the note “Called on Friday.”');
  await (await page.dialog('Delete this note?')).press('Delete permanently');
  await page.shows('No notes yet.');
  await page.menu('+2 seats');
  await told('The license now has 4 seats');
  await page.press('Undo');
  await told('Undone: the license has 2 seats again');
  await page.menu('+7 days');
  await told(/Renewed until/);
  const { expires_at: end, seats } = await getLicense(license.id);
  expect([Date.parse(end ?? '') - Date.parse(license.expires_at ?? ''), seats.max]).toEqual([7 * DAY_MS, 2]);
});

test('the history shows separately what changed and that its delivery to the webhook failed, and shows the changes in their order', async () => {
  const { license } = await newShop(SUBSCRIPTION);
  await post(`/v1/licenses/${license.id}/renew`);
  await post(`/v1/licenses/${license.id}/suspend`);
  // All events get the same time, as after an import, and the response lists them in reverse order.
  intercept(/\/events/, async (pass) => {
    const events = (await (await pass()).json()) as DeliveryView[];
    return Response.json(events.reverse().map((event) => ({ ...event, created_at: license.created_at, status: 'failed' })));
  });
  const page = await open(license);
  const words = (what: string): string => `${what}by deployment, [^,]*Webhook failed`;
  await page.shows(new RegExp(['Suspended', 'Renewed until [^b]*', 'Issued'].map(words).join('')));
});

test('histories say what changed, and tell a refusal for lack of seats once', async () => {
  const email = `${unique('ada')}@example.com`;
  const { license, client } = await newShop(SUBSCRIPTION, {
    customer_email: `old-${email}`,
    max_seats: 1,
    metadata: { name: 'Ada King', company: 'Example GmbH' },
  });
  await patch(`/v1/licenses/${license.id}`, { customer_email: email, max_seats: 2 });
  await patch(`/v1/licenses/${license.id}`, { max_seats: 1 });
  const page = await open(license);
  await page.shows(/Seats changed.*Address and seats changed.*Issued/);
  await client.activate(license.key, newFingerprint());
  await expect(client.activate(license.key, newFingerprint())).resolves.toMatchObject({ status: 429 });
  await until('the refusal is recorded', async () => (await get<unknown[]>(`/v1/licenses/${license.id}/refusals`)).body.length === 1);
  page.go(`/find?q=${email}&all=1`);
  await page.shows(`Licenses for “${email}” · Ada King · Example GmbH · 1 license · 1 device`);
  const timeline = await page.part('region', 'Timeline');
  await timeline.shows(/Refused: No free seat/);
  await timeline.hides('No seats left');
});

test('the page names the deployment and a buyer in its language, and tokens by their names', () => {
  setLanguage('de', de);
  expect(['buyer', 'deployment', 'Desk'].map(actorName)).toEqual(['Käufer', 'Installation', 'Desk']);
  setLanguage('en');
});

test('a license whose expiry has passed is shown as expired in the list and on its page, before any app checks it', async () => {
  const { product, license } = await newShop(SUBSCRIPTION);
  await patch(`/v1/licenses/${license.id}`, { expires_at: new Date(Date.now() - 2 * DAY_MS).toISOString() });
  const page = await open(license);
  await page.shows('Expired 2 days ago');
  expect(page.button('Offline token').disabled).toBe(true);
  page.go(`/products/${product.id}/licenses`);
  await page.shows(/Expired.*Expired/);
  expect((await getLicense(license.id)).status).toBe('active');
});

test('if an action fails because somebody else has revoked the license, the page shows the revocation', async () => {
  const { license } = await newShop(SUBSCRIPTION);
  const page = await open(license);
  await page.press('Renew');
  await post(`/v1/licenses/${license.id}/revoke`);
  const form = await page.dialog('Renew this license');
  await form.press('Renew');
  await form.shows(/is revoked/);
  await page.shows('Revoked');
});

describe('the action to free all seats', () => {
  async function openAction(license: LicenseView) {
    const page = await open(license);
    await page.menu('Free all seats');
    return { page, form: await page.dialog('Free all seats?') };
  }

  test('a double click sends one request', async () => {
    const { form } = await openAction((await newShop()).license);
    const sent = sentRequests();
    act(() => {
      form.button('Free all seats').click();
      form.button('Free all seats').click();
    });
    await told('Freed 0 seats');
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('an error is shown in the dialog with its request id, and the action can be repeated', async () => {
    const { form } = await openAction((await newShop()).license);
    const end = intercept(/\/reset/, () => failing(503, 'The service is busy, try again', { 'X-Request-Id': 'request-7' }));
    await form.press('Free all seats');
    await form.shows(/busy, try again.*request-7/);
    end();
    await form.press('Free all seats');
    await form.closed();
  });

  test('the result is reported even if the dialog was closed before', async () => {
    const { form } = await openAction((await newShop()).license);
    intercept(/\/reset/, () => failing(503, 'The service is busy, try again'));
    const release = hold(/\/reset/);
    await form.press('Free all seats');
    await form.user.keyboard('{Escape}');
    await form.closed();
    release();
    await told('The service is busy, try again');
  });
});

describe('the devices of a license', () => {
  test('twenty devices are shown at a time, and a device is found by its name or fingerprint', async () => {
    const { license, client } = await newShop({ max_seats: 0 });
    const fingerprints = Array.from({ length: 45 }, () => newFingerprint());
    await Promise.all(fingerprints.map((fingerprint, place) => client.activate(license.key, fingerprint, { name: `Desk ${place}` })));
    const devices = await (await open(license)).part('region', 'Devices');
    await devices.shows('1–20 of 45');
    expect(devices.rows()).toHaveLength(20);
    expect(devices.rows()[0]).toContain('today');
    await devices.press('Next');
    await devices.shows('21–40 of 45');
    await devices.user.type(devices.within.getByRole('searchbox'), (fingerprints[44] ?? '').slice(0, 20));
    await devices.shows('Desk 44');
    expect(devices.rows()).toHaveLength(1);
  });

  test('all devices that were not seen for 90 days can be freed together, each with its result, and other devices stay', async () => {
    const { license, client } = await newShop({ max_seats: 3 });
    for (const name of ['Old laptop', 'Old desktop', 'New laptop']) await client.activate(license.key, newFingerprint(), { name });
    // Other tests share this stack, so this test can't advance the stack's clock. Instead, the page receives responses with old dates.
    intercept(new RegExp(`/v1/licenses/${license.id}$`), async (pass) => {
      const body = (await (await pass()).json()) as { activations: { name: string; last_seen_on: string }[] };
      for (const device of body.activations) if (device.name.startsWith('Old')) device.last_seen_on = '2020-01-31';
      return Response.json(body);
    });
    const page = await open(license);
    await page.press('Free the seats of 2 devices not seen for 90 days');
    const form = await page.dialog('Free unused seats?');
    await form.shows(/Old laptop, seen.*Old desktop, seen/);
    await form.press('Free 2 seats');
    await form.shows('2 of 2 done');
    await form.press('Done');
    expect((await getLicense(license.id)).activations.map(({ name }) => name)).toEqual(['New laptop']);
  });
});

const shown = (ms: number): string => new Date(ms).toLocaleDateString('en', { dateStyle: 'medium' });

// A form that offers a renewal by the type promises an expiry, and the service then refuses it.
test('with a token whose renewals are limited, the form offers only renewals that the service accepts', async () => {
  const { license } = await newShop({ kind: 'subscription', duration_days: 365 });
  await patch(`/v1/licenses/${license.id}`, { expires_at: new Date(Date.now() + 3.5 * DAY_MS).toISOString() });
  const page = await openPage(
    `/licenses/${license.id}`,
    await newAdminToken({ name: unique('desk'), scopes: ['support'], renewal_days: 14 }),
  );
  await page.press('Renew');
  const form = await page.dialog('Renew this license');
  await form.shows('This token may renew until');
  expect([...form.field('Renew').querySelectorAll('option')].map(({ value }) => value)).toEqual(['days', 'date']);
  expect(form.field('Days').value).toBe('10');
  await form.fill('Days', '11');
  expect(form.button('Renew').disabled).toBe(true);
  await form.choose('Renew', 'until a date');
  const local = (days: number): string => localTime(new Date(Date.now() + days * DAY_MS).toISOString()).slice(0, 16);
  await form.fill('Until', local(15));
  expect(form.button('Renew').disabled).toBe(true);
  await form.fill('Until', local(13));
  expect(form.button('Renew').disabled).toBe(false);
  await form.choose('Renew', 'for a number of days');
  await form.fill('Days', '10');
  await form.press('Renew');
  await form.closed();
  await page.press('More');
  expect((await page.within.findByRole<HTMLButtonElement>('menuitem', { name: '+7 days' })).disabled).toBe(true);
  expect(Date.parse((await getLicense(license.id)).expires_at ?? '')).toBeGreaterThan(Date.now() + 13 * DAY_MS);
});

test('a license can be renewed by its type, by days or until a date, after the form has shown the new end', async () => {
  const { license } = await newShop(SUBSCRIPTION);
  const openForm = (present: LicenseView) =>
    openDialog((opened, onClose) => <RenewLicense license={present} opened={opened} onClose={onClose} />);
  let form = await openForm(license);
  await form.shows(shown(Date.parse(license.expires_at ?? '') + 30 * DAY_MS));
  await form.choose('Renew', 'for a number of days');
  await form.fill('Days', '40');
  await form.press('Renew');
  await form.closed();
  await told(/Renewed until/);
  const renewed = await getLicense(license.id);
  expect(Date.parse(renewed.expires_at ?? '') - Date.parse(license.expires_at ?? '')).toBe(40 * DAY_MS);

  form = await openForm(renewed);
  await form.choose('Renew', 'until a date');
  await form.fill('Until', '2020-01-01T00:00');
  await form.press('Renew');
  await form.says(/^This .*expiry/);
  await form.fill('Until', '2050-01-01T00:00');
  await form.press('Renew');
  await form.closed();
  expect((await getLicense(license.id)).expires_at).toBe(new Date('2050-01-01T00:00').toISOString());
});

describe('the updates of a license', () => {
  test('they are renewed as the license type says, after the page has shown the new end, and the license is never called expired', async () => {
    const { license } = await newShop({ updates_days: 365 }, { updates_until: new Date(Date.now() - 10 * DAY_MS).toISOString() });
    const page = await open(license);
    await page.shows('Updates ended 10 days ago. The license stays valid for the releases it covers.');
    expect(document.querySelector('main')?.textContent).not.toContain('Expired');
    await page.press('Renew updates');
    const form = await page.dialog('Renew the updates');
    await form.shows(shown(Date.now() + 365 * DAY_MS));
    await form.choose('Renew', 'until a date');
    await form.fill('Until', '2020-01-01T00:00');
    await form.press('Renew');
    await form.says('This must not move the end of updates back.');
    await form.choose('Renew', 'type');
    await form.press('Renew');
    await told(/Extended the update period until/);
    await page.shows('Updates end in 12 months.');
    const { updates, expires_at: end } = await getLicense(license.id);
    expect([Math.round((Date.parse(updates.until ?? '') - Date.now()) / DAY_MS), end]).toEqual([365, null]);
  });

  test('they can be removed, and limited to a version', async () => {
    const { license } = await newShop({ updates_days: 30 });
    const page = await open(license);
    await page.press('Edit');
    const form = await page.dialog('Edit this license');
    await form.check('No date');
    await form.fill('Covers up to major version', '2');
    await form.press('Save changes');
    await page.shows('All versions up to 2.x');
    expect((await getLicense(license.id)).updates).toEqual({ until: null, max_major: 2 });
    expect(page.within.queryByText('Renew updates')).toBeNull();
  });
});
