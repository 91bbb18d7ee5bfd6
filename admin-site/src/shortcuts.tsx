import { t } from './texts';
import { Dialog } from './ui/dialog';
import classes from './shortcuts.module.css';

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** The name of the key that is pressed with K to open the search. */
export const COMMAND_KEY = isMac ? '⌘' : t('Ctrl');

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  [`${COMMAND_KEY} K`, t('Search, open a page, or run an action')],
  ['/', t('Search in the list')],
  ['?', t('Show these shortcuts')],
  [t('Esc'), t('Close the dialog or the menu')],
];

/** A dialog that lists the keyboard shortcuts. */
export const Shortcuts = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Dialog title={t('Keyboard shortcuts')} opened={opened} onClose={onClose}>
    <dl className={classes['shortcuts']}>
      {shortcuts.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <p className={classes['note']}>{t('If you paste a text outside of a field, the page searches for it.')}</p>
  </Dialog>
);
