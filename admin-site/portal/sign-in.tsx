/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { call } from './api';
import { texts } from './texts';
import { Alert, Button, codeInput, CODE_DIGITS, digitsOf, emailInput, Field, Heading, Status, useRun } from './ui';

interface Begun {
  readonly session: string;
}

const words = texts.signIn;
/** Seconds after which the buyer can request another code. */
const AGAIN_SECONDS = 30;

/** The e-mail address for which a code was requested. The browser's history stores it, so that the back button leads to the first step. */
const addressInHistory = (): string | undefined => {
  const { address } = (history.state ?? {}) as { address?: unknown };
  return typeof address === 'string' ? address : undefined;
};

export function SignIn({ onSession }: { readonly onSession: (session: string) => void }) {
  const [address, setAddress] = useState(addressInHistory);
  useEffect(() => {
    const look = (): void => setAddress(addressInHistory());
    addEventListener('popstate', look);
    return () => removeEventListener('popstate', look);
  }, []);
  const request = (to: string): void => {
    history.pushState({ address: to }, '', location.pathname);
    setAddress(to);
  };
  const other = (): void => {
    history.pushState(null, '', location.pathname);
    setAddress(undefined);
  };
  return address === undefined ? (
    <AddressStep onRequested={request} />
  ) : (
    <CodeStep key={address} address={address} onSession={onSession} onOther={other} />
  );
}

function AddressStep({ onRequested }: { readonly onRequested: (address: string) => void }) {
  const [address, setAddress] = useState('');
  const run = useRun({ invalid_request: texts.errors.badAddress });
  const submit = (event: Event): void => {
    event.preventDefault();
    run.start(async () => {
      await call('POST', '/codes', { body: { email: address.trim() } });
      onRequested(address.trim());
    });
  };
  return (
    <form class="card" onSubmit={submit}>
      <Heading>{words.signIn}</Heading>
      <p>{words.intro}</p>
      <Field id="address" label={words.address} value={address} onValue={setAddress} input={{ ...emailInput, name: 'email' }} />
      <Alert>{run.problem}</Alert>
      <Button kind="main" type="submit" busy={run.busy}>
        {words.sendCode}
      </Button>
    </form>
  );
}

function CodeStep({
  address,
  onSession,
  onOther,
}: {
  readonly address: string;
  readonly onSession: (session: string) => void;
  readonly onOther: () => void;
}) {
  const [code, setCode] = useState('');
  const run = useRun({ unauthorized: texts.errors.wrongCode, invalid_request: texts.errors.wrongCode });
  const signIn = (digits: string): void =>
    run.start(async () => {
      const { body } = await call<Begun>('POST', '/sessions', { body: { email: address, code: digits } });
      onSession(body.session);
    });
  const enter = (value: string): void => {
    setCode(value);
    // If the buyer pastes a code, or the browser fills it in, the code is complete, so the form is submitted without a click.
    if (digitsOf(value).length === CODE_DIGITS && digitsOf(code).length !== CODE_DIGITS) signIn(digitsOf(value));
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        signIn(digitsOf(code));
      }}
    >
      <Heading>{words.code}</Heading>
      <p>{words.codeSent(address)}</p>
      <Field id="code" label={words.code} value={code} onValue={enter} input={{ ...codeInput, name: 'code' }} />
      <Alert>{run.problem}</Alert>
      <Button kind="main" type="submit" busy={run.busy}>
        {words.signIn}
      </Button>
      <SendAgain address={address} />
      <Button onClick={onOther}>{words.otherAddress}</Button>
      <details>
        <summary>{words.noMail}</summary>
        <ul>
          {words.noMailHints.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
        </ul>
      </details>
    </form>
  );
}

function SendAgain({ address }: { readonly address: string }) {
  const [sentAt, setSentAt] = useState(Date.now);
  const [now, setNow] = useState(sentAt);
  const [sent, setSent] = useState(false);
  const run = useRun();
  // The time is read at each tick, because browsers slow down or stop the timers of a page that is not visible. The buyer leaves the page to
  // read the mail. If the clock was set back, the wait still ends.
  const left = Math.min(AGAIN_SECONDS, Math.ceil((sentAt + AGAIN_SECONDS * 1000 - now) / 1000));
  const isWaiting = left > 0;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const tick = (): void => setNow(Date.now());
    const timer = setInterval(tick, 1000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [isWaiting]);
  const send = (): void =>
    run.start(async () => {
      setSent(false);
      await call('POST', '/codes', { body: { email: address } });
      setSent(true);
      const at = Date.now();
      setSentAt(at);
      setNow(at);
    });
  return (
    <>
      <Button busy={run.busy} aria-disabled={isWaiting} onClick={isWaiting ? undefined : send}>
        {isWaiting ? words.sendAgainIn(left) : words.sendAgain}
      </Button>
      <Status>{sent ? words.sentAgain : null}</Status>
      <Alert>{run.problem}</Alert>
    </>
  );
}

/**
 * The page that a sign-in link opens. The page signs the buyer in only after a click: some programs open every link in a mail, and would
 * otherwise use up the link's token.
 */
export function LinkSignIn({
  token,
  onSession,
  onOther,
}: {
  readonly token: string;
  readonly onSession: (session: string) => void;
  readonly onOther: () => void;
}) {
  const run = useRun({ unauthorized: texts.errors.deadLink });
  const signIn = (): void =>
    run.start(async () => {
      const { body } = await call<Begun>('POST', '/sessions', { body: { token } });
      onSession(body.session);
    });
  return (
    <div class="card">
      <Heading>{words.signIn}</Heading>
      <p>{words.linkReady}</p>
      <Alert>{run.problem}</Alert>
      <Button kind="main" busy={run.busy} onClick={signIn}>
        {words.signIn}
      </Button>
      <Button onClick={onOther}>{words.sendCode}</Button>
    </div>
  );
}
