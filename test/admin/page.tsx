import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import {
  act,
  cleanup,
  configure,
  fireEvent,
  render,
  screen,
  waitFor,
  waitForElementToBeRemoved,
  within,
  type BoundFunctions,
  type queries,
} from '@testing-library/react';
import { PointerEventsCheckLevel, userEvent, type UserEvent } from '@testing-library/user-event';
import { useState, type ReactElement } from 'react';
import { App } from '../../admin-site/src/app';
import { newQueryClient } from '../../admin-site/src/queries/client';
import { go as openRoute, href } from '../../admin-site/src/router';
import type { Access } from '../../admin-site/src/routes';
import { signIn } from '../../admin-site/src/session';
import { Toasts } from '../../admin-site/src/ui/toast';
import { adminToken, get } from '../support/http';

/** Shows a part of the admin page without a browser. Its requests go to the stack of the test run. */

// The limit ends tests that hang. It is long, because the machine may be slow and run other tests at the same time.
// Elements are also found in hidden parts, because computing which elements are hidden would take half the time of these tests.
configure({
  asyncUtilTimeout: 15_000,
  defaultHidden: true,
  getElementError: (message, container) => new Error(`${message ?? ''}\nThe page shows: ${container.textContent ?? ''}`),
});

// jsdom has no layout, so no size ever changes.
globalThis.ResizeObserver = class {
  observe = (): void => undefined;
  unobserve = (): void => undefined;
  disconnect = (): void => undefined;
};

// jsdom has no modal dialogs, and does not scroll.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
HTMLDialogElement.prototype.close = function () {
  this.open = false;
};
Element.prototype.scrollIntoView = () => undefined;

const { fetch: send } = globalThis;
let client: QueryClient | undefined;
afterEach(() => {
  for (const dismiss of screen.queryAllByRole('button', { name: 'Dismiss' })) fireEvent.click(dismiss);
  cleanup();
  client?.clear();
  globalThis.fetch = send;
});

/** Signs in with a token, and shows an element. The default token has all permissions. */
async function showSignedIn(element: ReactElement, token = adminToken()): Promise<UserEvent> {
  const access = (await get<Access>('/v1/tokens/current', { 'X-Svc-Admin-Token': token })).body;
  act(() => signIn(token, access));
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false}>
      {element}
    </MantineProvider>,
  );
  return userEvent.setup({ delay: null, pointerEventsCheck: PointerEventsCheckLevel.Never });
}

/** Shows an element to an operator with all permissions. */
export function show(element: ReactElement): Promise<UserEvent> {
  client = newQueryClient();
  return showSignedIn(
    <QueryClientProvider client={client}>
      {element}
      <Toasts />
    </QueryClientProvider>,
  );
}

type Label = string | RegExp;

/** What a test does with a part of the page. Fields and buttons are found by their labels; each action waits for its element. */
export interface Part {
  readonly user: UserEvent;
  readonly within: BoundFunctions<typeof queries>;
  field(label: Label): HTMLInputElement;
  button(name: Label): HTMLButtonElement;
  /** Replaces the text of a field. */
  fill(label: Label, text: string): Promise<void>;
  press(name: Label): Promise<void>;
  check(label: Label): Promise<void>;
  choose(label: Label, option: string): Promise<void>;
  /** Waits for an element with a text. */
  says(text: Label): Promise<HTMLElement>;
  /** Waits until the text of this part, over all its elements, contains a text. This is the cheapest way to wait. */
  shows(text: Label): Promise<void>;
  /** Waits until the text of this part does not contain a text. */
  hides(text: Label): Promise<void>;
  /** The texts of the rows of tables, without their headers. */
  rows(): string[];
  hasRows(count: number): Promise<void>;
  /** Waits until the rows of tables match these texts, in this order. */
  showsRows(...rows: readonly RegExp[]): Promise<void>;
  /** A part of this part, by its role and name. It must exist. */
  part(role: string, name: Label): Promise<Part>;
}

function partOf(element: HTMLElement, user: UserEvent): Part {
  const inside = within(element);
  const rows = (): string[] => [...element.querySelectorAll('tbody tr')].map(({ textContent }) => textContent);
  const find = (label: Label) => inside.findByLabelText<HTMLInputElement>(label);
  return {
    user,
    within: inside,
    field: (label) => inside.getByLabelText<HTMLInputElement>(label),
    button: (name) => inside.getByRole<HTMLButtonElement>('button', { name }),
    fill: async (label, text) => {
      await user.clear(await find(label));
      await user.click(await find(label));
      if (text !== '') await user.paste(text);
    },
    press: async (name) => {
      const button = await inside.findByRole<HTMLButtonElement>('button', { name });
      await waitFor(() => expect(button.disabled).toBe(false));
      await user.click(button);
    },
    check: async (label) => user.click(await find(label)),
    choose: async (label, option) => user.selectOptions(await find(label), option),
    says: (text) => inside.findByText(text),
    shows: (text) => waitFor(() => expect(element.textContent).toMatch(text)),
    hides: (text) => waitFor(() => expect(element.textContent).not.toMatch(text)),
    rows,
    hasRows: (count) => waitFor(() => expect(rows()).toHaveLength(count)),
    showsRows: (...wanted) => waitFor(() => expect(rows()).toEqual(wanted.map((row) => expect.stringMatching(row) as string))),
    part: async (role, name) => partOf(await inside.findByRole(role, { name }), user),
  };
}

/** An open dialog. */
export interface Form extends Part {
  closed(): Promise<void>;
}

async function formOf(user: UserEvent, name?: Label): Promise<Form> {
  const element = await screen.findByRole('dialog', name === undefined ? {} : { name });
  return {
    ...partOf(element, user),
    closed: async () => {
      if (element.isConnected) await waitForElementToBeRemoved(element);
    },
  };
}

function Opened({ dialog }: { dialog: (opened: boolean, onClose: () => void) => ReactElement }) {
  const [opened, setOpened] = useState(true);
  return dialog(opened, () => setOpened(false));
}

/** Opens a dialog, and waits until its form is filled. */
export async function openDialog(dialog: (opened: boolean, onClose: () => void) => ReactElement): Promise<Form> {
  const form = await formOf(await show(<Opened dialog={dialog} />));
  await form.within.findByRole('button', { name: 'Cancel' });
  return form;
}

/** The whole admin page. */
export interface AdminPage extends Part {
  /** Opens a route. */
  go(route: string): void;
  /** Waits until a dialog is open. */
  dialog(title: Label): Promise<Form>;
  /** Opens a dialog with a button, or with an entry of the menu for rarely used actions. */
  menu(action: string): Promise<void>;
}

/** Opens a route of the admin page. @param token the token of the operator; by default, a token with all permissions */
export async function openPage(route: string, token?: string): Promise<AdminPage> {
  const go = (next: string): void => act(() => openRoute(href(next)));
  go(route);
  const user = await showSignedIn(<App />, token);
  const page = partOf(document.body, user);
  return {
    ...page,
    go,
    dialog: (title) => formOf(user, title),
    menu: async (action) => {
      await page.press('More');
      await user.click(await page.within.findByRole('menuitem', { name: action }));
    },
  };
}

/** Waits for the message about a finished action. */
export const told = async (text: string | RegExp): Promise<void> => void (await screen.findByText(text, { selector: '[role="status"] *' }));

/** A request of the page. */
interface Sent {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Responds to the page's requests instead of the service.
 *
 * @param path the paths of the requests, with their queries
 * @param respond returns the response; it can get the service's response from `pass`
 * @returns the function that ends this
 */
export function intercept(
  path: RegExp,
  respond: (pass: () => Promise<Response>, request: Sent) => Response | Promise<Response>,
): () => void {
  const { fetch: next } = globalThis;
  globalThis.fetch = async (url, options) => {
    const pass = (): Promise<Response> => next(url, options);
    // The page passes each URL as a path.
    if (typeof url !== 'string' || !path.test(url)) return pass();
    const body = typeof options?.body === 'string' ? { body: JSON.parse(options.body) as unknown } : {};
    return respond(pass, { method: options?.method ?? 'GET', path: url, ...body });
  };
  return () => (globalThis.fetch = next);
}

/** Changes the queries of the page's requests. */
export function changeQueries(change: (path: string) => string): void {
  const { fetch: next } = globalThis;
  globalThis.fetch = (url, options) => next(typeof url === 'string' ? change(url) : url, options);
}

/** Responds with an error. */
export const failing = (status: number, detail: string, headers: Record<string, string> = {}): Response =>
  Response.json({ detail }, { status, headers });

/** What `fetch` does if there is no connection. */
export const lost = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch'));

/** Lets the service make the next change, but the page gets another response, or none. */
export function loseNextResponse(instead: () => Response | Promise<never> = lost): void {
  const end = intercept(/./, async (pass, { method }) => {
    if (method === 'GET') return pass();
    end();
    expect((await pass()).ok).toBe(true);
    return instead();
  });
}

/** Holds back the requests with a path until the returned function is called. */
export function hold(path: RegExp): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  intercept(path, (pass) => held.then(pass));
  return release;
}

/** Collects the requests that the page sends from now on. */
export function sentRequests(): readonly Sent[] {
  const all: Sent[] = [];
  intercept(/./, (pass, request) => {
    all.push(request);
    return pass();
  });
  return all;
}

/** Collects the bodies of the changes that the page requests from now on. */
export function sentBodies(): unknown[] {
  const bodies: unknown[] = [];
  intercept(/./, (pass, { body }) => {
    if (body !== undefined) bodies.push(body);
    return pass();
  });
  return bodies;
}

/** Waits for the file that the page offers as a download after an action. */
export async function downloadAfter(action: () => Promise<void>): Promise<{ readonly name: string; readonly text: string }> {
  const { createObjectURL, revokeObjectURL } = URL;
  const { click } = HTMLAnchorElement.prototype;
  const files: Blob[] = [];
  const names: string[] = [];
  Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${files.push(file)}`, revokeObjectURL: () => undefined });
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    names.push(this.download);
  };
  try {
    await action();
    await waitFor(() => expect(names).toHaveLength(1));
    return { name: names[0]!, text: await files[0]!.text() };
  } finally {
    Object.assign(URL, { createObjectURL, revokeObjectURL });
    HTMLAnchorElement.prototype.click = click;
  }
}
