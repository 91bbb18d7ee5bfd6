import type { Locator, Page } from 'playwright-core';
import type { ProductView } from '../../lambdas/contract/resources';
import { adminToken, baseUrl, get, newAdminToken } from './http';

/** The admin page as an operator uses it. */

export const adminUrl = (route = '/'): string => `${baseUrl()}/admin#${route}`;

/** Opens a route of the admin page with the token in place, as after a sign-in. */
export async function openAdmin(page: Page, route = '/'): Promise<void> {
  await page.addInitScript(
    `if (!sessionStorage.getItem('lks.admin-token')) sessionStorage.setItem('lks.admin-token', ${JSON.stringify(adminToken())})`,
  );
  await page.goto(adminUrl(route));
  await main(page).waitFor();
}

/** Goes to another route of the page that is open. */
export async function goTo(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
}

export const main = (page: Page): Locator => page.getByRole('main');
export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });
export const button = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: typeof name === 'string' });
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });
/** Chooses an action from the page's menu of rare ones. */
export async function choose(page: Page, action: string): Promise<void> {
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** What the page says was done, to the eye or to screen readers alone. */
export const told = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

/**
 * Lets the page see these products alone in what it reads over all products: each list is what the service responds to a
 * token of each product, joined. The tests of a run share one stack, and make thousands.
 */
export async function showOnly(page: Page, ...products: readonly ProductView[]): Promise<void> {
  const tokens = await Promise.all(products.map(({ id }) => newAdminToken({ scopes: ['read'], product_id: id })));
  await page.route(/\/v1\/(products|overview)\?/, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const lists = await Promise.all(tokens.map((token) => get<unknown[]>(pathname + search, { 'X-Svc-Admin-Token': token })));
    await route.fulfill({ json: lists.flatMap(({ body }) => body) });
  });
}
