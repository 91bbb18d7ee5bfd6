import { useCallback, type ReactNode } from 'react';
import { permits, type Name } from './routes';
import { useSession } from './session';

/** Shows only what the token permits. The service refuses the rest anyway: this only spares people the refusals. */

/** Whether the token may call an endpoint. While it is not known what it may do, everything shows. */
export function useMay(): (name: Name) => boolean {
  const { access } = useSession();
  return useCallback((name) => access === undefined || permits(access, name), [access]);
}

/** Shows something only if the token may call an endpoint. */
export function May({ call, children }: { call: Name; children: ReactNode }): ReactNode {
  return useMay()(call) ? children : null;
}
