import type { Locator, Page } from 'playwright-core';
import { adminToken, baseUrl } from './http';

/** The admin page as an operator uses it. */

export const adminUrl = (route = '/'): string => `${baseUrl()}/admin#${route}`;

/** Opens a route of the admin page with the token in place, as after a sign-in. */
export async function openAdmin(page: Page, route = '/'): Promise<void> {
  await page.addInitScript(`if (!sessionStorage.getItem('lks.admin-token')) sessionStorage.setItem('lks.admin-token', ${JSON.stringify(adminToken())})`);
  await page.goto(adminUrl(route));
  await main(page).waitFor();
}

/** Goes to another route of the page that is open. */
export async function goTo(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
}

export const main = (page: Page): Locator => page.getByRole('main');
export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });
export const button = (scope: Page | Locator, name: string | RegExp): Locator => scope.getByRole('button', { name, exact: typeof name === 'string' });
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });
/** Chooses an action from the page's menu of rare ones. */
export async function choose(page: Page, action: string): Promise<void> {
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** What the page says was done, to the eye or to screen readers alone. */
export const told = (page: Page, text: string | RegExp): Promise<void> => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

/** The row of a product on the overview, which shows a hundred at first: the tests of a run share one stack, and make more. */
export async function productRow(page: Page, name: string): Promise<Locator> {
  const row = page.getByRole('row', { name });
  const more = button(page, 'Show more');
  await row.or(more).first().waitFor();
  while (!(await row.isVisible()) && (await more.isVisible())) {
    await more.click();
    await more.and(page.locator('[data-loading]')).waitFor({ state: 'detached' });
  }
  return row;
}
