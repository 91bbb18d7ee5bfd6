import { useSyncExternalStore } from 'react';

/** The admin token lives in this tab's session storage and nowhere else. */
const TOKEN = 'lks.admin-token';

/** Why there is nobody signed in, where that needs saying. */
export type Ended = 'rejected' | 'signed-out';

interface Session {
  readonly token: string | null;
  readonly ended?: Ended;
}

let session: Session = { token: sessionStorage.getItem(TOKEN) };
const listeners = new Set<() => void>();

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

export function signIn(token: string): void {
  sessionStorage.setItem(TOKEN, token);
  change({ token });
}

export function signOut(ended: Ended = 'signed-out'): void {
  sessionStorage.removeItem(TOKEN);
  change({ token: null, ended });
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
