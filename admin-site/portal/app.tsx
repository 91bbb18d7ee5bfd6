/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { Activation, Decided } from './activation';
import { activation, noticed } from './address';
import { call, isSafe, Problem, stored, type Front } from './api';
import { Licenses } from './licenses';
import { LinkSignIn, SignIn } from './sign-in';
import { texts } from './texts';
import { readableOn, textOn } from '../../lambdas/domain/color';
import { shownSize } from '../../lambdas/contract/logo-size';
import { Alert, Button, Status, wordsFor } from './ui';

/** Why the session ended. */
type Ending = 'ended' | 'signed-out';

/** The token in a sign-in link. It is in the URL's fragment, because browsers do not send the fragment to a server. */
const tokenInAddress = (): string | undefined => /^#t=([\w-]{1,200})$/.exec(location.hash)?.[1];

/** The backgrounds with the least contrast to a link, in light and in dark mode (`tokens.css`). */
const LIGHT = '#f1f3f5';
const DARK = '#1f262d';

export function App() {
  const [front, setFront] = useState<Front>();
  const [problem, setProblem] = useState<unknown>();
  const [session, setSession] = useState(stored.get);
  const [ending, setEnding] = useState<Ending>();
  const [token, setToken] = useState(tokenInAddress);
  const [request, setRequest] = useState(activation.get);
  const [device, setDevice] = useState(noticed.get);

  const load = (): void => {
    setProblem(undefined);
    call<Front>('GET', '').then(
      ({ body }) => setFront(body),
      (error: unknown) => setProblem(error),
    );
  };
  useEffect(load, []);
  useEffect(() => {
    const look = (): void => {
      setToken(tokenInAddress());
      setRequest(activation.get());
      setDevice(noticed.get());
    };
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  useEffect(() => {
    if (!front) return;
    document.title = front.title;
    const { color } = front;
    if (color === null) return;
    const { style } = document.documentElement;
    style.setProperty('--accent-fill', color);
    style.setProperty('--on-fill', textOn(color));
    style.setProperty('--accent', `light-dark(${readableOn(LIGHT, color)}, ${readableOn(DARK, color)})`);
    style.setProperty('--accent-soft', `color-mix(in srgb, ${color} 12%, var(--surface))`);
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
  const keepRequest = (value: string | undefined): void => {
    activation.set(value);
    setRequest(value);
  };
  const keepDevice = (value: string | undefined): void => {
    noticed.set(value);
    setDevice(value);
  };
  const end = (why: Ending): void => {
    stored.set(undefined);
    // A buyer who has signed out begins again with the licenses.
    if (why === 'signed-out') [keepRequest, keepDevice].forEach((keep) => keep(undefined));
    setEnding(why);
    setSession(undefined);
  };
  const isEnded = (error: unknown): boolean => {
    const ended = error instanceof Problem && error.status === 401;
    if (ended) end('ended');
    return ended;
  };
  const [code, decision] = front.allow.includes('sign_in') ? (request?.split('=') ?? []) : [];
  const forget = (): void => {
    history.replaceState(null, '', location.pathname);
    setToken(undefined);
  };
  const isInside = token === undefined && session !== undefined;
  return (
    <div class={isInside ? 'shell' : 'shell small'}>
      <header class="head">
        <Logo logo={front.logo} />
        <h1>{front.title}</h1>
        {front.title === front.product ? null : <p>{front.product}</p>}
      </header>
      <main class="page">
        {token !== undefined ? (
          <LinkSignIn token={token} onSession={begin} onOther={forget} />
        ) : session !== undefined && code !== undefined ? (
          decision === undefined ? (
            <Activation
              key={code}
              buyer={{ front, session, isEnded }}
              code={code}
              onDecided={(decided) => keepRequest(`${code}=${decided}`)}
              onLeft={() => keepRequest(undefined)}
            />
          ) : (
            <Decided decision={decision} onLeft={() => keepRequest(undefined)} />
          )
        ) : session !== undefined ? (
          <Licenses
            key={session}
            buyer={{ front, session, isEnded }}
            device={device}
            onCode={keepRequest}
            onDeviceSeen={() => keepDevice(undefined)}
            onSignedOut={() => end('signed-out')}
          />
        ) : (
          <>
            <Status>
              {ending === 'ended'
                ? texts.signIn.ended
                : ending === 'signed-out'
                  ? texts.signIn.signedOut
                  : code !== undefined && decision === undefined
                    ? texts.activation.signInFirst(code)
                    : null}
            </Status>
            <SignIn onSession={begin} />
          </>
        )}
      </main>
      <Foot front={front} />
    </div>
  );
}

/** The vendor's logo. The title says the same, so screen readers skip it. If the image can't be loaded, nothing is shown. */
function Logo({ logo }: { readonly logo: Front['logo'] }) {
  const [isBroken, setBroken] = useState(false);
  if (!logo || isBroken) return null;
  return <img class="logo" src={logo.path} alt="" {...shownSize(logo)} onError={() => setBroken(true)} />;
}

function Foot({ front }: { readonly front: Front }) {
  const links = (['support_url', 'shop_url', 'imprint_url', 'privacy_url'] as const).filter((name) => isSafe(front[name]));
  if (links.length === 0) return null;
  return (
    <footer class="foot">
      {links.map((name) => (
        <a key={name} href={front[name] ?? ''} rel="noreferrer noopener">
          {texts.links[name]}
        </a>
      ))}
    </footer>
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
