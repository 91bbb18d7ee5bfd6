import { screen, waitFor } from '@testing-library/react';
import { app, get, newFingerprint, newLicense, newProduct, newType, patch, unique } from '../../support/http';
import { openPage, sentRequests, type AdminPage } from '../page';

/** Tests the command palette and the search with the real service, without a browser. */

/** Opens the palette with Ctrl-K, and types a text. */
async function type(page: AdminPage, text: string): Promise<void> {
  await page.user.keyboard('{Control>}k{/Control}');
  await page.user.type(await screen.findByRole('combobox', { name: /^Key, e-mail, domain/ }), text);
}

/** The names of the shown groups, each with the texts of its entries. */
const groups = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    screen
      .queryAllByRole('group')
      .filter((group) => group.closest('[role="listbox"]'))
      .map((group) => [
        group.querySelector('[role="presentation"]')?.textContent ?? '',
        [...group.querySelectorAll('[role="option"]')].map(({ textContent }) => textContent ?? ''),
      ]),
  );
const chosen = (): string | undefined => document.querySelector('[role="option"][aria-selected="true"]')?.textContent ?? undefined;

/** A word that occurs only in the data of one test. */
const word = (): string => unique('w').replace('-', '');

describe('the palette', () => {
  test('finds licenses, buyers and devices while the operator types, and says so to screen readers', async () => {
    const product = await newProduct();
    const licenseType = await newType(product);
    const name = word();
    const license = await newLicense(licenseType, {
      customer_email: `${name}@example.com`,
      metadata: { name: `Zoë ${name}`, company: 'Northwind Traders' },
    });
    await app(product).activate(license.key, newFingerprint(), { name: `${name}-laptop` });
    const page = await openPage('/');
    await page.shows('Products');
    const sent = sentRequests();
    await type(page, name.toUpperCase());
    await waitFor(() =>
      expect(groups()).toMatchObject({
        Licenses: [
          `Find “${name.toUpperCase()}” in all products`,
          expect.stringMatching(new RegExp(`^${license.key}Zoë ${name}.*${product.name}$`)),
        ],
        Buyers: [`${name}@example.comZoë ${name} · Northwind Traders`],
        Devices: [expect.stringContaining(`${name}-laptop`)],
      }),
    );
    await page.says('1 license found');
    // The service is asked after a pause, not for each character.
    expect(sent.filter(({ path }) => path.startsWith('/v1/licenses?')).length).toBeLessThan(4);
    // What was found must not change the entry that Enter opens.
    expect(chosen()).toBe(`Find “${name.toUpperCase()}” in all products`);
    await page.user.keyboard('{ArrowDown}{Enter}');
    await page.shows(license.key);
    expect(window.location.hash).toBe(`#/licenses/${license.id}`);
  });

  test('offers every page and action from everywhere, and license types of the current product', async () => {
    const product = await newProduct();
    const { name } = await newType(product, { name: word() });
    const page = await openPage('/');
    // The page itself shows only the first products; the palette finds all of them.
    await page.shows('New product');
    await type(page, `${product.name} new lic`);
    await waitFor(() => expect(groups()['In products']).toContain(`${product.name}: New license`));
    await page.user.keyboard('{Enter}');
    await page.dialog('New license');
    await page.user.keyboard('{Escape}');
    for (const [text, entry, hash] of [
      ['import', 'Import licenses', 'licenses?new=import'],
      ['payments log', 'Payments log', 'payments?view=log'],
      ['connect', 'Connect a processor', 'payments?new=1'],
    ]) {
      page.go(`/products/${product.id}/audit`);
      await page.shows('Audit log');
      await type(page, text!);
      await waitFor(() => expect(chosen()).toBe(entry));
      await page.user.keyboard('{Enter}');
      await waitFor(() => expect(window.location.hash).toBe(`#/products/${product.id}/${hash}`));
      await page.user.keyboard('{Escape}');
    }
    // An operator may type the name of the product whose page is already open.
    await type(page, `${product.name} new lic`);
    await waitFor(() => expect(chosen()).toBe(`${product.name}: New license`));
    await page.user.keyboard('{Enter}');
    await page.dialog('New license');
    await page.user.keyboard('{Escape}');
    page.go(`/products/${product.id}`);
    await type(page, name);
    await waitFor(() => expect(groups()['License types']).toEqual([name]));
  });

  test('the list of a product finds the same licenses as the search, with its other filters', async () => {
    const licenseType = await newType(await newProduct());
    const company = word();
    const [first, second] = [
      await newLicense(licenseType, { metadata: { company: `The ${company}` } }),
      await newLicense(licenseType, { customer_email: `info@${company}.example` }),
      await newLicense(licenseType, { metadata: { company: 'another' } }),
    ];
    await patch(`/v1/licenses/${first.id}`, { max_seats: 0 });
    const page = await openPage(`/products/${licenseType.product_id}/licenses`);
    await page.hasRows(3);
    const label = 'Key, e-mail, name, order or device';
    await page.fill(label, company);
    await page.user.keyboard('{Enter}');
    await page.showsRows(new RegExp(first.key));
    await page.fill(label, `@${company}`);
    await page.user.keyboard('{Enter}');
    await page.showsRows(new RegExp(second.key));
    await page.choose('Status', 'Expiring within 30 days');
    await page.shows('No licenses match these filters');
    await page.fill(label, 'xy');
    await page.user.keyboard('{Enter}');
    await page.shows('A search needs at least 3 characters.');
    expect((await get<{ id: number }[]>(`/v1/licenses?q=@${company}`)).body.map(({ id }) => id)).toEqual([second.id]);
  });
});
