import './docs.css';
import { createRoot } from 'react-dom/client';
import { Docs } from './docs';

const root = document.getElementById('docs');
if (!root) throw new Error('The page has no #docs');
createRoot(root).render(<Docs />);
