/** @jsxImportSource preact */
import { useEffect, useId, useState } from 'preact/hooks';
import { reportedName } from '../../lambdas/contract/reported-name';
import type { OfferedLicenseView } from '../../lambdas/contract/activation-requests';
import { platformName } from '../../lambdas/contract/platform-name';
import { call } from './api';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, Button, countryOf, dayOf, Field, Heading, minutesSince, useRun } from './ui';

/** The page on which a buyer approves or denies an app's request to be activated (docs/spec/sign-in.md, The page). */

const words = texts.activation;
const { errors } = texts;

interface Asked {
  readonly user_code: string;
  readonly device: { readonly name: string; readonly platform: string; readonly country: string | null };
  readonly requested_at: string;
  readonly licenses: readonly OfferedLicenseView[];
}

/** The form in which the buyer enters the code that an app shows. */
export function EnterCode({ onCode }: { readonly onCode: (code: string) => void }) {
  const id = useId();
  const [code, setCode] = useState('');
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        onCode(code.trim());
      }}
    >
      <h3>{words.enterHeading}</h3>
      <p>{words.enterHint}</p>
      <Field
        id={id}
        label={words.code}
        value={code}
        onValue={setCode}
        input={{ autocomplete: 'off', autocapitalize: 'characters', spellcheck: false, maxLength: 40, class: 'code' }}
      />
      <Button kind="main" type="submit">
        {words.next}
      </Button>
    </form>
  );
}

export function Activation({
  buyer,
  code,
  onDecided,
  onLeft,
}: {
  readonly buyer: Buyer;
  readonly code: string;
  readonly onDecided: (decision: 'approved' | 'denied') => void;
  readonly onLeft: () => void;
}) {
  const [asked, setAsked] = useState<Asked>();
  const { session } = buyer;
  const run = useRun({ not_found: words.unknown, rate_limited: words.locked }, buyer.isEnded);
  const look = (): void =>
    run.start(async () =>
      setAsked((await call<Asked>('POST', '/activation-requests/lookup', { session, body: { user_code: code } })).body),
    );
  useEffect(look, [session, code]);
  return (
    <div class="card">
      <Heading>{words.heading}</Heading>
      {asked ? (
        <Request key={asked.user_code} buyer={buyer} asked={asked} onDecided={onDecided} />
      ) : (
        <>
          {run.busy ? <p role="status">{texts.loading}</p> : null}
          <Alert>{run.problem}</Alert>
          {run.busy ? null : <Button onClick={look}>{texts.tryAgain}</Button>}
        </>
      )}
      <Button onClick={onLeft}>{words.leave}</Button>
    </div>
  );
}

function Request({
  buyer,
  asked,
  onDecided,
}: {
  readonly buyer: Buyer;
  readonly asked: Asked;
  readonly onDecided: (decision: 'approved' | 'denied') => void;
}) {
  const { licenses, user_code } = asked;
  const mayReplace = buyer.front.allow.includes('free_devices');
  const usable = licenses.filter((license) => license.status === 'active' && (mayReplace || !license.full));
  const [chosen, setChosen] = useState(usable.length === 1 ? usable[0]?.id : undefined);
  const [replace, setReplace] = useState('');
  const license = licenses.find(({ id }) => id === chosen);
  const needsDevice = license !== undefined && license.full;
  const run = useRun(
    {
      not_found: words.unknown,
      rate_limited: words.locked,
      no_seats: errors.noSeats,
      too_many_devices: words.tooManyDevices,
      too_many_user_devices: words.tooManyOwnDevices,
      too_many_frees: errors.tooManyFrees,
      release_not_covered: words.notCovered,
      license_expired: errors.licenseEnded,
      license_revoked: errors.licenseEnded,
      license_suspended: errors.licenseEnded,
    },
    buyer.isEnded,
  );
  const decide = (body: object): void =>
    run.start(async () => {
      const { body: result } = await call<{ status: 'approved' | 'denied' }>('POST', '/activation-requests/decision', {
        session: buyer.session,
        body: { user_code, ...body },
      });
      onDecided(result.status);
    });
  const approve = (event: Event): void => {
    event.preventDefault();
    if (license) decide({ decision: 'approve', license_id: license.id, ...(needsDevice && replace !== '' && { replace }) });
  };
  return (
    <form onSubmit={approve}>
      <div>
        <p>
          <Asks product={buyer.front.product} asked={asked} />
        </p>
        <p class="dim">{words.reported}</p>
      </div>
      <p class="bigcode">{user_code}</p>
      <p>
        <strong>{words.compare}</strong>
      </p>
      <p class="warning">{words.warning}</p>
      {licenses.length === 0 ? <p>{texts.licenses.none}</p> : null}
      {licenses.length > 0 && usable.length === 0 ? <p>{words.noneUsable}</p> : null}
      {usable.length > 0 ? (
        <fieldset>
          <legend>{words.license}</legend>
          {usable.map((one) => (
            <label key={one.id} class="choice">
              <input
                type="radio"
                name="license"
                required
                checked={one.id === chosen}
                onChange={() => {
                  setChosen(one.id);
                  setReplace('');
                }}
              />
              <span>
                <bdi class="name">{one.license_type.name}</bdi>
                <span class="dim">
                  {' '}
                  {one.bound ? words.bound : one.full ? words.full : texts.licenses.seats(one.seats.used, one.seats.max)}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      ) : null}
      {needsDevice ? <Replaced license={license} value={replace} onValue={setReplace} /> : null}
      <Alert>{run.problem}</Alert>
      <div class="buttons">
        {usable.length > 0 ? (
          <Button kind="main" type="submit" busy={run.busy}>
            {words.approve}
          </Button>
        ) : null}
        <Button busy={run.busy} onClick={() => decide({ decision: 'deny' })}>
          {words.deny}
        </Button>
      </div>
    </form>
  );
}

/** What asks, in one sentence. The texts from the app are in quotation marks, and can't change the direction of the text around them. */
function Asks({ product, asked: { device, requested_at } }: { readonly product: string; readonly asked: Asked }) {
  const reported = [device.name, platformName(device.platform)].map(reportedName).filter(Boolean).map(words.quoted);
  return (
    <>
      {words.appOn(product)} <bdi>{reported.length === 0 ? words.unnamed : reported.join(', ')}</bdi>
      {`, ${device.country === null ? words.noCountry : countryOf(device.country)}, ${words.asked(minutesSince(requested_at))}`}
    </>
  );
}

/** The choice of the device whose seat the new device takes. */
function Replaced({
  license,
  value,
  onValue,
}: {
  readonly license: OfferedLicenseView;
  readonly value: string;
  readonly onValue: (ref: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{words.replace}</label>
      <select id={id} required value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{words.choose}</option>
        {license.devices.map(({ ref, name, platform, last_seen_on }) => (
          <option key={ref} value={ref}>
            {[
              reportedName(name || platformName(platform)) || texts.licenses.unnamed,
              ...(last_seen_on === null ? [] : [texts.licenses.lastSeen(dayOf(last_seen_on))]),
            ].join(', ')}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The end of a request. It sends the buyer back to the app. */
export function Decided({ decision, onLeft }: { readonly decision: string; readonly onLeft: () => void }) {
  return (
    <div class="card narrow">
      <Heading>{decision === 'approved' ? words.approved : words.denied}</Heading>
      <p>{decision === 'approved' ? words.approvedHint : words.deniedHint}</p>
      <Button onClick={onLeft}>{words.leave}</Button>
    </div>
  );
}
