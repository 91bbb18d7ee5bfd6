import type { Locator, Page, Route } from 'playwright-core';
import type * as z from 'zod/mini';
import type { getDeploymentOverview } from '../../lambdas/contract/overview';
import type { ProductView } from '../../lambdas/contract/resources';
import { adminToken, baseUrl, get, newAdminToken } from './http';

/** Functions with which a test uses the admin page like an operator. */

export const adminUrl = (route = '/'): string => `${baseUrl()}/admin#${route}`;

/** Opens a route of the admin page with a stored token, as after a sign-in. */
export async function openAdmin(page: Page, route = '/'): Promise<void> {
  await page.addInitScript(
    `if (!sessionStorage.getItem('lks.admin-token')) sessionStorage.setItem('lks.admin-token', ${JSON.stringify(adminToken())})`,
  );
  await page.goto(adminUrl(route));
  await main(page).waitFor();
}

/** Goes to another route of the open page. */
export async function goTo(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
}

export const main = (page: Page): Locator => page.getByRole('main');
export const heading = (page: Page, name: string | RegExp): Locator => page.getByRole('heading', { level: 1, name });
export const button = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: typeof name === 'string' });
export const dialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name });

/**
 * Waits until a dialog has the focus, which the dialog takes shortly after it opens. A key or a click at a position that is sent earlier
 * reaches the page behind the dialog.
 */
const isReady = (form: Locator): Promise<void> => form.and(form.page().locator(':focus-within')).waitFor();

/** Presses Escape in a dialog. */
export async function escape(form: Locator): Promise<void> {
  await isReady(form);
  await form.page().keyboard.press('Escape');
}

/** Clicks on the page behind a dialog. */
export async function clickOutside(form: Locator): Promise<void> {
  await isReady(form);
  await form.page().mouse.click(5, 5);
}

/** Closes a dialog that has nothing to lose with Escape. */
export async function closeDialog(form: Locator): Promise<void> {
  await escape(form);
  await form.waitFor({ state: 'detached' });
}

/**
 * Opens the search with a key, and types a text. If an entry is named, the function waits until this entry is the chosen one, and presses
 * Enter.
 */
export async function typeSearch(page: Page, key: 'Control+k' | '/', text: string, entry?: string | RegExp): Promise<void> {
  await page.keyboard.press(key);
  const palette = dialog(page, 'Search and go to');
  await palette.locator('input:focus').pressSequentially(text);
  if (entry === undefined) return;
  await palette.getByRole('option', { name: entry, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'detached' });
}

/** Chooses an action from the page's menu of rarely used actions. */
export async function choose(page: Page, action: string): Promise<void> {
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/**
 * Waits for the page's message about a finished action. The message may be visible, or only for screen readers. Other messages may precede
 * the awaited message, so a pattern must not begin with `^`.
 */
export const told = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

type Numbers = z.output<typeof getDeploymentOverview.response>;

/** Combines the overviews of several products: adds up their numbers, and joins their lists. */
function sumOf(overviews: readonly Numbers[]): Numbers {
  const add = <Row extends object>(rows: readonly Row[]): Row =>
    Object.fromEntries(
      Object.entries(rows[0] ?? {}).map(([name, value]) => [
        name,
        typeof value === 'number' ? rows.reduce((sum, row) => sum + Number((row as Record<string, unknown>)[name]), 0) : value,
      ]),
    ) as Row;
  return {
    licenses: add(overviews.map(({ licenses }) => licenses)),
    days: (overviews[0]?.days ?? []).map((_, place) => {
      return add(overviews.flatMap(({ days }) => days[place] ?? []));
    }),
    products: overviews.flatMap(({ products = [] }) => products),
    attention: overviews.flatMap(({ attention = [] }) => attention),
  };
}

/**
 * Makes the page show only the given products in its list of products and its overview. When the page requests one of the two, the function
 * sends the request once for each product, with a token that is bound to the product, and combines the responses. This is needed because
 * the tests of a run share one stack and create thousands of products.
 */
export async function showOnly(page: Page, ...products: readonly ProductView[]): Promise<void> {
  const tokens = await Promise.all(products.map(({ id }) => newAdminToken({ scopes: ['read'], product_id: id })));
  const show = async <Body>(route: Route, join: (bodies: readonly Body[]) => unknown): Promise<void> => {
    const { pathname, search } = new URL(route.request().url());
    const responses = await Promise.all(tokens.map((token) => get<Body>(pathname + search, { 'X-Svc-Admin-Token': token })));
    // If one response is an error, the page gets this error and later sends its request again.
    const { status, body } = responses.find((response) => response.status !== 200) ?? {};
    await route.fulfill(status === undefined ? { json: join(responses.map((response) => response.body)) } : { status, json: body });
  };
  await page.route(/\/v1\/products\?/, (route) => show<unknown[]>(route, (bodies) => bodies.flat()));
  await page.route(/\/v1\/overview\?/, (route) => show<Numbers>(route, sumOf));
}
