import { prefer, themes, usePreferences, type Theme } from '../preferences';
import { MoonIcon, RowsIcon, ScreenIcon, SunIcon } from './icons';
import classes from './display.module.css';

const looks: Readonly<Record<Theme, { readonly label: string; readonly Icon: typeof SunIcon }>> = {
  auto: { label: 'Same as system', Icon: ScreenIcon },
  light: { label: 'Light', Icon: SunIcon },
  dark: { label: 'Dark', Icon: MoonIcon },
};

/** Controls for the theme and the density. */
export function Display() {
  const { theme, density } = usePreferences();
  return (
    <div className={classes['display']}>
      <fieldset className={classes['themes']}>
        <legend className={classes['hidden']}>Theme</legend>
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
        aria-label="Compact rows"
        title="Compact rows"
        onClick={() => prefer({ density: density === 'compact' ? 'comfortable' : 'compact' })}
      >
        <RowsIcon size={16} />
      </button>
    </div>
  );
}
