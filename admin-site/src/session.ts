import { useSyncExternalStore } from 'react';
import { tabStorage } from '../tab-storage';
import type { Access } from './routes';

/**
 * The admin token and its permissions are only in the session storage of the tabs, so the browser forgets them when the last tab closes. A
 * new tab asks the other tabs for them, and a sign-out ends the session in all tabs. If the browser does not let pages store
 * anything, a reloaded page asks too.
 */
const TOKEN = 'lks.admin-token';
const ACCESS = 'lks.access';
const CHANNEL = 'lks.session';

/** Milliseconds that a new tab waits for a token from other tabs before it shows the sign-in form. It also accepts a token after that. */
const ASKING = 150;

/** Why the session ended. */
export type Ended = 'rejected' | 'signed-out';

interface Session {
  readonly token: string | null;
  /** The permissions of `token`, or of the last token if the service rejected it; undefined if unknown. A token keeps its permissions. */
  readonly access?: Access | undefined;
  readonly ended?: Ended;
  /** True while another tab may still send its token. */
  readonly asking?: boolean;
}

type Message =
  | { readonly type: 'ask' }
  | { readonly type: 'token'; readonly token: string; readonly access: Access | undefined }
  | { readonly type: 'ended'; readonly ended: Ended; readonly token: string | null };

function stored(): Access | undefined {
  const text = tabStorage.get(ACCESS);
  return text === undefined ? undefined : (JSON.parse(text) as Access);
}

let session: Session = { token: tabStorage.get(TOKEN) ?? null, access: stored() };
const listeners = new Set<() => void>();
const channel = new BroadcastChannel(CHANNEL);
const tell = (message: Message): void => channel.postMessage(message);

function change(next: Session): void {
  session = next;
  tabStorage.set(TOKEN, next.token ?? undefined);
  tabStorage.set(ACCESS, next.token !== null && next.access !== undefined ? JSON.stringify(next.access) : undefined);
  for (const listener of listeners) listener();
}

const end = (ended: Ended): void => change({ token: null, ended, ...(ended === 'rejected' && { access: session.access }) });

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.type === 'ask' && session.token !== null) tell({ type: 'token', token: session.token, access: session.access });
  if (data.type === 'token' && session.token === null) change({ token: data.token, access: data.access });
  // This tab may already be signed in with a newer token.
  if (data.type === 'ended' && session.token !== null && data.token === session.token) end(data.ended);
});

if (session.token === null) {
  session = { token: null, asking: true };
  tell({ type: 'ask' });
  setTimeout(() => {
    if (session.asking) change({ token: null });
  }, ASKING);
}

export function signIn(token: string, access: Access): void {
  change({ token, access });
  tell({ type: 'token', token, access });
}

export function signOut(ended: Ended = 'signed-out'): void {
  const { token } = session;
  end(ended);
  tell({ type: 'ended', ended, token });
}

export const currentToken = (): string | null => session.token;

export const useSession = (): Session =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
