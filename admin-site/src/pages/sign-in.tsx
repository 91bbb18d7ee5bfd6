import { Button, PasswordInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, call } from '../api';
import { signIn, type Ended } from '../session';
import { t } from '../texts';
import { InfoIcon, KeyIcon } from '../ui/icons';
import { LanguageSwitch } from '../ui/language-switch';
import { Problem } from '../ui/states';
import classes from './sign-in.module.css';

const WRONG = t('This admin token is not valid. Copy it again, without spaces around it.');
const reasons: Readonly<Record<Ended, string>> = {
  rejected: t('The admin token is no longer valid, so you were signed out. Sign in with a new one.'),
  'signed-out': t('You are signed out.'),
};

/** The form for the admin token. The form stores the token only after the service has accepted it. */
function SignInForm({ ended }: { ended: Ended | undefined }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    const given = token.trim();
    if (given === '' || busy) return;
    // The token is sent in a header, which can contain only these characters.
    if (!/^[\x21-\x7e]+$/.test(given)) return setError(new Error(WRONG));
    setBusy(true);
    setError(null);
    call('getCurrentToken', {}, { token: given }).then(
      (access) => signIn(given, access),
      (problem: Error) => {
        setBusy(false);
        setError(problem instanceof ApiError && problem.status === 401 ? new Error(WRONG) : problem);
      },
    );
  };

  return (
    <form className={classes['card']} onSubmit={onSubmit}>
      <span className={classes['mark']}>
        <KeyIcon size={26} />
      </span>
      <h1>{t('License keys')}</h1>
      {ended && !error && (
        <p className={classes['notice']} role="status">
          <InfoIcon size={18} /> {reasons[ended]}
        </p>
      )}
      <PasswordInput
        label={t('Admin token')}
        description={t(
          'Your own token, or the deployment’s token. npm start prints the deployment’s token. On AWS, the stack’s output AdminTokenSecret names the secret that contains it.',
        )}
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        autoComplete="current-password"
        spellCheck={false}
        data-autofocus
        autoFocus
        visibilityToggleButtonProps={{ 'aria-label': t('Show the token'), tabIndex: 0 }}
      />
      {error && <Problem error={error} />}
      <Button type="submit" loading={busy} disabled={token.trim() === ''} fullWidth>
        {t('Sign in')}
      </Button>
      <p className={classes['foot']}>
        {t('The tabs of this browser share the token. The browser forgets the token when the last tab is closed.')}{' '}
        <a href="/docs">{t('API docs')}</a>
      </p>
    </form>
  );
}

export function SignInPage({ ended }: { ended: Ended | undefined }) {
  useEffect(() => {
    document.title = t('Sign in · License keys');
  }, []);
  return (
    <main className={classes['page']}>
      <div>
        <SignInForm ended={ended} />
        <p className={classes['languages']}>
          <LanguageSwitch />
        </p>
      </div>
    </main>
  );
}

/** Covers the page, and any dialog that is open on it, until the operator has signed in again. */
export function SignInAgain() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog
      ref={box}
      className={classes['again']}
      aria-label={t('Sign in again')}
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog after several presses of Escape, even if each one is prevented. The page must stay covered.
      onClose={() => box.current?.showModal()}
    >
      <SignInForm ended="rejected" />
    </dialog>
  );
}
