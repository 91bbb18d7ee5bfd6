/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { call, Problem, stored, type Front } from './api';
import { Licenses } from './licenses';
import { LinkSignIn, SignIn } from './sign-in';
import { texts } from './texts';
import { textOn } from './color';
import { Alert, Button, Status, wordsFor } from './ui';

/** Why the session ended. */
type Ending = 'ended' | 'signed-out';

/** The token in a sign-in link. It is in the URL's fragment, because browsers do not send the fragment to a server. */
const tokenInAddress = (): string | undefined => /^#t=([\w-]{1,200})$/.exec(location.hash)?.[1];

/** Whether a support link is safe to open. The service checks this as well, but the page does not rely on that. */
const isSafe = (url: string): boolean => /^(https|mailto):/i.test(url);

export function App() {
  const [front, setFront] = useState<Front>();
  const [problem, setProblem] = useState<unknown>();
  const [session, setSession] = useState(stored.get);
  const [ending, setEnding] = useState<Ending>();
  const [token, setToken] = useState(tokenInAddress);

  const load = (): void => {
    setProblem(undefined);
    call<Front>('GET', '').then(
      ({ body }) => setFront(body),
      (error: unknown) => setProblem(error),
    );
  };
  useEffect(load, []);
  useEffect(() => {
    const look = (): void => setToken(tokenInAddress());
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  useEffect(() => {
    if (!front) return;
    document.title = front.title;
    if (front.color === null) return;
    document.documentElement.style.setProperty('--accent-fill', front.color);
    document.documentElement.style.setProperty('--on-fill', textOn(front.color));
  }, [front]);

  if (problem !== undefined) return <Failed problem={problem} onAgain={load} />;
  if (!front)
    return (
      <main class="page">
        <p role="status">{texts.loading}</p>
      </main>
    );

  const begin = (begun: string): void => {
    stored.set(begun);
    // The token has been used, and must not stay in the browser's history.
    history.replaceState(null, '', location.pathname);
    setToken(undefined);
    setEnding(undefined);
    setSession(begun);
  };
  const end = (why: Ending): void => {
    stored.set(undefined);
    setEnding(why);
    setSession(undefined);
  };
  const forget = (): void => {
    history.replaceState(null, '', location.pathname);
    setToken(undefined);
  };
  return (
    <>
      <header class="head">
        <h1>{front.title}</h1>
        {front.title === front.product ? null : <p>{front.product}</p>}
      </header>
      <main class="page">
        {token !== undefined ? (
          <LinkSignIn token={token} onSession={begin} onOther={forget} />
        ) : session !== undefined ? (
          <Licenses key={session} front={front} session={session} onEnded={() => end('ended')} onSignedOut={() => end('signed-out')} />
        ) : (
          <>
            <Status>{ending === 'ended' ? texts.signIn.ended : ending === 'signed-out' ? texts.signIn.signedOut : null}</Status>
            <SignIn onSession={begin} />
          </>
        )}
      </main>
      {front.support_url !== null && isSafe(front.support_url) ? (
        <footer class="foot">
          <a href={front.support_url} rel="noreferrer noopener">
            {texts.help}
          </a>
        </footer>
      ) : null}
    </>
  );
}

function Failed({ problem, onAgain }: { readonly problem: unknown; readonly onAgain: () => void }) {
  const isUnknown = problem instanceof Problem && problem.status === 404;
  return (
    <main class="page">
      <h1 class="quiet">{document.title}</h1>
      <Alert>{isUnknown ? texts.errors.notFound : wordsFor(problem)}</Alert>
      {isUnknown ? null : (
        <Button kind="main" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
      )}
    </main>
  );
}
