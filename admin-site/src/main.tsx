// First, so that the pages' own styles come after Mantine's.
import './theme.css';
import { MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { newQueryClient } from './queries';

/** The system decides on dark and light; nothing is kept. */
const systemColours: MantineColorSchemeManager = {
  get: () => 'auto',
  set: () => undefined,
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => undefined,
};

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');
createRoot(root).render(
  // Mantine would write its variables and classes into style elements, which the page's policy refuses:
  // theme.css carries them.
  <MantineProvider
    defaultColorScheme="auto"
    colorSchemeManager={systemColours}
    withCssVariables={false}
    withGlobalClasses={false}
    theme={{ cursorType: 'pointer', defaultRadius: 'md', respectReducedMotion: true }}
  >
    <QueryClientProvider client={newQueryClient()}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
