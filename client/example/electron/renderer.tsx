/** Renderer: a React component that receives license states over IPC. IPC copies states completely, including their dates. */
import type { InvalidInput, LicenseState } from '@license-key-service/client';
import { useEffect, useState, type FormEvent } from 'react';
import type { LicenseBridge } from './bridge';

const { license } = globalThis as typeof globalThis & { readonly license: LicenseBridge };

/** The view of an app that is not licensed; {@link Licensed} is the view of a licensed app. */
export function App() {
  const [state, setState] = useState<LicenseState>();
  const [key, setKey] = useState('');
  const [message, setMessage] = useState('');
  /** The code of a sign-in that waits for the user. */
  const [code, setCode] = useState('');

  useEffect(() => {
    void license.state().then(setState);
    const stops = [license.onState(setState), license.onCode(setCode)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);

  function show(result: LicenseState | InvalidInput): void {
    setMessage(
      result.status === 'licensed'
        ? ''
        : result.status === 'invalid_input'
          ? `The ${result.field} ${result.message}.`
          : `Not activated: ${result.status}`,
    );
  }

  async function activate(event: FormEvent): Promise<void> {
    event.preventDefault();
    show(await license.activate(key));
  }

  async function signIn(): Promise<void> {
    show(await license.signIn());
    setCode('');
  }

  if (state === undefined) return null;
  if (state.status === 'licensed') return <Licensed state={state} />;
  if (code)
    return (
      <main>
        <p>
          Continue in your browser, and check that it shows the code <strong>{code}</strong>.
        </p>
        <button onClick={() => void license.cancelSignIn()}>Cancel</button>
      </main>
    );
  return (
    <form onSubmit={(event) => void activate(event)}>
      <label>
        License key <input value={key} onChange={({ target }) => setKey(target.value)} autoFocus />
      </label>
      <button>Activate</button>
      <button type="button" onClick={() => void signIn()}>
        Sign in
      </button>
      <p role="alert">{message || state.status}</p>
    </form>
  );
}

function Licensed({ state }: { readonly state: Extract<LicenseState, { status: 'licensed' }> }) {
  return (
    <main>
      <p>
        {state.license.type.name ?? state.license.type.kind}
        {state.license.expiresAt && `, until ${state.license.expiresAt.toLocaleDateString()}`}
      </p>
      {state.features.includes('export') && <button>Export</button>}
      <button onClick={() => void license.deactivate()}>Deactivate this computer</button>
    </main>
  );
}
