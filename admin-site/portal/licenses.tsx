/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { call, Problem, type Front, type License } from './api';
import { ChangeEmail } from './change-email';
import { Downloads } from './downloads';
import { LicenseCard } from './license';
import { texts } from './texts';
import { Alert, Button, Heading, useRun, wordsFor } from './ui';

export function Licenses({
  front,
  session,
  onEnded,
  onSignedOut,
}: {
  readonly front: Front;
  readonly session: string;
  readonly onEnded: () => void;
  readonly onSignedOut: () => void;
}) {
  const [licenses, setLicenses] = useState<readonly License[]>();
  const [next, setNext] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const isEnded = (error: unknown): boolean => {
    const ended = error instanceof Problem && error.status === 401;
    if (ended) onEnded();
    return ended;
  };
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
    read('/licenses').catch((error: unknown) => {
      if (!isEnded(error)) setProblem(error);
    });
  };
  useEffect(load, [session]);
  const signOut = (): void =>
    out.start(async () => {
      await call('DELETE', '/sessions', { session });
      onSignedOut();
    });
  const change = (changed: License): void => setLicenses((all) => all?.map((one) => (one.id === changed.id ? changed : one)));

  return (
    <>
      <div class="bar">
        <Heading>{texts.licenses.heading}</Heading>
        <Button busy={out.busy} onClick={signOut}>
          {texts.licenses.signOut}
        </Button>
      </div>
      <Alert>{out.problem}</Alert>
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
          {licenses.map((license) => (
            <li key={license.id}>
              <LicenseCard buyer={{ front, session, isEnded }} license={license} onChange={change} />
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
      {front.allow.includes('downloads') ? <Downloads buyer={{ front, session, isEnded }} /> : null}
      {front.allow.includes('change_email') && licenses && licenses.length > 0 ? <ChangeEmail buyer={{ front, session, isEnded }} /> : null}
    </>
  );
}
