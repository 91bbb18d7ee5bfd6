import { useState } from 'react';
import { href, replace, useLocation } from './router';

/** The state of a page's dialog for a new item. The dialog is also open while the page's URL has the parameter `new`. */
export function useNewDialog(): readonly [opened: boolean, setOpened: (opened: boolean) => void] {
  const { path, query } = useLocation();
  const [opened, setOpened] = useState(false);
  return [
    opened || query.has('new'),
    (next) => {
      setOpened(next);
      if (next || !query.has('new')) return;
      const { new: _, ...rest } = Object.fromEntries(query);
      replace(href(`/${path.join('/')}`, rest));
    },
  ];
}
