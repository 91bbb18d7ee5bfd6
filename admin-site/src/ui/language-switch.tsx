import { language } from '../texts';
import { chooseLanguage, languages } from '../texts/languages';
import classes from './language-switch.module.css';

/** A button for each language except the current one. A click loads the page again, so the buttons must not be next to unsaved input. */
export const LanguageSwitch = () =>
  Object.entries(languages).map(
    ([tag, { name }]) =>
      tag !== language && (
        <button key={tag} type="button" lang={tag} className={classes['language']} onClick={() => chooseLanguage(tag)}>
          {name}
        </button>
      ),
  );
