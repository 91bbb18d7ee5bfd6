import type { Page } from 'playwright-core';
import { adminUrl, button, dialog, escape, goTo, heading, main, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { newAdminToken, newShop, send, unique } from '../support/http';

/**
 * Tests admin tokens on the page: they are created, shown once and revoked. Also tests the page for somebody who signs in with a restricted
 * token.
 */

let page: Page;
freshTabs((opened) => (page = opened));

async function signIn(token: string): Promise<void> {
  await page.goto(adminUrl());
  await page.getByLabel('Admin token').fill(token);
  await button(page, 'Sign in').click();
  await heading(page, 'Products').waitFor();
}

test('a token for one product is created, shown once, and revoked', async () => {
  const { product } = await newShop();
  const name = unique('Support desk');
  await openAdmin(page);
  await page.getByRole('link', { name: 'Admin tokens' }).click();
  await heading(page, 'Admin tokens').waitFor();
  await button(page, 'New admin token').first().click();
  const form = dialog(page, 'New admin token');
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Scope').selectOption('licenses');
  await form.getByLabel('Product').selectOption(String(product.id));
  await button(form, 'Create token').click();
  const token = (await form.getByRole('group', { name: 'Admin token' }).textContent()) ?? '';
  expect(token).toMatch(/^svc_[\w-]{49}$/);
  // The token can't be shown again, so Escape does not lose it.
  await escape(form);
  await form.getByText('Have you copied it?').waitFor();
  await button(form, 'Go back').click();
  await button(form, 'Copy admin token').click();
  await told(page, 'Copied the admin token');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });

  const row = page.getByRole('row', { name: new RegExp(name) });
  expect(await row.textContent()).toMatch(new RegExp(`licenses.*${product.name}.*Never.*months`));
  expect(await page.content()).not.toContain(token);
  expect(await findings(page, 'admin tokens')).toEqual([]);
  expect(
    (await send<{ scopes: string[]; product_id: number }>('/v1/tokens/current', { headers: { 'X-Svc-Admin-Token': token } })).body,
  ).toMatchObject({ name, scopes: ['licenses'], product_id: product.id });

  await button(page, `Revoke ${name}`).click();
  await button(dialog(page, 'Revoke this admin token?'), 'Revoke permanently').click();
  await told(page, `Revoked the admin token ${name}`);
  await row.waitFor({ state: 'detached' });
  // A function instance that read the token before the revocation may accept the token for up to a minute. Other instances refuse the
  // token at once.
  expect((await send('/v1/mail/status', { headers: { 'X-Svc-Admin-Token': token } })).status).toBe(401);
});

test('a user with a token for one product sees only this product, and can use only permitted actions', async () => {
  const [{ product, license, client }, other] = await Promise.all([newShop(), newShop()]);
  await client.activate(license.key, 'fingerprint-1', { name: 'Office PC' });
  const token = await newAdminToken({ name: 'Help line', scopes: ['read'], product_id: product.id });
  await signIn(token);
  await page.getByRole('link', { name: product.name }).waitFor();
  await page.getByText('Signed in with Help line').waitFor();
  expect(await main(page).textContent()).not.toContain(other.product.name);
  const areOff = async (...names: readonly (string | RegExp)[]): Promise<void> => {
    for (const name of names) expect([name, await button(main(page), name).first().isDisabled()]).toEqual([name, true]);
  };
  await areOff('New product');
  for (const hidden of ['Mail', 'Admin tokens', 'Audit log'])
    expect(await page.getByRole('link', { name: hidden, exact: true }).count()).toBe(0);

  await goTo(page, `/licenses/${license.id}`);
  await heading(page, license.key).waitFor();
  await page.getByText('Office PC').first().waitFor();
  await areOff('Edit', 'Renew', 'Offline token', /^Free seat/);
  await page.getByText(/Some controls are disabled, because this token lacks the scopes? licenses/).waitFor();

  await goTo(page, `/products/${product.id}/integration`);
  await heading(page, 'Integration').waitFor();
  await page.getByText('Your token is not allowed to see the API key.').waitFor();
  await areOff('Create the next key');
  await goTo(page, `/products/${product.id}/webhooks`);
  await heading(page, 'Webhooks').waitFor();
  await page.getByRole('textbox', { name: 'URL' }).waitFor();
  expect(await main(page).textContent()).not.toContain('Signing secret');
  await areOff('Save', 'Send a test event', 'Clear', 'Choose events', 'Send many again');
  await goTo(page, `/licenses/${other.license.id}`);
  await page.getByText('There is no such license').waitFor();

  // The view is the same after a reload, and all data is removed after a sign-out.
  await page.reload();
  await page.getByText('Signed in with Help line').waitFor();
  expect(await page.getByRole('link', { name: 'Admin tokens', exact: true }).count()).toBe(0);
  await button(page, 'Sign out').click();
  await page.getByText('You are signed out.').waitFor();
  expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
});
