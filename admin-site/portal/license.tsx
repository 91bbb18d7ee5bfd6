/** @jsxImportSource preact */
import { useId, useState } from 'preact/hooks';
import { keyHint } from '../key-hint';
import { call, isSafe, type License } from './api';
import type { CardProps } from './buyer';
import { Devices } from './devices';
import { Label } from './label';
import { Leave, Members } from './members';
import { Numbers } from './numbers';
import { Offline } from './offline';
import { texts } from './texts';
import { Alert, Button, copy, dayOf, DAY_MS, distanceOf, Status, useRun } from './ui';

const words = texts.licenses;

/** A license can be renewed on the page in its last days, and after its end. */
const RENEW_DAYS = 30;

/** The license's status. A license past its expiry is expired, even if the service has not stored that status yet. */
export const statusOf = ({ status, expires_at }: License, now: number): License['status'] =>
  status === 'active' && expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : status;

/** @param folded whether only the head of the card is shown until the buyer opens it */
export function LicenseCard({ folded, ...props }: CardProps & { readonly folded: boolean }) {
  const heading = useId();
  const [isOpen, setOpen] = useState(false);
  const { license } = props;
  const now = Date.now();
  const status = statusOf(license, now);
  const renewal = renewalOf({ license, status, now });
  const head = (
    <span class="head-of-card">
      <span class="bar">
        <h3 id={heading}>
          <bdi>{license.license_type.name}</bdi>
          {license.label === null ? null : (
            <>
              {' · '}
              <bdi>{license.label}</bdi>
            </>
          )}
        </h3>
        <span class={`badge ${status}`}>{words.status[status]}</span>
      </span>
      <span class="dim">
        {[
          ...(license.key === null
            ? [texts.members.roles[license.role === 'manager' ? 'manager' : 'member']]
            : [words.keyHint(keyHint(license.key))]),
          words.bought(dayOf(license.created_at)),
          ...(license.order ? [words.order(license.order.order_id)] : []),
        ].join(' · ')}
      </span>
      {status === 'revoked' ? null : <Expiry license={license} now={now} />}
    </span>
  );
  return (
    <article class="card" aria-labelledby={heading}>
      {folded ? (
        <>
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{head}</summary>
            <Body {...props} status={status} renewal={renewal} />
          </details>
          {/* The card of a license that ends soon offers the renewal before the buyer opens it. */}
          {isOpen ? null : <Renewal to={renewal} />}
        </>
      ) : (
        <>
          {head}
          <Body {...props} status={status} renewal={renewal} />
        </>
      )}
    </article>
  );
}

interface BodyProps extends CardProps {
  readonly status: License['status'];
  /** The vendor's renewal page, if the license can be renewed now. */
  readonly renewal: string | null;
}

const Renewal = ({ to }: { readonly to: string | null }) =>
  to === null ? null : (
    <p>
      <a class="button main" href={to} rel="noreferrer noopener">
        {words.renew}
      </a>
    </p>
  );

function Body({ status, renewal, ...props }: BodyProps) {
  const { buyer, license } = props;
  const { allow } = buyer.front;
  const isBuyer = license.role === 'buyer';
  return (
    <div class="body-of-card">
      {status === 'revoked' ? null : <Numbers license={license} />}
      <Explanation {...props} status={status} />
      <Renewal to={renewal} />
      {status === 'revoked' || license.key === null ? null : (
        <Key {...props} status={status} licenseKey={license.key} isMain={renewal === null} />
      )}
      {status === 'revoked' && license.devices.length === 0 ? null : <Devices {...props} />}
      {allow.includes('members') && license.members !== null ? <Members {...props} /> : null}
      {isBuyer ? <Label {...props} /> : null}
      {allow.includes('offline') && status === 'active' ? <Offline {...props} /> : null}
      {isBuyer && allow.includes('reissue') && (status === 'active' || status === 'expired') ? <Replace {...props} /> : null}
      {isBuyer || license.member_id === null ? null : <Leave {...props} />}
    </div>
  );
}

function Expiry({ license: { expires_at, updates }, now }: { readonly license: License; readonly now: number }) {
  const said = expires_at !== null && (Date.parse(expires_at) > now ? words.expires : words.expired)(distanceOf(expires_at, now));
  return (
    <span class="dim">
      {expires_at === null ? (
        words.neverExpires
      ) : (
        <>
          {said} (<time dateTime={expires_at}>{dayOf(expires_at)}</time>)
        </>
      )}
      {updates.until === null ? null : ` · ${words.updatesUntil(dayOf(updates.until))}`}
    </span>
  );
}

/** Says what happened to a license that cannot be used, and what the buyer can do. */
function Explanation({ buyer, license, status }: Omit<BodyProps, 'renewal'>) {
  if (status === 'active') return null;
  const { support_url } = buyer.front;
  const text = status === 'expired' && license.renew_url !== null ? words.expiredRenew : words.explanation[status];
  return (
    <p class={`state ${status}`}>
      {text}
      {isSafe(support_url) ? (
        <>
          {' '}
          <a href={support_url} rel="noreferrer noopener">
            {words.contact}
          </a>
        </>
      ) : null}
    </p>
  );
}

/** The vendor's renewal page, if the license can be renewed now; otherwise null. A subscription that is still paid renews itself. */
function renewalOf({ license, status, now }: Pick<BodyProps, 'license' | 'status'> & { readonly now: number }): string | null {
  const { renew_url, expires_at, updates, license_type, order } = license;
  const ends = [expires_at, updates.until].flatMap((end) => (end === null ? [] : [Date.parse(end)]));
  const isSoon = ends.some((end) => end <= now + RENEW_DAYS * DAY_MS);
  const renewsItself = status === 'active' && license_type.kind === 'subscription' && order !== null;
  return isSafe(renew_url) && isSoon && !renewsItself ? renew_url : null;
}

/** @param isMain whether copying the key is the most important action of the card */
function Key({
  buyer,
  license,
  licenseKey,
  status,
  isMain,
}: Omit<BodyProps, 'renewal'> & { readonly licenseKey: string; readonly isMain: boolean }) {
  const [shown, setShown] = useState(false);
  const [note, setNote] = useState<string>();
  const run = useRun({ rate_limited: texts.errors.tooManyMails, license_revoked: texts.errors.licenseEnded }, buyer.isEnded);
  const copyKey = (): void =>
    run.start(async () => {
      const done = await copy(licenseKey);
      if (!done) setShown(true);
      setNote(done ? words.copied : words.notCopied);
    });
  const mail = (): void =>
    run.start(async () => {
      setNote(undefined);
      await call('POST', `/licenses/${license.id}/mail`, { session: buyer.session });
      setNote(words.keyMailed);
    });
  return (
    <section role="group" aria-label={words.key}>
      {shown ? <code class="key">{licenseKey}</code> : null}
      <div class="buttons">
        {status === 'active' ? (
          <Button kind={isMain ? 'main' : 'plain'} onClick={copyKey}>
            {words.copyKey}
          </Button>
        ) : null}
        <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? words.hideKey : words.showKey}
        </Button>
        <Button busy={run.busy} onClick={mail}>
          {words.mailKey}
        </Button>
      </div>
      <Status>{note}</Status>
      <Alert>{run.problem}</Alert>
    </section>
  );
}

function Replace({ buyer, license, onChange }: CardProps) {
  const [isAsked, setAsked] = useState(false);
  const [note, setNote] = useState<string>();
  const run = useRun({ license_revoked: texts.errors.licenseEnded, license_suspended: texts.errors.licenseEnded }, buyer.isEnded);
  const replace = (): void =>
    run.start(async () => {
      setNote(undefined);
      const { body } = await call<License>('POST', `/licenses/${license.id}/reissue`, { session: buyer.session });
      setAsked(false);
      setNote(words.replaced);
      onChange(body);
    });
  return (
    <>
      <details open={isAsked} onToggle={(event) => setAsked(event.currentTarget.open)}>
        <summary>{words.replaceKey}</summary>
        <p>{words.replaceHint}</p>
        <div class="buttons">
          <Button kind="bad" busy={run.busy} onClick={replace}>
            {words.replaceConfirm}
          </Button>
          <Button onClick={() => setAsked(false)}>{words.cancel}</Button>
        </div>
        <Alert>{run.problem}</Alert>
      </details>
      {/* The details close when the key is replaced. The note is outside the details, so that it stays visible. */}
      <Status>{note}</Status>
    </>
  );
}
