/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { reportedName } from '../../lambdas/contract/reported-name';
import { platformName } from '../../lambdas/contract/platform-name';
import { call, type License } from './api';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, Button, Status, useRun } from './ui';

const words = texts.noticed;

/** Asks about the device of a mail about a sign-in. The buyer who has not signed in on it frees the device. */
export function NoticedDevice({
  buyer,
  device,
  licenses,
  onFreed,
  onLeft,
}: {
  readonly buyer: Buyer;
  /** The license's id, a dot, and the device's ref. */
  readonly device: string;
  readonly licenses: readonly License[];
  readonly onFreed: () => void;
  readonly onLeft: () => void;
}) {
  const [id = '', ref = ''] = device.split('.');
  const [isFreed, setFreed] = useState(false);
  const run = useRun({ forbidden: words.tooLate }, buyer.isEnded);
  const found = licenses.find((license) => String(license.id) === id)?.devices.find((one) => one.ref === ref);
  const name = reportedName(found?.name || platformName(found?.platform ?? ''));
  const free = (): void =>
    run.start(async () => {
      await call('DELETE', `/licenses/${id}/devices/${encodeURIComponent(ref)}`, { session: buyer.session });
      setFreed(true);
      onFreed();
    });
  return (
    <section class="card" aria-label={words.heading}>
      <h3>{words.heading}</h3>
      {isFreed || !found ? null : <p>{words.question(name === '' ? texts.licenses.unnamed : texts.activation.quoted(name))}</p>}
      <Status>{isFreed || !found ? words.freed : null}</Status>
      <Alert>{run.problem}</Alert>
      <div class="buttons">
        {isFreed || !found ? null : (
          <Button kind="bad" busy={run.busy} onClick={free}>
            {words.notMe}
          </Button>
        )}
        <Button onClick={onLeft}>{isFreed || !found ? words.close : words.wasMe}</Button>
      </div>
    </section>
  );
}
