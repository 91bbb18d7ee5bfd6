// This import is first, so that the pages' own styles come after Mantine's.
import './theme.css';
import { loadLanguage } from './texts/languages';

// The other modules may read texts when they are loaded, so the language is loaded first.
void loadLanguage().then(() => import('./main'));
