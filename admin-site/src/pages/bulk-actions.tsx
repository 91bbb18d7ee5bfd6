import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, newIdempotencyKey, type License } from '../api';
import { licenseColumns } from '../../../lambdas/contract/license-columns';
import { csvLine } from '../../../lambdas/domain/csv';
import { download, exportName } from '../download';
import { date, duration } from '../format';
import { May } from '../permission';
import { csvLines, MAX_CHOSEN } from '../queries/license-list';
import { numbersOfProducts } from '../queries/overview';
import { useProductSlug } from '../queries/products';
import type { Name } from '../routes';
import { useSession } from '../session';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
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
import { statusWords } from '../ui/status';
import { toastFailure } from '../ui/toast';
import { useFields } from '../ui/use-fields';
import { FeaturesForm, MailForm, SeatsForm, TypeForm, type Done, type FormProps } from './bulk-change';
import classes from './bulk-actions.module.css';
import { mostDays } from './renewal-limit';

/** Actions on several licenses at once, with a result for each. */

type SimpleAction = 'renew' | 'updates' | 'suspend' | 'reinstate' | 'reset' | 'revoke';
type Action = SimpleAction | 'seats' | 'features' | 'type' | 'mail';

const titles: Readonly<Record<Action, string>> = {
  renew: t('Renew the selected licenses'),
  updates: t('Renew the updates of the selected licenses'),
  suspend: t('Suspend the selected licenses?'),
  reinstate: t('Reinstate the selected licenses?'),
  reset: t('Free all seats of the selected licenses?'),
  revoke: t('Revoke the selected licenses?'),
  seats: t('Change the seats of the selected licenses'),
  features: t('Change the features of the selected licenses'),
  type: t('Change the type of the selected licenses'),
  mail: t('Mail the keys of the selected licenses'),
};

/** The licenses that can be renewed, and a summary of all selected licenses: `3 × Pro, for 365 days`, `1 × left out: …`. */
function renewalPlan(
  action: 'renew' | 'updates',
  by: 'type' | 'days',
  licenses: readonly License[],
  /** The number of days that the operator has chosen, and the most that the token may renew from now (null: no limit). */
  { days: chosen, limit }: { readonly days: number; readonly limit: number | null },
): { readonly licenses: readonly License[]; readonly lines: readonly string[] } {
  const daysOf = ({ license_type: type }: License): number | null => (action === 'updates' ? type.updates_days : type.duration_days);
  const whyNot = (license: License): string | undefined => {
    if (action === 'updates' && license.updates.until === null) return t('their updates have no end');
    if (action === 'renew' && license.term !== null) return t('their term has not started');
    if (action === 'renew' && license.expires_at === null) return t('they never expire');
    if (by === 'type' && daysOf(license) === null)
      return action === 'updates' ? t('their type has no days of updates') : t('their type has no duration');
    if (action === 'renew' && (by === 'days' ? chosen : (daysOf(license) ?? 0)) > mostDays(license.expires_at, limit))
      return t('this token may not renew for so long');
    return undefined;
  };
  const counts = new Map<string, number>();
  for (const license of licenses) {
    const reason = whyNot(license);
    const days = daysOf(license);
    const { name } = license.license_type;
    const words =
      reason !== undefined
        ? t('left out: {reason}', { reason })
        : by === 'type' && days !== null
          ? t('{name}, for {duration}', { name, duration: duration(days) })
          : name;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return {
    licenses: licenses.filter((license) => whyNot(license) === undefined),
    lines: [...counts].map(([words, count]) => `${number(count)} × ${words}`),
  };
}

/** The result of an action that changes the status. */
const newStatus = (changes: License): Done => ({ words: statusWords(changes.status).toLowerCase(), changes });

/** The form for a renewal, or for an action that needs no input. */
function SimpleForm({
  action,
  licenses,
  batch,
  onRun,
  onClose,
}: FormProps & {
  action: SimpleAction;
}) {
  const { values, field } = useFields<{ by: 'type' | 'days'; days: string }>({ by: 'type', days: '30' }, batch);
  const { by, days } = values;
  // If the response of a renewal is lost, the request is repeated with the same key, so that the license is not renewed twice.
  const [keys] = useState(() => new Map(licenses.map(({ id }) => [id, newIdempotencyKey()])));
  const run = async ({ id, seats }: License): Promise<Done> => {
    const params = { id };
    if (action === 'revoke') return newStatus(await call('revokeLicense', { params, body: {} }));
    if (action === 'suspend') return newStatus(await call('suspendLicense', { params, body: {} }));
    if (action === 'reinstate') return newStatus(await call('reinstateLicense', { params }));
    if (action === 'reset') {
      const { freed } = await call('resetLicense', { params, body: {} });
      return { words: plural(freed, 'freed {count} seat', 'freed {count} seats'), changes: { seats: { ...seats, used: 0 } } };
    }
    const request = { params, body: by === 'type' ? {} : { days: Number(days) } };
    const options = { idempotencyKey: keys.get(id) ?? newIdempotencyKey() };
    const changes = action === 'updates' ? await call('renewUpdates', request, options) : await call('renewLicense', request, options);
    const at = action === 'updates' ? changes.updates.until : changes.expires_at;
    return { words: at === null ? t('renewed') : t('until {date}', { date: date(at) }), changes };
  };
  const isRenewal = action === 'renew' || action === 'updates';
  const { access } = useSession();
  const limits = { days: numberIn(days) ?? 0, limit: access?.renewal_days ?? null };
  const plan = isRenewal ? renewalPlan(action, by, licenses, limits) : undefined;
  const items = plan?.licenses ?? licenses;
  const count = items.length;
  return (
    <DialogForm
      onSubmit={() => {
        onRun(run);
        batch.start(items);
      }}
      onCancel={onClose}
      submit={
        {
          renew: plural(count, 'Renew {count} license', 'Renew {count} licenses'),
          updates: plural(count, 'Renew the updates of {count} license', 'Renew the updates of {count} licenses'),
          suspend: plural(count, 'Suspend {count} license', 'Suspend {count} licenses'),
          reinstate: plural(count, 'Reinstate {count} license', 'Reinstate {count} licenses'),
          reset: plural(count, 'Free the seats of {count} license', 'Free the seats of {count} licenses'),
          revoke: plural(count, 'Revoke {count} license permanently', 'Revoke {count} licenses permanently'),
        }[action]
      }
      change={batch}
      danger={!isRenewal && action !== 'reinstate'}
      disabled={items.length === 0 || (isRenewal && by === 'days' && (numberIn(days) ?? 0) < 1)}
    >
      {plan && (
        <>
          <NativeSelect
            label={t('Renew')}
            {...field('by')}
            data={[
              { value: 'type', label: t('each as its type says') },
              { value: 'days', label: t('all for a number of days') },
            ]}
            data-autofocus
          />
          {by === 'days' && <NumberField label={t('Days')} {...field('days')} />}
          <ul className={classes['plan']} aria-label={t('What is renewed')}>
            {plan.lines.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
          <p>
            {action === 'updates'
              ? t('Each is renewed from now or from the end of its updates, whichever is later.')
              : by === 'days'
                ? t('Each is renewed from now or from its expiry, whichever is later. A license that never expires gets an expiry.')
                : t('Each is renewed from now or from its expiry, whichever is later.')}
          </p>
        </>
      )}
      {action === 'suspend' && (
        <p>
          {plural(
            count,
            'Activations and validations of {count} license will be refused until you reinstate it.',
            'Activations and validations of {count} licenses will be refused until you reinstate them.',
          )}
        </p>
      )}
      {action === 'reinstate' && (
        <p>
          {plural(
            count,
            'If the license is suspended, it will be usable again. Otherwise it will not change.',
            'The suspended licenses among these {count} licenses will be usable again. The others will not change.',
          )}
        </p>
      )}
      {action === 'reset' && (
        <p>
          {plural(
            count,
            'All devices of {count} license are unbound at once. The license keeps its key and its status.',
            'All devices of {count} licenses are unbound at once. The licenses keep their keys and their status.',
          )}
        </p>
      )}
      {action === 'revoke' && (
        <p>
          {plural(
            count,
            'All activations and validations of {count} license will fail from now on.',
            'All activations and validations of {count} licenses will fail from now on.',
          )}{' '}
          <strong>{t('This can’t be undone.')}</strong>
        </p>
      )}
    </DialogForm>
  );
}

interface Running {
  readonly productId: number;
  /** Called with the changed licenses when the action ends. */
  readonly onChanged: (licenses: readonly License[]) => void;
  readonly onClose: () => void;
}

/** The endpoint of each action. */
const calls: Readonly<Record<Action, Name>> = {
  renew: 'renewLicense',
  updates: 'renewUpdates',
  suspend: 'suspendLicense',
  reinstate: 'reinstateLicense',
  reset: 'resetLicense',
  revoke: 'revokeLicense',
  seats: 'updateLicense',
  features: 'updateLicense',
  type: 'updateLicense',
  mail: 'mailLicense',
};

function Run({ action, licenses, productId, onChanged, onClose }: BulkRun & Running) {
  const client = useQueryClient();
  // The function that performs the action on one license. The form sets it when the action starts, because it depends on the input.
  const run = useRef<(license: License) => Promise<Done>>(() => Promise.reject(new Error(t('Nothing was started.'))));
  const batch = useBatch<License, Done>(
    calls[action],
    (license) => run.current(license),
    (outcomes) => {
      onChanged(outcomes.flatMap(({ item, result }) => (result?.changes ? [{ ...item, ...result.changes }] : [])));
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
  if (batch.total > 0) return <BatchResults batch={batch} nameOf={({ key }) => key} words={({ words }) => words} onClose={onClose} />;
  const props: FormProps = { licenses, batch, onRun: (chosen) => (run.current = chosen), onClose };
  if (action === 'seats') return <SeatsForm {...props} />;
  if (action === 'features') return <FeaturesForm {...props} />;
  if (action === 'type') return <TypeForm {...props} productId={productId} />;
  if (action === 'mail') return <MailForm {...props} />;
  return <SimpleForm {...props} action={action} />;
}

const exported = (licenses: readonly License[]): string[] => [csvLine(licenseColumns.map(({ name }) => name)), ...csvLines(licenses)];

/** An action on the licenses that were selected when the action's dialog opened. The list may change while the action runs. */
export interface BulkRun {
  readonly action: Action;
  readonly licenses: readonly License[];
}

/** The dialog of an action, with its results. The dialog is outside the list, because the list may be empty when the action has ended. */
export const BulkDialog = ({ run, ...running }: Running & { run: BulkRun | undefined }) => (
  <Dialog title={run ? titles[run.action] : ''} opened={run !== undefined} onClose={running.onClose} size="lg">
    {run && <Run {...run} {...running} />}
  </Dialog>
);

/** @param onAll selects all licenses of the list; undefined if the list has only one page */
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
  const buttons: readonly { readonly action: Action; readonly label: string; readonly Icon: typeof ClockIcon }[] = [
    { action: 'renew', label: t('Renew'), Icon: ClockIcon },
    ...(licenses.some(({ updates }) => updates.until !== null)
      ? [{ action: 'updates', label: t('Renew updates'), Icon: ClockIcon } as const]
      : []),
    { action: 'suspend', label: t('Suspend'), Icon: PauseIcon },
    ...(licenses.some(({ status }) => status === 'suspended')
      ? [{ action: 'reinstate', label: t('Reinstate'), Icon: PlayIcon } as const]
      : []),
    { action: 'reset', label: t('Free seats'), Icon: RefreshIcon },
    { action: 'revoke', label: t('Revoke'), Icon: StopIcon },
    { action: 'mail', label: t('Mail keys'), Icon: MailIcon },
  ];
  const slug = useProductSlug(productId);
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
    <div className={classes['bar']} role="region" aria-label={t('Selected licenses')}>
      <strong role="status">
        {licenses.length === MAX_CHOSEN && onAll
          ? t('{licenses} selected (the maximum)', { licenses: number(licenses.length) })
          : t('{licenses} selected', { licenses: number(licenses.length) })}
      </strong>
      <span className={classes['actions']}>
        {buttons.map(({ action, label, Icon }) => (
          <Act key={action} call={calls[action]} size="xs" Icon={Icon} onClick={() => open(action)}>
            {label}
          </Act>
        ))}
        <May call="updateLicense">
          <Menu
            label={t('Change')}
            size="xs"
            icon={<EditIcon size={15} />}
            items={[
              { label: t('Seats'), icon: <SeatIcon size={16} />, onChoose: () => open('seats') },
              { label: t('Features'), icon: <CheckIcon size={16} />, onChoose: () => open('features') },
              { label: t('License type'), icon: <LayersIcon size={16} />, onChoose: () => open('type') },
            ]}
          />
        </May>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={15} />}
          onClick={() => download(exportName('licenses', 'csv', slug), exported(licenses))}
        >
          {t('Export CSV')}
        </Button>
        {onAll && (
          <Button size="xs" variant="subtle" onClick={() => (found === undefined ? void chooseAll(onAll) : choosing.current?.abort())}>
            {found === undefined ? t('Select all in the list') : t('Stop ({found} found)', { found: number(found) })}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={onClear}>
          {t('Clear selection')}
        </Button>
      </span>
    </div>
  );
}
