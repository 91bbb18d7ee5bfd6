import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import {
  act,
  cleanup,
  configure,
  fireEvent,
  render,
  screen,
  waitForElementToBeRemoved,
  within,
  type BoundFunctions,
  type queries,
} from '@testing-library/react';
import { PointerEventsCheckLevel, userEvent, type UserEvent } from '@testing-library/user-event';
import { useState, type ReactElement } from 'react';
import { newQueryClient } from '../../admin-site/src/queries/client';
import type { Access } from '../../admin-site/src/routes';
import { signIn } from '../../admin-site/src/session';
import { Toasts } from '../../admin-site/src/ui/toast';
import { adminToken, get } from '../support/http';

/** Shows a part of the admin page without a browser. Its requests go to the stack of the test run. */

// The limit ends tests that hang. It is long, because the machine may be slow and run other tests at the same time.
configure({ asyncUtilTimeout: 15_000, defaultHidden: true });

// jsdom has no layout, so no size ever changes.
globalThis.ResizeObserver = class {
  observe = (): void => undefined;
  unobserve = (): void => undefined;
  disconnect = (): void => undefined;
};

const { fetch: send } = globalThis;
let client: QueryClient | undefined;
afterEach(() => {
  for (const dismiss of screen.queryAllByRole('button', { name: 'Dismiss' })) fireEvent.click(dismiss);
  cleanup();
  client?.clear();
  globalThis.fetch = send;
});

/** Shows an element to an operator with all permissions. */
export async function show(element: ReactElement): Promise<UserEvent> {
  const access = (await get<Access>('/v1/tokens/current')).body;
  client = newQueryClient();
  act(() => signIn(adminToken(), access));
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        {element}
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup({ delay: null, pointerEventsCheck: PointerEventsCheckLevel.Never });
}

function Opened({ dialog }: { dialog: (opened: boolean, onClose: () => void) => ReactElement }) {
  const [opened, setOpened] = useState(true);
  return dialog(opened, () => setOpened(false));
}

/** What a test does with the form of an open dialog. Fields and buttons are found by their labels. */
export interface Form {
  readonly user: UserEvent;
  readonly within: BoundFunctions<typeof queries>;
  field(label: string | RegExp): HTMLInputElement;
  button(name: string | RegExp): HTMLButtonElement;
  /** Replaces the text of a field. */
  fill(label: string | RegExp, text: string): Promise<void>;
  press(name: string | RegExp): Promise<void>;
  check(label: string | RegExp): Promise<void>;
  choose(label: string | RegExp, option: string): Promise<void>;
  /** Waits for a text. */
  says(text: string | RegExp): Promise<HTMLElement>;
  closed(): Promise<void>;
}

/** Opens a dialog, and waits until its form is filled. */
export async function openDialog(dialog: (opened: boolean, onClose: () => void) => ReactElement): Promise<Form> {
  const user = await show(<Opened dialog={dialog} />);
  const element = await screen.findByRole('dialog');
  const inside = within(element);
  await inside.findByRole('button', { name: 'Cancel' });
  const field = (label: string | RegExp) => inside.getByLabelText<HTMLInputElement>(label);
  const button = (name: string | RegExp) => inside.getByRole<HTMLButtonElement>('button', { name });
  return {
    user,
    within: inside,
    field,
    button,
    fill: async (label, text) => {
      await user.clear(field(label));
      await user.click(field(label));
      if (text !== '') await user.paste(text);
    },
    press: (name) => user.click(button(name)),
    check: (label) => user.click(field(label)),
    choose: (label, option) => user.selectOptions(field(label), option),
    says: (text) => inside.findByText(text),
    closed: async () => {
      if (screen.queryByRole('dialog')) await waitForElementToBeRemoved(() => screen.queryByRole('dialog'));
    },
  };
}

/** Waits for the message about a finished action. */
export const told = async (text: string | RegExp): Promise<void> => void (await screen.findByText(text, { selector: '[role="status"] *' }));

/** Lets the service make the next change, but the page gets another response, or none. */
export function loseNextResponse(instead: () => Response | Promise<never>): void {
  globalThis.fetch = async (path, options) => {
    if (options?.method === 'GET') return send(path, options);
    globalThis.fetch = send;
    expect((await send(path, options)).ok).toBe(true);
    return instead();
  };
}

/** Collects the bodies of the changes that the page requests from now on. */
export function sentBodies(): unknown[] {
  const bodies: unknown[] = [];
  globalThis.fetch = (path, options) => {
    if (typeof options?.body === 'string') bodies.push(JSON.parse(options.body));
    return send(path, options);
  };
  return bodies;
}
