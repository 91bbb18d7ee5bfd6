/** Renderer: a React component that receives license states over IPC. IPC copies states completely, including their dates. */
import type { LicenseState } from '@license-key-service/client';
import { useEffect, useState, type FormEvent } from 'react';
import type { LicenseBridge } from './bridge';

const { license } = globalThis as typeof globalThis & { readonly license: LicenseBridge };

/** The view of an app that is not licensed; {@link Licensed} is the view of a licensed app. */
export function App() {
  const [state, setState] = useState<LicenseState>();
  const [key, setKey] = useState('');
  const [message, setMessage] = useState('');

  useEffect(() => {
    void license.state().then(setState);
    return license.onState(setState);
  }, []);

  async function activate(event: FormEvent): Promise<void> {
    event.preventDefault();
    const result = await license.activate(key);
    setMessage(
      result.status === 'licensed'
        ? ''
        : result.status === 'invalid_input'
          ? `The ${result.field} ${result.message}.`
          : `Not activated: ${result.status}`,
    );
  }

  if (state === undefined) return null;
  if (state.status === 'licensed') return <Licensed state={state} />;
  return (
    <form onSubmit={(event) => void activate(event)}>
      <label>
        License key <input value={key} onChange={({ target }) => setKey(target.value)} autoFocus />
      </label>
      <button>Activate</button>
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
