import { Button, MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { currentPreferences, subscribePreferences } from './preferences';
import { Spinner } from './ui/spinner';

let unsubscribe = (): void => undefined;
/** The operator's preferred theme: light, dark, or the system's. */
const preferredColours: MantineColorSchemeManager = {
  get: () => currentPreferences().theme,
  set: () => undefined,
  subscribe: (onUpdate) => {
    unsubscribe = subscribePreferences(() => onUpdate(currentPreferences().theme));
  },
  unsubscribe: () => unsubscribe(),
  clear: () => undefined,
};

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(
  // Mantine would write its variables and classes into style elements. The page's Content-Security-Policy forbids style elements, so
  // theme.css contains the variables and classes.
  <MantineProvider
    defaultColorScheme="auto"
    colorSchemeManager={preferredColours}
    withCssVariables={false}
    withGlobalClasses={false}
    theme={{
      cursorType: 'pointer',
      defaultRadius: 'md',
      respectReducedMotion: true,
      // This spinner replaces Mantine's own spinner, which does not move at all if the operator prefers reduced motion.
      components: { Button: Button.extend({ defaultProps: { loaderProps: { children: <Spinner /> } } }) },
    }}
  >
    <App />
  </MantineProvider>,
);
