import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { License, Meter } from '../api';
import { useChange } from '../queries/change';
import { licenseKeys, useMeters } from '../queries/licenses';
import { number, t, T } from '../texts';
import { Act } from '../ui/act';
import { Dialog, DialogForm } from '../ui/dialog';
import { periodWords } from '../ui/meters-field';
import { Dim, Panel } from '../ui/page';
import { Share } from '../ui/share';
import { Failed } from '../ui/states';
import { Moment } from '../ui/time';
import { useFields } from '../ui/use-fields';
import classes from './license-meters.module.css';

const consumed = (used: number, included: number): string => t('{used} of {included}', { used: number(used), included: number(included) });

/** What a meter shows after a correction; undefined if the input is not a number that the service accepts. */
function result(used: number, how: string, text: string): number | undefined {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(amount) || (how === 'used' && amount < 0)) return undefined;
  return how === 'used' ? amount : Math.min(Math.max(used + amount, 0), Number.MAX_SAFE_INTEGER);
}

function Form({ license, meter, onClose }: { license: License; meter: Meter; onClose: () => void }) {
  const { meter: name, used, included } = meter;
  const correct = useChange('correctMeter', {
    stale: licenseKeys(license),
    done: (now) => t('Corrected {meter} to {used}', { meter: name, used: consumed(now.used, now.included) }),
    onSuccess: onClose,
  });
  const { values, field } = useFields({ how: 'used', amount: '' }, correct);
  const after = result(used, values.how, values.amount);
  const amount = Number(values.amount);
  return (
    <DialogForm
      onSubmit={() =>
        correct.mutate({ params: { id: license.id, name }, body: values.how === 'used' ? { used: amount } : { add: amount } })
      }
      onCancel={onClose}
      submit={t('Correct')}
      change={correct}
      disabled={after === undefined}
    >
      <p>
        <T
          text="{used} of {meter} are consumed in the current period."
          values={{ used: <strong>{consumed(used, included)}</strong>, meter: <bdi>{name}</bdi> }}
        />
      </p>
      <NativeSelect
        label={t('Correction')}
        {...field('how')}
        data={[
          { value: 'used', label: t('Set to a number') },
          { value: 'add', label: t('Add a number, or subtract it') },
        ]}
      />
      <TextInput
        label={t('Number')}
        {...field('amount')}
        description={
          values.how === 'used' ? t('It may exceed what is included.') : t('A negative number subtracts. The result is at least 0.')
        }
        inputMode={values.how === 'used' ? 'numeric' : 'text'}
        autoComplete="off"
        data-autofocus
      />
      <p role="status">
        {after !== undefined && <T text="After the correction: {used}." values={{ used: <strong>{consumed(after, included)}</strong> }} />}
      </p>
    </DialogForm>
  );
}

function Row({ meter, onCorrect }: { meter: Meter; onCorrect: () => void }) {
  const { meter: name, used, included, remaining, period, overage, resets_at: resets } = meter;
  return (
    <li>
      <div className={classes['head']}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span className={classes['used']}>{consumed(used, included)}</span>
        <Act call="correctMeter" size="xs" onClick={onCorrect} aria-label={t('Correct {meter}', { meter: name })}>
          {t('Correct')}
        </Act>
      </div>
      <Share used={used} of={included} />
      <Dim>
        {used > included
          ? t('{count} more than included', { count: number(used - included) })
          : t('{count} left', { count: number(remaining) })}
        {', '}
        {t('counted {period}', { period: periodWords[period] })}
        {resets !== null && (
          <>
            {', '}
            <T text="begins again {time}" values={{ time: <Moment at={resets} /> }} />
          </>
        )}
        {'. '}
        {overage === 'refuse' ? t('What exceeds it is refused.') : t('What exceeds it is counted too.')}
      </Dim>
    </li>
  );
}

/** The meters of a license, each with a bar. A license without meters has no such panel. */
export function Meters({ license }: { license: License }) {
  const query = useMeters(license.id);
  const [name, setName] = useState<string>();
  const chosen = query.data?.find(({ meter }) => meter === name);
  const close = (): void => setName(undefined);
  if (query.error && !query.data)
    return (
      <Panel title={t('Meters')}>
        <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />
      </Panel>
    );
  if (!query.data?.length) return null;
  return (
    <Panel title={t('Meters')} note={t('What apps consumed in the current period.')}>
      <ul className={classes['meters']}>
        {query.data.map((meter) => (
          <Row key={meter.meter} meter={meter} onCorrect={() => setName(meter.meter)} />
        ))}
      </ul>
      <Dialog title={t('Correct a meter')} opened={chosen !== undefined} onClose={close}>
        {chosen && <Form license={license} meter={chosen} onClose={close} />}
      </Dialog>
    </Panel>
  );
}
