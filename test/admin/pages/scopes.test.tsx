import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { globalPages, productPages } from '../../../admin-site/src/sections';
import { permits, routeOf, type Access, type Name } from '../../../admin-site/src/routes';
import { endpoints } from '../../../lambdas/contract';
import { get, newAdminToken, newFingerprint, newShop, patch, post, unique } from '../../support/http';
import { sampled } from '../../support/sampled';
import { failing, intercept, openPage } from '../page';

/** Whatever the scope of a token is: no control of the admin page leads to a request that the service refuses because of the scope. */

const scopes = ['read', 'support', 'licenses', 'releases', 'manage'] as const;

/** A product with one of everything that a page can show. */
async function everything() {
  const { product, license, client } = await newShop(
    {
      kind: 'subscription',
      duration_days: 30,
      updates_days: 30,
      max_seats: 2,
      new_devices_per_week: 5,
      meters: [{ name: 'exports', included: 5, period: 'month', overage: 'refuse' }],
    },
    { customer_email: `${unique('ada')}@example.com`, metadata: { order: 'A-1' } },
  );
  await client.activate(license.key, newFingerprint());
  const path = `/v1/products/${product.id}`;
  const connection = await post<{ id: number }>(`${path}/payment-connections`, { processor: 'custom' });
  const release = await post<{ id: number }>(`${path}/releases`, { version: '1.0.0' });
  await post(`/v1/licenses/${license.id}/notes`, { text: 'A note' });
  await post(`${path}/portal`, { enabled: true });
  await post(`/v1/licenses/${license.id}/suspend`, {});
  await patch(`/v1/licenses/${license.id}`, { max_seats: 3 });
  return { product, license, connection: connection.body.id, release: release.body.id };
}

/** The name of the endpoint of a request. */
const nameOf = (method: string, path: string): Name => {
  const [found] = endpoints.filter((row) => {
    const [its, pattern] = routeOf(row.name as Name);
    return its === method && new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? '');
  });
  return found?.name as Name;
};

const isOff = (control: HTMLButtonElement): boolean =>
  control.disabled || control.closest('fieldset:disabled, fieldset[disabled]') !== null;
const nameIn = (control: HTMLElement): string => control.getAttribute('aria-label') ?? control.textContent;
/** Buttons that only change what is shown, or that copy a value. */
const isHarmless = (control: HTMLElement): boolean => /^(Copy|Sort|Show|Hide|Reveal|Select|Close|Export)/.test(nameIn(control));

/** Clicks every button of the page and of its menus once, and sends each form that opens. Returns the buttons that open a disabled form. */
async function pressEverything(): Promise<string[]> {
  const main = screen.getByRole('main');
  const pressed = new Set<string>();
  const inVain: string[] = [];
  const press = (control: HTMLButtonElement): void => {
    pressed.add(nameIn(control));
    fireEvent.click(control);
    for (const item of within(main).queryAllByRole<HTMLButtonElement>('menuitem'))
      if (!isOff(item) && !pressed.has(nameIn(item))) press(item);
    for (const form of document.querySelectorAll('[role="dialog"] form')) {
      if (form.querySelector('fieldset[disabled]')) inVain.push(nameIn(control));
      fireEvent.submit(form);
    }
    for (const close of screen.queryAllByRole('button', { name: 'Close' })) fireEvent.click(close);
    for (const discard of screen.queryAllByRole('button', { name: /^(Discard|I have copied it)$/ })) fireEvent.click(discard);
  };
  for (const control of within(main).queryAllByRole<HTMLButtonElement>('button'))
    if (control.isConnected && !isOff(control) && !isHarmless(control) && !pressed.has(nameIn(control)))
      await act(async () => {
        press(control);
        await Promise.resolve();
      });
  for (const form of main.querySelectorAll('form')) fireEvent.submit(form);
  return inVain;
}

describe.each(scopes)('a token with the scope %s', (scope) => {
  let shop: Awaited<ReturnType<typeof everything>>;
  let token: string;
  let access: Access;
  beforeAll(async () => {
    shop = await everything();
    token = await newAdminToken({ name: unique(scope), scopes: [scope], ...(scope === 'support' && { renewal_days: 7 }) });
    access = (await get<Access>('/v1/tokens/current', { 'X-Svc-Admin-Token': token })).body;
  });

  const pages: readonly (readonly [path: string, needs: Name, where: () => string])[] = [
    ...globalPages.map(({ path, needs }) => [path, needs, () => path] as const),
    ...productPages.map(({ path, needs }) => [`a product${path}`, needs, () => `/products/${shop.product.id}${path}`] as const),
    ['a license', 'getLicense', () => `/licenses/${shop.license.id}`],
    ['a buyer', 'listLicenses', () => `/find?q=${shop.license.customer_email}&all=1`],
    ['a release', 'getRelease', () => `/releases/${shop.release}`],
    ['a connection', 'getPaymentConnection', () => `/products/${shop.product.id}/payments/${shop.connection}`],
    ['the log of payments', 'listPayments', () => `/products/${shop.product.id}/payments?view=log`],
  ];

  test.each(sampled(pages))('is never refused on the page %s', async (_, needs, where) => {
    if (!permits(access, needs)) return;
    const refused: string[] = [];
    intercept(/./, async (pass, { method, path }) => {
      if (!permits(access, nameOf(method, path))) refused.push(`${method} ${path}`);
      return method === 'GET' ? pass() : failing(503, 'Not now');
    });
    const page = await openPage(where(), token);
    await page.within.findByRole('main');
    await waitFor(() => expect(screen.queryAllByRole('status', { name: 'Loading' })).toEqual([]));
    expect(await pressEverything()).toEqual([]);
    expect(refused).toEqual([]);
  });
});

// Somebody who types into a form must not be refused afterwards.
test('a form that the token may not send is disabled, and the page names the missing scope', async () => {
  const { product } = await newShop();
  const token = await newAdminToken({ name: unique('reader'), scopes: ['read'] });
  const page = await openPage(`/products/${product.id}/portal`, token);
  await page.shows('Some controls are disabled, because this token lacks the scope manage.');
  expect(page.field('Title (optional)').closest('fieldset')?.disabled).toBe(true);
  expect(page.button('Save').disabled).toBe(true);
});
