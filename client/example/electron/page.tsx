/** Renderer: shows the component in the page. */
import { createRoot } from 'react-dom/client';
import { App } from './renderer';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
