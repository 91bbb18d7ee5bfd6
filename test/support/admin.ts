import type { Locator, Page, Route } from 'playwright-core';
import type * as z from 'zod';
import type { getDeploymentOverview } from '../../lambdas/contract/overview';
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

type Numbers = z.output<typeof getDeploymentOverview.response>;

/** Adds up what the tokens of several products get. */
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
 * Lets the page see these products alone in what it reads over all products: what the service responds to a token of each
 * product, joined or added up. The tests of a run share one stack, and make thousands.
 */
export async function showOnly(page: Page, ...products: readonly ProductView[]): Promise<void> {
  const tokens = await Promise.all(products.map(({ id }) => newAdminToken({ scopes: ['read'], product_id: id })));
  const readAll = async <Body>(route: Route): Promise<Body[]> => {
    const { pathname, search } = new URL(route.request().url());
    const responses = await Promise.all(tokens.map((token) => get<Body>(pathname + search, { 'X-Svc-Admin-Token': token })));
    return responses.map(({ body }) => body);
  };
  await page.route(/\/v1\/products\?/, async (route) => route.fulfill({ json: (await readAll<unknown[]>(route)).flat() }));
  await page.route(/\/v1\/overview\?/, async (route) => route.fulfill({ json: sumOf(await readAll<Numbers>(route)) }));
}
