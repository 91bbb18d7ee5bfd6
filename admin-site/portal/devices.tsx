/** @jsxImportSource preact */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { platformName } from '../../lambdas/contract/platform-name';
import { call, type License } from './api';
import type { CardProps } from './buyer';
import { texts } from './texts';
import { Alert, Button, dayOf, Status, useRun } from './ui';

const words = texts.licenses;

type Device = License['devices'][number];

const nameOf = ({ name, platform }: Device): string => name || platformName(platform) || words.unnamed;

export function Devices({ buyer, license, onChange }: CardProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [note, setNote] = useState<string>();
  const run = useRun({ too_many_frees: texts.errors.tooManyFrees }, buyer.isEnded);
  const { seats, devices, frees_left } = license;
  // The seats of a license for named people are its members.
  const isOfPeople = license.role !== 'buyer' || license.members !== null;
  const mayFree = buyer.front.allow.includes('free_devices');
  const free = (device: Device): void =>
    run.start(async () => {
      setNote(undefined);
      await call('DELETE', `/licenses/${license.id}/devices/${encodeURIComponent(device.ref)}`, { session: buyer.session });
      onChange({
        ...license,
        devices: devices.filter(({ ref }) => ref !== device.ref),
        seats: isOfPeople ? seats : { ...seats, used: Math.max(0, seats.used - 1) },
        frees_left: frees_left === null ? null : Math.max(0, frees_left - 1),
      });
      setNote(words.freed(nameOf(device)));
      // The button that had the focus is gone.
      heading.current?.focus();
    });
  return (
    <section role="group" aria-labelledby={id}>
      <h4 id={id} ref={heading} tabIndex={-1}>
        {words.devices}
      </h4>
      {isOfPeople ? null : <p>{words.seats(seats.used, seats.max)}</p>}
      {!isOfPeople && seats.max > 0 ? <progress max={seats.max} value={Math.min(seats.used, seats.max)} aria-labelledby={id} /> : null}
      {devices.length === 0 ? <p class="dim">{words.noDevices}</p> : null}
      <ul class="devices">
        {devices.map((device) => (
          <DeviceRow key={device.ref} device={device} busy={run.busy} onFree={mayFree && frees_left !== 0 ? free : undefined} />
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

/** @param onFree undefined if the buyer may not free the device's seat */
function DeviceRow({
  device,
  busy,
  onFree,
}: {
  readonly device: Device;
  readonly busy: boolean;
  readonly onFree: ((device: Device) => void) | undefined;
}) {
  const [isAsked, setAsked] = useState(false);
  const question = useId();
  const button = useRef<HTMLButtonElement>(null);
  const confirmation = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAsked) confirmation.current?.focus();
  }, [isAsked]);
  const cancel = (): void => {
    setAsked(false);
    // The row shows the button again, also while a question is open, so it can take the focus at once.
    button.current?.focus();
  };
  const { name, platform, activated_at, last_seen_on, member } = device;
  return (
    <li>
      <div>
        <bdi class="name">{nameOf(device)}</bdi>
        <p class="dim">
          {name && platform ? (
            <>
              <bdi>{platformName(platform)}</bdi>
              {' · '}
            </>
          ) : null}
          {member === null ? null : (
            <>
              <bdi>{member}</bdi>
              {' · '}
            </>
          )}
          {last_seen_on === null ? words.activated(dayOf(activated_at)) : words.lastSeen(dayOf(last_seen_on))}
        </p>
      </div>
      {onFree ? (
        <Button buttonRef={button} aria-label={words.freeOf(nameOf(device))} aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
          {words.free}
        </Button>
      ) : null}
      {onFree && isAsked ? (
        <div class="question" role="group" aria-labelledby={question}>
          <p id={question}>{words.freeQuestion(nameOf(device))}</p>
          <div class="buttons">
            <Button buttonRef={confirmation} kind="bad" busy={busy} onClick={() => onFree(device)}>
              {words.freeConfirm}
            </Button>
            <Button onClick={cancel}>{words.cancel}</Button>
          </div>
        </div>
      ) : null}
    </li>
  );
}
