import { prefer, themes, usePreferences, type Theme } from '../preferences';
import { t } from '../texts';
import { MoonIcon, RowsIcon, ScreenIcon, SunIcon } from './icons';
import { LanguageSwitch } from './language-switch';
import classes from './display.module.css';
import hidden from './hidden.module.css';

const looks: Readonly<Record<Theme, { readonly label: string; readonly Icon: typeof SunIcon }>> = {
  auto: { label: t('Same as system'), Icon: ScreenIcon },
  light: { label: t('Light'), Icon: SunIcon },
  dark: { label: t('Dark'), Icon: MoonIcon },
};

/** Controls for the theme, the density and the language. */
export function Display() {
  const { theme, density } = usePreferences();
  return (
    <div className={classes['display']}>
      <fieldset className={classes['themes']}>
        <legend className={hidden['hidden']}>{t('Theme')}</legend>
        {themes.map((one) => {
          const { label, Icon } = looks[one];
          return (
            <label key={one} title={label}>
              <input type="radio" name="theme" aria-label={label} checked={theme === one} onChange={() => prefer({ theme: one })} />
              <Icon size={16} />
            </label>
          );
        })}
      </fieldset>
      <button
        type="button"
        className={classes['density']}
        aria-pressed={density === 'compact'}
        aria-label={t('Compact rows')}
        title={t('Compact rows')}
        onClick={() => prefer({ density: density === 'compact' ? 'comfortable' : 'compact' })}
      >
        <RowsIcon size={16} />
      </button>
      <LanguageSwitch />
    </div>
  );
}
