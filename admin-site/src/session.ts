import { useSyncExternalStore } from 'react';

/**
 * The admin token lives in the session storage of the tabs and nowhere else: the browser forgets it with the
 * last of them. A new tab asks the others for it, and a sign-out ends the session in all of them.
 */
const TOKEN = 'lks.admin-token';
const CHANNEL = 'lks.session';

/** Milliseconds that a new tab waits for another one before it shows the sign-in. A later response still counts. */
const ASKING = 150;

/** Why nobody is signed in, if there is more to say than that. */
export type Ended = 'rejected' | 'signed-out';

interface Session {
  readonly token: string | null;
  readonly ended?: Ended;
  /** Whether another tab may still hand over its token. */
  readonly asking?: boolean;
}

type Message = { readonly type: 'ask' } | { readonly type: 'token'; readonly token: string } | { readonly type: 'ended'; readonly ended: Ended; readonly token: string | null };

let session: Session = { token: sessionStorage.getItem(TOKEN) };
const listeners = new Set<() => void>();
const channel = new BroadcastChannel(CHANNEL);
const tell = (message: Message): void => channel.postMessage(message);

function change(next: Session): void {
  session = next;
  if (next.token === null) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, next.token);
  for (const listener of listeners) listener();
}

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.type === 'ask' && session.token !== null) tell({ type: 'token', token: session.token });
  if (data.type === 'token' && session.token === null) change({ token: data.token });
  // Another tab may be signed in with a newer token already.
  if (data.type === 'ended' && session.token !== null && data.token === session.token) change({ token: null, ended: data.ended });
});

if (session.token === null) {
  session = { token: null, asking: true };
  tell({ type: 'ask' });
  setTimeout(() => {
    if (session.asking) change({ token: null });
  }, ASKING);
}

export function signIn(token: string): void {
  change({ token });
  tell({ type: 'token', token });
}

export function signOut(ended: Ended = 'signed-out'): void {
  const { token } = session;
  change({ token: null, ended });
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
