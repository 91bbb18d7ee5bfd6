import { useCallback, type ReactNode } from 'react';
import { permits, type Name } from './routes';
import { useSession } from './session';

/** Hides controls that the token has no permission for. The service checks the permission again with each request. */

/** Returns a function that says whether the token may call an endpoint. Everything is shown while the permissions are unknown. */
export function useMay(): (name: Name) => boolean {
  const { access } = useSession();
  return useCallback((name) => access === undefined || permits(access, name), [access]);
}

/** Shows something only if the token may call an endpoint. */
export function May({ call, children }: { call: Name; children: ReactNode }): ReactNode {
  return useMay()(call) ? children : null;
}
