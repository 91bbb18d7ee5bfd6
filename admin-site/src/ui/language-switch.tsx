import { language } from '../texts';
import { chooseLanguage, languages } from '../texts/languages';
import classes from './language-switch.module.css';

/** A button for every other language. It loads the page again, so it must not be next to unsaved input. */
export const LanguageSwitch = () =>
  Object.entries(languages).map(
    ([tag, { name }]) =>
      tag !== language && (
        <button key={tag} type="button" lang={tag} className={classes['language']} onClick={() => chooseLanguage(tag)}>
          {name}
        </button>
      ),
  );
