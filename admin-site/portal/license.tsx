/** @jsxImportSource preact */
import { useId, useState } from 'preact/hooks';
import { call, pagesOf, type License } from './api';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, Button, copy, dayOf, distanceOf, Status, useRun } from './ui';

const words = texts.licenses;

interface CardProps {
  readonly buyer: Buyer;
  readonly license: License;
  readonly onChange: (license: License) => void;
}

/** The license's status. A license past its expiry is expired, even if the service has not stored that status yet. */
const statusOf = ({ status, expires_at }: License, now: number): License['status'] =>
  status === 'active' && expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : status;

export function LicenseCard({ buyer, license, onChange }: CardProps) {
  const heading = useId();
  const now = Date.now();
  const status = statusOf(license, now);
  return (
    <article class="card" aria-labelledby={heading}>
      <div class="bar">
        <h3 id={heading}>
          <bdi>{license.license_type.name}</bdi>
        </h3>
        <span class={`badge ${status}`}>{words.status[status]}</span>
      </div>
      <p class="dim">
        {[words.bought(dayOf(license.created_at)), ...(license.order ? [words.order(license.order.order_id)] : [])].join(' · ')}
      </p>
      <Expiry license={license} now={now} />
      {status === 'suspended' ? <p>{words.suspendedHint}</p> : null}
      <Key buyer={buyer} license={license} />
      <Devices buyer={buyer} license={license} onChange={onChange} />
      {buyer.front.allow.includes('offline') && status === 'active' ? (
        <Offline buyer={buyer} license={license} onChange={onChange} />
      ) : null}
      {buyer.front.allow.includes('reissue') && (status === 'active' || status === 'expired') ? (
        <Replace buyer={buyer} license={license} onChange={onChange} />
      ) : null}
    </article>
  );
}

function Expiry({ license: { expires_at, updates }, now }: { readonly license: License; readonly now: number }) {
  const said = expires_at !== null && (Date.parse(expires_at) > now ? words.expires : words.expired)(distanceOf(expires_at, now));
  return (
    <p class="dim">
      {expires_at === null ? (
        words.neverExpires
      ) : (
        <>
          {said} (<time dateTime={expires_at}>{dayOf(expires_at)}</time>)
        </>
      )}
      {updates.until === null ? null : ` · ${words.updatesUntil(dayOf(updates.until))}`}
    </p>
  );
}

function Key({ buyer, license }: Omit<CardProps, 'onChange'>) {
  const [shown, setShown] = useState(false);
  const [note, setNote] = useState<string>();
  const run = useRun({ rate_limited: texts.errors.tooManyMails, license_revoked: texts.errors.licenseEnded }, buyer.isEnded);
  const copyKey = (): void =>
    run.start(async () => {
      const done = await copy(license.key);
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
    <section aria-label={words.key}>
      {shown ? <code class="key">{license.key}</code> : null}
      <div class="buttons">
        <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? words.hideKey : words.showKey}
        </Button>
        <Button kind="main" onClick={copyKey}>
          {words.copyKey}
        </Button>
        {license.status === 'revoked' ? null : (
          <Button busy={run.busy} onClick={mail}>
            {words.mailKey}
          </Button>
        )}
      </div>
      <Status>{note}</Status>
      <Alert>{run.problem}</Alert>
    </section>
  );
}

function Devices({ buyer, license, onChange }: CardProps) {
  const heading = useId();
  const [note, setNote] = useState<string>();
  const run = useRun({ too_many_frees: texts.errors.tooManyFrees }, buyer.isEnded);
  const { seats, devices, frees_left } = license;
  const mayFree = buyer.front.allow.includes('free_devices');
  const nameOf = ({ name, platform }: License['devices'][number]): string => name || platform || words.unnamed;
  const free = (device: License['devices'][number]): void =>
    run.start(async () => {
      setNote(undefined);
      await call('DELETE', `/licenses/${license.id}/devices/${encodeURIComponent(device.ref)}`, { session: buyer.session });
      onChange({
        ...license,
        devices: devices.filter(({ ref }) => ref !== device.ref),
        seats: { ...seats, used: Math.max(0, seats.used - 1) },
        frees_left: frees_left === null ? null : Math.max(0, frees_left - 1),
      });
      setNote(words.freed(nameOf(device)));
    });
  return (
    <section aria-labelledby={heading}>
      <h4 id={heading}>{words.devices}</h4>
      <p>{words.seats(seats.used, seats.max)}</p>
      {seats.max > 0 ? <progress max={seats.max} value={Math.min(seats.used, seats.max)} aria-labelledby={heading} /> : null}
      {devices.length === 0 ? <p class="dim">{words.noDevices}</p> : null}
      <ul class="devices">
        {devices.map((device) => (
          <li key={device.ref}>
            <div>
              <bdi class="name">{nameOf(device)}</bdi>
              <p class="dim">
                {device.name && device.platform ? (
                  <>
                    <bdi>{device.platform}</bdi>
                    {' · '}
                  </>
                ) : null}
                {device.last_seen_on === null ? words.activated(dayOf(device.activated_at)) : words.lastSeen(dayOf(device.last_seen_on))}
              </p>
            </div>
            {mayFree && frees_left !== 0 ? (
              <Button busy={run.busy} aria-label={words.freeOf(nameOf(device))} onClick={() => free(device)}>
                {words.free}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayFree && devices.length > 0 && frees_left !== null ? (
        <p class="dim">{frees_left === 0 ? words.noFreesLeft : words.freesLeft(frees_left)}</p>
      ) : null}
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

function Offline({ buyer, license, onChange }: CardProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [response, setResponse] = useState<string>();
  const [note, setNote] = useState<string>();
  const { errors } = texts;
  const run = useRun(
    {
      invalid_request: errors.badRequest,
      no_seats: errors.noSeats,
      too_many_devices: errors.noSeats,
      license_expired: errors.licenseEnded,
      license_revoked: errors.licenseEnded,
      license_suspended: errors.licenseEnded,
    },
    buyer.isEnded,
  );
  const make = (event: Event): void => {
    event.preventDefault();
    run.start(async () => {
      setResponse(undefined);
      setNote(undefined);
      const path = `/licenses/${license.id}/offline`;
      const { body } = await call<{ response: string }>('POST', path, { session: buyer.session, body: { request: text } });
      setResponse(body.response);
      // The device has taken a seat, so the license is read again. The API returns licenses only in lists.
      for await (const page of pagesOf<License>('/licenses', buyer.session)) {
        const changed = page.find(({ id: other }) => other === license.id);
        if (changed) return onChange(changed);
      }
    });
  };
  return (
    <details>
      <summary>{words.offline}</summary>
      <p>{words.offlineHint}</p>
      <form onSubmit={make}>
        <div class="field">
          <label for={id}>{words.offlineRequest}</label>
          <textarea id={id} rows={4} required spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </div>
        <Alert>{run.problem}</Alert>
        <Button kind="main" type="submit" busy={run.busy}>
          {words.offlineMake}
        </Button>
      </form>
      {response === undefined ? null : (
        <div class="field">
          <label for={`${id}-response`}>{words.offlineResponse}</label>
          <textarea id={`${id}-response`} rows={6} readOnly value={response} />
          <Button onClick={() => void copy(response).then((done) => setNote(done ? words.copied : words.notCopied))}>{words.copy}</Button>
        </div>
      )}
      <Status>{note}</Status>
    </details>
  );
}
