import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, newIdempotencyKey, type License } from '../api';
import { licenseColumns } from '../../../lambdas/contract/license-columns';
import { csvLine } from '../../../lambdas/domain/csv';
import { download } from '../download';
import { date, duration, number, plural } from '../format';
import { May } from '../permission';
import { numbersOfProducts, csvLines, MAX_CHOSEN } from '../queries';
import { BatchResults, useBatch } from '../ui/batch';
import { Dialog, DialogForm } from '../ui/dialog';
import {
  CheckIcon,
  ClockIcon,
  DownloadIcon,
  EditIcon,
  LayersIcon,
  MailIcon,
  PauseIcon,
  PlayIcon,
  RefreshIcon,
  SeatIcon,
  StopIcon,
} from '../ui/icons';
import { Menu } from '../ui/menu';
import { NumberField, numberIn } from '../ui/number-field';
import { toastFailure } from '../ui/toast';
import { FeaturesForm, MailForm, SeatsForm, TypeForm, type FormProps } from './bulk-change';
import classes from './bulk-actions.module.css';

/** Actions on several licenses at once, with a result for each. */

type SimpleAction = 'renew' | 'updates' | 'suspend' | 'reinstate' | 'reset' | 'revoke';
type Action = SimpleAction | 'seats' | 'features' | 'type' | 'mail';

const titles: Readonly<Record<Action, string>> = {
  renew: 'Renew the selected licenses',
  updates: 'Renew the updates of the selected licenses',
  suspend: 'Suspend the selected licenses?',
  reinstate: 'Reinstate the selected licenses?',
  reset: 'Free all seats of the selected licenses?',
  revoke: 'Revoke the selected licenses?',
  seats: 'Change the seats of the selected licenses',
  features: 'Change the features of the selected licenses',
  type: 'Change the type of the selected licenses',
  mail: 'Mail the keys of the selected licenses',
};

/** Which licenses a renewal renews, and a summary by type. Licenses that have nothing to renew are left out. */
function renewalPlan(
  action: 'renew' | 'updates',
  by: 'type' | 'days',
  licenses: readonly License[],
): { readonly licenses: readonly License[]; readonly lines: readonly string[] } {
  const daysOf = ({ license_type: type }: License): number | null => (action === 'updates' ? type.updates_days : type.duration_days);
  const whyNot = (license: License): string | undefined => {
    if (action === 'updates' && license.updates.until === null) return 'their updates have no end';
    if (action === 'renew' && license.term !== null) return 'their term has not started';
    if (by === 'type' && daysOf(license) === null)
      return action === 'updates' ? 'their type has no days of updates' : 'their type has no duration';
    return undefined;
  };
  const counts = new Map<string, number>();
  for (const license of licenses) {
    const reason = whyNot(license);
    const days = daysOf(license);
    const { name } = license.license_type;
    const words = reason !== undefined ? `left out: ${reason}` : by === 'type' && days !== null ? `${name}, for ${duration(days)}` : name;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return {
    licenses: licenses.filter((license) => whyNot(license) === undefined),
    lines: [...counts].map(([words, count]) => `${number(count)} × ${words}`),
  };
}

/** An action without a value, or a renewal. */
function SimpleForm({
  action,
  licenses,
  batch,
  onRun,
  onClose,
}: FormProps & {
  action: SimpleAction;
}) {
  const [by, setBy] = useState<'type' | 'days'>('type');
  const [days, setDays] = useState('30');
  // With the same key, repeating a renewal whose response was lost does not renew twice.
  const [keys] = useState(() => new Map(licenses.map(({ id }) => [id, newIdempotencyKey()])));
  const run = async ({ id }: License): Promise<string> => {
    const params = { id };
    if (action === 'revoke') return (await call('revokeLicense', { params, body: {} })).status;
    if (action === 'suspend') return (await call('suspendLicense', { params, body: {} })).status;
    if (action === 'reinstate') return (await call('reinstateLicense', { params })).status;
    if (action === 'reset') return `freed ${plural((await call('resetLicense', { params, body: {} })).freed, 'seat')}`;
    const request = { params, body: by === 'type' ? {} : { days: Number(days) } };
    const options = { idempotencyKey: keys.get(id) ?? newIdempotencyKey() };
    const at =
      action === 'updates'
        ? (await call('renewUpdates', request, options)).updates.until
        : (await call('renewLicense', request, options)).expires_at;
    return at === null ? 'renewed' : `until ${date(at)}`;
  };
  const isRenewal = action === 'renew' || action === 'updates';
  const plan = isRenewal ? renewalPlan(action, by, licenses) : undefined;
  const items = plan?.licenses ?? licenses;
  const count = plural(items.length, 'license');
  return (
    <DialogForm
      onSubmit={() => {
        onRun(run);
        batch.start(items);
      }}
      onCancel={onClose}
      submit={
        {
          renew: `Renew ${count}`,
          updates: `Renew the updates of ${count}`,
          suspend: `Suspend ${count}`,
          reinstate: `Reinstate ${count}`,
          reset: `Free the seats of ${count}`,
          revoke: `Revoke ${count} for good`,
        }[action]
      }
      busy={false}
      error={null}
      danger={!isRenewal && action !== 'reinstate'}
      disabled={items.length === 0 || (isRenewal && by === 'days' && (numberIn(days) ?? 0) < 1)}
    >
      {plan && (
        <>
          <NativeSelect
            label="Renew"
            value={by}
            onChange={(event) => setBy(event.currentTarget.value === 'days' ? 'days' : 'type')}
            data={[
              { value: 'type', label: 'each as its type says' },
              { value: 'days', label: 'all for a number of days' },
            ]}
            data-autofocus
          />
          {by === 'days' && <NumberField label="Days" value={days} onValue={setDays} />}
          <ul className={classes['plan']} aria-label="What is renewed">
            {plan.lines.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
          <p>
            {action === 'updates'
              ? 'Each is renewed from now or from the end of its updates, whichever is later.'
              : `Each is renewed from now or from its expiry, whichever is later.${by === 'days' ? ' A license that never expires gets an expiry.' : ''}`}
          </p>
        </>
      )}
      {action === 'suspend' && <p>Activations and validations of {count} will be refused until you reinstate them.</p>}
      {action === 'reinstate' && <p>Suspended licenses among the {count} can be used again. The others do not change.</p>}
      {action === 'reset' && <p>All devices of {count} are unbound at once. The licenses keep their keys and their status.</p>}
      {action === 'revoke' && (
        <p>
          All activations and validations of {count} will fail from now on. <strong>This can’t be undone.</strong>
        </p>
      )}
    </DialogForm>
  );
}

function Run({ action, licenses, productId, onClose }: BulkRun & { productId: number; onClose: () => void }) {
  const client = useQueryClient();
  // The form decides what is done, with its values at the start.
  const run = useRef<(license: License) => Promise<string>>(() => Promise.reject(new Error('Nothing was started.')));
  const batch = useBatch<License, string>(
    (license) => run.current(license),
    () => {
      for (const key of [
        ['licenses', productId],
        ['overview', productId],
        ['deliveries', productId],
        ...numbersOfProducts,
        ['license'],
        ['find'],
      ])
        void client.invalidateQueries({ queryKey: key });
    },
  );
  if (batch.total > 0) return <BatchResults batch={batch} nameOf={({ key }) => key} words={(words) => words} onClose={onClose} />;
  const props: FormProps = { licenses, batch, onRun: (chosen) => (run.current = chosen), onClose };
  if (action === 'seats') return <SeatsForm {...props} />;
  if (action === 'features') return <FeaturesForm {...props} />;
  if (action === 'type') return <TypeForm {...props} productId={productId} />;
  if (action === 'mail') return <MailForm {...props} />;
  return <SimpleForm {...props} action={action} />;
}

const exported = (licenses: readonly License[]): string[] => [csvLine(licenseColumns.map(({ name }) => name)), ...csvLines(licenses)];

/** An action on the licenses that were selected when its dialog opened. The list may change while it runs. */
export interface BulkRun {
  readonly action: Action;
  readonly licenses: readonly License[];
}

/** The dialog of an action, with its results. It is not part of the list, which may be empty when the action has ended. */
export const BulkDialog = ({ run, productId, onClose }: { run: BulkRun | undefined; productId: number; onClose: () => void }) => (
  <Dialog title={run ? titles[run.action] : ''} opened={run !== undefined} onClose={onClose} size="lg">
    {run && <Run {...run} productId={productId} onClose={onClose} />}
  </Dialog>
);

/** @param onAll selects all licenses of the list, if it has more pages */
export function BulkActions({
  productId,
  licenses,
  onRun,
  onAll,
  onClear,
}: {
  productId: number;
  licenses: readonly License[];
  onRun: (run: BulkRun) => void;
  onAll?: ((onProgress: (count: number) => void, signal: AbortSignal) => Promise<void>) | undefined;
  onClear: () => void;
}) {
  const open = (action: Action): void => onRun({ action, licenses });
  const [found, setFound] = useState<number>();
  const choosing = useRef<AbortController>(undefined);
  useEffect(() => () => choosing.current?.abort(), []);
  const chooseAll = async (choose: NonNullable<typeof onAll>): Promise<void> => {
    const abort = new AbortController();
    choosing.current = abort;
    setFound(0);
    try {
      await choose(setFound, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) toastFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setFound(undefined);
    }
  };
  return (
    <div className={classes['bar']} role="region" aria-label="Selected licenses">
      <strong role="status">
        {number(licenses.length)}
        {licenses.length === MAX_CHOSEN && onAll ? ', the maximum,' : ''} selected
      </strong>
      <span className={classes['actions']}>
        <May call="updateLicense">
          <Button size="xs" variant="default" leftSection={<ClockIcon size={15} />} onClick={() => open('renew')}>
            Renew
          </Button>
          {licenses.some(({ updates }) => updates.until !== null) && (
            <Button size="xs" variant="default" leftSection={<ClockIcon size={15} />} onClick={() => open('updates')}>
              Renew updates
            </Button>
          )}
          <Button size="xs" variant="default" leftSection={<PauseIcon size={15} />} onClick={() => open('suspend')}>
            Suspend
          </Button>
          {licenses.some(({ status }) => status === 'suspended') && (
            <Button size="xs" variant="default" leftSection={<PlayIcon size={15} />} onClick={() => open('reinstate')}>
              Reinstate
            </Button>
          )}
          <Button size="xs" variant="default" leftSection={<RefreshIcon size={15} />} onClick={() => open('reset')}>
            Free seats
          </Button>
          <Button size="xs" variant="default" leftSection={<StopIcon size={15} />} onClick={() => open('revoke')}>
            Revoke
          </Button>
          <Menu
            label="Change"
            size="xs"
            icon={<EditIcon size={15} />}
            items={[
              { label: 'Seats', icon: <SeatIcon size={16} />, onChoose: () => open('seats') },
              { label: 'Features', icon: <CheckIcon size={16} />, onChoose: () => open('features') },
              { label: 'License type', icon: <LayersIcon size={16} />, onChoose: () => open('type') },
            ]}
          />
          <Button size="xs" variant="default" leftSection={<MailIcon size={15} />} onClick={() => open('mail')}>
            Mail keys
          </Button>
        </May>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={15} />}
          onClick={() => download(`licenses-${productId}.csv`, exported(licenses))}
        >
          Export CSV
        </Button>
        {onAll && (
          <Button size="xs" variant="subtle" onClick={() => (found === undefined ? void chooseAll(onAll) : choosing.current?.abort())}>
            {found === undefined ? 'Select all in the list' : `Stop (${number(found)} found)`}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </span>
    </div>
  );
}
