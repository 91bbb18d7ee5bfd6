import { slug } from './api';
import { tabStorage } from '../tab-storage';

/**
 * What the address of the page asks for besides the licenses. It is in the fragment, which browsers do not send to a server. The tab's
 * session storage keeps it while the buyer signs in, and until the buyer has finished.
 */

/** A part of the page that the address names, and that stays until the buyer leaves it. */
function kept(name: string, pattern: RegExp) {
  const key = `lks.portal.${slug}.${name}`;
  return {
    get: (): string | undefined => {
      const inAddress = pattern.exec(location.hash)?.[1];
      if (inAddress !== undefined) {
        tabStorage.set(key, inAddress);
        history.replaceState(history.state, '', location.pathname);
      }
      return inAddress ?? tabStorage.get(key);
    },
    set: (value: string | undefined): void => tabStorage.set(key, value),
  };
}

/** The code of an app that asks to be activated, followed by `=` and the decision if the buyer has decided. */
export const activation = kept('activation', /^#activate=([\w-]{1,40})$/);

/** The device that a mail about a sign-in is about: the license's id, a dot, and the device's ref. */
export const noticed = kept('device', /^#device=(\d{1,16}\.[\w-]{1,100})$/);
