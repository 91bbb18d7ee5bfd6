/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { EnterCode } from './activation';
import { call, type License } from './api';
import type { Buyer } from './buyer';
import { ChangeEmail } from './change-email';
import { Downloads } from './downloads';
import { LicenseCard, statusOf } from './license';
import { NoticedDevice } from './noticed-device';
import { Orders } from './orders';
import { texts } from './texts';
import { Alert, Button, Heading, useRun, wordsFor } from './ui';

/** With more licenses than this, their cards are folded. */
const MAX_OPEN = 3;

/** Active licenses come first. Otherwise the list is as the service returns it, with the newest first. */
function sorted(licenses: readonly License[]): readonly License[] {
  const now = Date.now();
  const isActive = (license: License): number => Number(statusOf(license, now) === 'active');
  return [...licenses].sort((a, b) => isActive(b) - isActive(a));
}

export function Licenses({
  buyer,
  device,
  onCode,
  onDeviceSeen,
  onSignedOut,
}: {
  readonly buyer: Buyer;
  /** The device about which the buyer got a mail: the license's id, a dot, and the device's ref. */
  readonly device: string | undefined;
  /** The buyer has entered the code of an app that asks to be activated. */
  readonly onCode: (code: string) => void;
  readonly onDeviceSeen: () => void;
  readonly onSignedOut: () => void;
}) {
  const { front, session, isEnded } = buyer;
  const [email, setEmail] = useState<string>();
  const [licenses, setLicenses] = useState<readonly License[]>();
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const more = useRun(undefined, isEnded);
  const out = useRun(undefined, isEnded);

  const read = async (path: string): Promise<void> => {
    const page = await call<License[]>('GET', path, { session });
    // The page is added to the list as it is now: the buyer may have changed a license in the list while the page was read.
    setLicenses((all = []) => [...all, ...page.body]);
    setNext(page.next);
  };
  const load = (): void => {
    setProblem(undefined);
    const known = call<{ email: string }>('GET', '/sessions', { session }).then(({ body }) => setEmail(body.email));
    Promise.all([known, read('/licenses')]).catch((error: unknown) => {
      if (!isEnded(error)) setProblem(error);
    });
  };
  useEffect(load, [session]);
  const signOut = (): void =>
    out.start(async () => {
      await call('DELETE', '/sessions', { session });
      onSignedOut();
    });
  const reload = (): void => {
    setLicenses(undefined);
    load();
  };
  const change = (changed: License): void => setLicenses((all) => all?.map((one) => (one.id === changed.id ? changed : one)));

  return (
    <>
      <div class="bar">
        <div>
          <Heading>{texts.licenses.heading}</Heading>
          {email === undefined ? null : <p class="dim">{texts.licenses.signedInAs(email)}</p>}
        </div>
        <Button busy={out.busy} onClick={signOut}>
          {texts.licenses.signOut}
        </Button>
      </div>
      <Alert>{out.problem}</Alert>
      {device !== undefined && licenses ? (
        <NoticedDevice key={device} buyer={buyer} device={device} licenses={licenses} onFreed={reload} onLeft={onDeviceSeen} />
      ) : null}
      {problem !== undefined ? (
        <>
          <Alert>{wordsFor(problem)}</Alert>
          <Button kind="main" onClick={load}>
            {texts.tryAgain}
          </Button>
        </>
      ) : !licenses ? (
        <p role="status">{texts.loading}</p>
      ) : licenses.length === 0 ? (
        <div class="card">
          <p>{texts.licenses.none}</p>
          <p>{texts.licenses.noneHint}</p>
        </div>
      ) : (
        <ul class="list">
          {sorted(licenses).map((license) => (
            <li key={license.id}>
              <LicenseCard buyer={buyer} license={license} onChange={change} onLeft={reload} folded={licenses.length > MAX_OPEN} />
            </li>
          ))}
        </ul>
      )}
      {next !== undefined && licenses ? (
        <Button busy={more.busy} onClick={() => more.start(() => read(next))}>
          {texts.licenses.more}
        </Button>
      ) : null}
      <Alert>{more.problem}</Alert>
      {front.allow.includes('sign_in') ? <EnterCode onCode={onCode} /> : null}
      {front.allow.includes('downloads') ? <Downloads buyer={buyer} /> : null}
      <Orders buyer={buyer} licenses={licenses ?? []} />
      {front.allow.includes('change_email') && licenses?.some(({ role }) => role === 'buyer') ? (
        <ChangeEmail buyer={buyer} onMoved={setEmail} />
      ) : null}
    </>
  );
}
