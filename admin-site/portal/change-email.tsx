/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { call } from './api';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, Button, codeInput, digitsOf, emailInput, Field, Status, useRun } from './ui';

const words = texts.email;

/**
 * Whether the session is still valid. The service responds with 401 if the code is wrong, and also if the session has ended. After a 401,
 * this function therefore sends another request: if that request succeeds, the code was wrong.
 */
async function isSessionLive(session: string): Promise<boolean> {
  try {
    await call('GET', '/licenses?limit=1', { session });
    return true;
  } catch (error) {
    if (isUnauthorized(error)) return false;
    throw error;
  }
}

export function ChangeEmail({
  buyer: { session, isEnded },
  onMoved,
}: {
  readonly buyer: Buyer;
  readonly onMoved: (address: string) => void;
}) {
  const [address, setAddress] = useState('');
  const [requested, setRequested] = useState<string>();
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState(false);
  const [done, setDone] = useState<string>();
  const request = useRun({ invalid_request: texts.errors.badAddress }, isEnded);
  const confirmation = useRun({ invalid_request: texts.errors.wrongCode }, isEnded);

  const send = (event: Event): void => {
    event.preventDefault();
    request.start(async () => {
      await call('POST', '/email', { session, body: { email: address.trim() } });
      setDone(undefined);
      setWrong(false);
      setRequested(address.trim());
    });
  };
  const confirm = (event: Event): void => {
    event.preventDefault();
    confirmation.start(async () => {
      setWrong(false);
      try {
        const { body } = await call<{ email: string }>('POST', '/email/confirm', {
          session,
          body: { email: requested, code: digitsOf(code) },
        });
        setDone(body.email);
        onMoved(body.email);
        setRequested(undefined);
        setAddress('');
        setCode('');
      } catch (error) {
        if (!isUnauthorized(error) || !(await isSessionLive(session))) throw error;
        setWrong(true);
      }
    });
  };
  return (
    <details class="card">
      <summary>{words.heading}</summary>
      <p>{words.hint}</p>
      <form onSubmit={send}>
        <Field id="new-address" label={words.address} value={address} onValue={setAddress} input={emailInput} />
        <Alert>{request.problem}</Alert>
        <Button type="submit" busy={request.busy}>
          {words.send}
        </Button>
      </form>
      <Status>{requested !== undefined ? words.sent(requested) : done !== undefined ? words.done(done) : null}</Status>
      {requested === undefined ? null : (
        <form onSubmit={confirm}>
          <Field id="new-code" label={words.code} value={code} onValue={setCode} input={codeInput} />
          <Alert>{wrong ? texts.errors.wrongCode : confirmation.problem}</Alert>
          <Button kind="main" type="submit" busy={confirmation.busy}>
            {words.confirm}
          </Button>
        </form>
      )}
    </details>
  );
}

const isUnauthorized = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 401;
