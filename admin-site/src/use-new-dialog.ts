import { useState } from 'react';
import { href, replace, useLocation } from './router';

/**
 * The state of a page's dialog for new items. The dialog is also open while the page's URL has the parameter `new` with its name.
 *
 * @param name distinguishes the dialogs of a page
 */
export function useNewDialog(name = '1'): readonly [opened: boolean, setOpened: (opened: boolean) => void] {
  const { path, query } = useLocation();
  const [opened, setOpened] = useState(false);
  return [
    opened || query.get('new') === name,
    (next) => {
      setOpened(next);
      if (next || query.get('new') !== name) return;
      const { new: _, ...rest } = Object.fromEntries(query);
      replace(href(`/${path.join('/')}`, rest));
    },
  ];
}
