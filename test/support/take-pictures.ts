/**
 * `npm run pictures`: fills a new local run with the data of an imaginary vendor, and takes the pictures in docs/images with a browser. Run
 * it when the pages have changed, and look at each picture before you commit it.
 */
import { join, resolve } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { start, type Stack } from '../../infra/local/stack';
import { temporaryFolder } from '../../infra/temporary-folder';
import type { LicenseView } from '../../lambdas/contract/resources';
import { button, openAdmin } from './admin';
import { openTab, startBrowser } from './browser';
import { call, fill, portalLink } from './imaginary-vendor';

const IMAGES = resolve(__dirname, '../../docs/images');

async function takePictures({ baseUrl }: Stack): Promise<void> {
  const browser = await startBrowser();
  try {
    const { studio, ada, team } = await fill((await openTab(browser)).page);
    const [license] = await call<LicenseView[]>('GET', `${studio.path}/licenses?customer_email=${ada.customer_email}`);

    /** Takes a picture of a new tab, or of the part that `show` returns. */
    const take = async (name: string, options: BrowserContextOptions, show: (page: Page) => Promise<Locator | void>): Promise<void> => {
      const { page, faults, close } = await openTab(browser, options);
      await page.clock.setFixedTime(Date.now());
      const part = await show(page);
      await page.waitForLoadState('networkidle');
      await (part ?? page).screenshot({ path: join(IMAGES, `${name}.png`) });
      if (faults.length > 0) throw new Error(`${name}: ${faults.join('; ')}`);
      await close();
    };
    const size = (width: number, height: number): BrowserContextOptions => ({ viewport: { width, height } });
    const phone = { hasTouch: true, isMobile: true };
    const admin = (route: string) => (page: Page) => openAdmin(page, route);
    /** Shows a page of the admin page in a window that is as high as the page. */
    const whole = (route: string) => async (page: Page) => {
      await openAdmin(page, route);
      await page.waitForLoadState('networkidle');
      await page.setViewportSize({ width: 1280, height: Number(await page.evaluate('document.documentElement.scrollHeight')) });
    };
    const product = `/products/${studio.id}`;

    await take('home', size(1280, 940), admin('/'));
    await take('overview', size(1280, 900), whole(product));
    await take('licenses', size(1280, 800), async (page) => {
      await openAdmin(page, `${product}/licenses`);
      for (const row of [2, 4, 5]) await page.getByRole('row').nth(row).getByRole('checkbox').check();
    });
    await take('license', { ...size(1280, 1080), colorScheme: 'dark' }, admin(`/licenses/${license?.id ?? 0}`));
    await take('members', size(1280, 1080), async (page) => {
      await openAdmin(page, `/licenses/${team}`);
      return page.getByRole('region', { name: 'Members' });
    });
    await take('phone', { ...size(390, 760), ...phone }, admin(`${product}/licenses`));
    await take('payments', size(1280, 800), admin(`${product}/payments`));
    await take('connect-processor', size(1280, 900), whole(`${product}/payments/${studio.connection.id}`));
    await take('portal', { ...size(390, 844), ...phone, deviceScaleFactor: 2 }, async (page) => {
      await page.goto(await portalLink(studio.path, ada.customer_email));
      await button(page, 'Sign in').click();
      await page.getByRole('heading', { name: 'Your licenses' }).waitFor();
    });
    await take('docs', size(1280, 760), async (page) => {
      await page.goto(`${baseUrl}/docs#createLicense`);
      await page.locator('article[aria-label="Issue a license"]').waitFor();
    });
  } finally {
    await browser.close();
  }
}

async function main(): Promise<void> {
  const stack = await start({
    dataDir: join(temporaryFolder('lks-pictures-'), 'data'),
    // The picture of the documentation shows the port, by default that of `npm start`.
    port: Number(process.env['PORT'] ?? 8787),
    config: { mail: { transport: 'ses', from: 'licenses@example.com' } },
    longestPeriod: 2000,
    throttle: false,
  });
  Object.assign(process.env, { LKS_BASE_URL: stack.baseUrl, LKS_ADMIN_TOKEN: stack.adminToken });
  try {
    await takePictures(stack);
  } finally {
    await stack.stop();
  }
}

void main();
