import chromium from '@sparticuz/chromium';
import { existsSync } from 'node:fs';
import { chromium as playwright, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** Where a system's own Chrome or Chromium usually is; `CHROME` names another. */
const installed = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A real Chromium: the system's where it has one, else the one that comes as a package (Linux on x64). */
export async function startBrowser(...args: readonly string[]): Promise<Browser> {
  const named = process.env['CHROME'] ?? installed.find((path) => existsSync(path));
  return playwright.launch({
    executablePath: named ?? (await chromium.executablePath()),
    // With RenderDocument, Chromium 143 without a window crashes in most tabs that a click opens in the background.
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--hide-scrollbars',
      '--disable-features=RenderDocument',
      ...args,
    ],
  });
}

export interface Tab {
  readonly page: Page;
  /** What a user would not see, but must not be: refused by the policy, thrown, logged as an error. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** A fresh tab with nothing remembered. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
    ...options,
  });
  // A bound on what hangs, not on how fast a machine is that runs other tests beside.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  // Refusals of the API are logged by the browser as failed loads; they are answers, not faults.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  return { page, faults, close: () => context.close() };
}

/** The tab of the test that runs. */
export interface FreshTabs {
  /** Closes the tab and opens another one in its place. */
  reopen(options: BrowserContextOptions): Promise<void>;
}

/**
 * A browser for the tests of a file, and a fresh tab for each of them, in which nothing may be refused by the page's
 * policy, thrown or logged as an error.
 *
 * @param use is given the page of each tab
 */
export function freshTabs(use: (page: Page) => void): FreshTabs {
  let browser: Browser;
  let tab: Tab;
  const open = async (options: BrowserContextOptions = {}): Promise<void> => {
    tab = await openTab(browser, options);
    use(tab.page);
  };
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(() => open());
  afterEach(async () => {
    await tab.close();
    expect(tab.faults).toEqual([]);
  });
  return {
    reopen: async (options) => {
      await tab.close();
      await open(options);
    },
  };
}
