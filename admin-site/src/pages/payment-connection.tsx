import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LicenseType, PaymentConnection } from '../api';
import { dayOf, dayStart, fromNow } from '../format';
import type { RequestOf } from '../routes';
import { useChange } from '../queries/change';
import { useConnection, useConnectionChange } from '../queries/payments';
import { useTypes } from '../queries/products';
import { href, Link } from '../router';
import { plural, t, T } from '../texts';
import { Check } from '../ui/check';
import { RefreshIcon } from '../ui/icons';
import { Code, Dim, PageHead, Panel, Stack } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Loaded, Working } from '../ui/states';
import { Moment } from '../ui/time';
import { useFields } from '../ui/use-fields';
import { PaymentAddress } from './payment-address';
import { PaymentPlans } from './payment-plans';
import { ConnectionSettings } from './payment-settings';
import { connectionName, guides } from './processors';
import classes from './payments.module.css';

function Step({ title, done, children }: { title: string; done: boolean; children: ReactNode }) {
  return (
    <li className={done ? classes['done'] : undefined}>
      <div className={classes['step']}>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** A field for a secret. The API never returns the secret, so the field is empty even if a secret is set. */
function SecretField({
  connection,
  field,
  label,
  isSet,
  example,
  note,
}: {
  connection: PaymentConnection;
  field: 'signing_secret' | 'api_key';
  label: string;
  isSet: boolean;
  example?: string;
  note: string;
}) {
  const isKey = field === 'api_key';
  const save = useConnectionChange(connection, isKey ? t('Saved the API key') : t('Saved the signing secret'), {
    onSuccess: () => change({ [field]: '', leaked: false }),
  });
  const { values, field: input, check, change } = useFields({ signing_secret: '', api_key: '', leaked: false }, save);
  const value = values[field].trim();
  const body: RequestOf<'updatePaymentConnection'>['body'] = { [field]: value, ...(values.leaked && { overlap_hours: 0 }) };
  return (
    <PageForm
      onSubmit={() => save.mutate({ params: { id: connection.id }, body })}
      submit={isKey ? t('Save the API key') : t('Save the signing secret')}
      change={save}
      disabled={value === ''}
      actions={
        isSet &&
        isKey && (
          <Button variant="subtle" onClick={() => save.mutate({ params: { id: connection.id }, body: { api_key: null } })}>
            {t('Remove it')}
          </Button>
        )
      }
    >
      <TextInput
        label={label}
        description={note}
        type="password"
        autoComplete="off"
        spellCheck={false}
        placeholder={isSet ? t('Already set. A new value replaces it.') : example}
        {...input(field)}
      />
      {isSet && !isKey && (
        <Check
          label={t('The old secret has leaked')}
          note={t('Notifications that are signed with the old secret are then refused.')}
          {...check('leaked')}
        />
      )}
    </PageForm>
  );
}

function Reconcile({ connection }: { connection: PaymentConnection }) {
  const reconcile = useChange('reconcilePayments', {
    stale: [
      ['connection', connection.id],
      ['payments', connection.product_id],
    ],
    done: () => t('Searching for missed notifications. The log will show them'),
  });
  const { values, field } = useFields({ since: '' }, reconcile);
  const since = dayOf(values.since);
  return (
    <PageForm
      change={reconcile}
      onSubmit={() =>
        reconcile.mutate({
          params: { id: connection.id },
          body: since === undefined ? {} : { since: new Date(dayStart(since)).toISOString() },
        })
      }
      submit={t('Reconcile now')}
      icon={<RefreshIcon size={15} />}
      actions={
        <Dim>
          {connection.last_reconciled_at === null ? (
            t('Reconciliation has not run yet.')
          ) : (
            <T text="Last run: {time}. Reconciliation runs every hour." values={{ time: <Moment at={connection.last_reconciled_at} /> }} />
          )}
        </Dim>
      }
    >
      <TextInput type="date" label={t('Search from (optional)')} {...field('since')} />
    </PageForm>
  );
}

/** Notifications with a wrong signature since the last valid one, and what to do about them. */
function Rejected({ connection: { rejected } }: { connection: PaymentConnection }) {
  if (rejected.last_at === null || rejected.count === 0) return null;
  const text = plural(
    rejected.count,
    '{count} notification with a wrong signature, {time}',
    '{count} notifications with a wrong signature, the last {time}',
    { time: fromNow(rejected.last_at) },
  );
  return (
    <p role="alert">
      {text}. {t('Paste the signing secret again, and check that the sender signs the unchanged body with it and that its clock is right.')}
    </p>
  );
}

function Steps({ connection, types }: { connection: PaymentConnection; types: readonly LicenseType[] }) {
  const guide = guides[connection.processor];
  const name = guides[connection.processor].name;
  const isSelling = connection.plans.length > 0 || connection.default_license_type_id !== null;
  return (
    <Panel title={t('Set it up')} note={t('You can repeat each step later.')}>
      <ol className={classes['steps']}>
        <Step title={t('Give {name} the address', { name })} done={connection.last_received_at !== null}>
          <PaymentAddress connection={connection} />
        </Step>
        {guide.secret && (
          <Step title={t('Paste the signing secret')} done={connection.signing_secret_set}>
            <SecretField
              connection={connection}
              field="signing_secret"
              label={t('Signing secret')}
              isSet={connection.signing_secret_set}
              example={guide.secret.example}
              note={`${guide.secret.where} ${t('After a replacement, the old secret is accepted for one more day.')}`}
            />
          </Step>
        )}
        <Step title={t('Choose the license types')} done={isSelling}>
          <PaymentPlans connection={connection} types={types} refs={guide.refs} />
        </Step>
        {guide.apiKey && (
          <Step title={guide.secret ? t('Add an API key (optional)') : t('Add an API key')} done={connection.api_key_set}>
            <SecretField
              connection={connection}
              field="api_key"
              label={t('API key')}
              isSet={connection.api_key_set}
              note={`${guide.apiKey.why} ${guide.apiKey.where}`}
            />
            {connection.api_key_set && <Reconcile connection={connection} />}
          </Step>
        )}
        <Step title={t('Test it')} done={connection.last_received_at !== null}>
          <Rejected connection={connection} />
          <p>{guide.test}</p>
          {connection.last_received_at === null ? (
            <Working>{t('Waiting for the first notification.')}</Working>
          ) : (
            <p role="status">
              <T text="The latest notification arrived on {time}." values={{ time: <Moment at={connection.last_received_at} /> }} />{' '}
              <Link to={href(`/products/${connection.product_id}/payments`)}>{t('See the log')}</Link>
            </p>
          )}
          <p className={classes['dim']}>{t('To test without {name}, run this in the service’s repository:', { name })}</p>
          <Code label={t('Command for a test sale')}>
            {`npm run sell -- --processor ${connection.processor} --url <${t('the address')}>${guide.secret ? ` --secret <${t('the signing secret')}>` : ''} --ref ${connection.plans[0]?.ref ?? guide.refs.example}${connection.mode === 'test' ? ' --test' : ''}`}
          </Code>
        </Step>
      </ol>
    </Panel>
  );
}

/** A connection's page: its setup step by step, and its settings. */
export function PaymentConnectionPage({ productId, connectionId }: { productId: number; connectionId: number }) {
  const query = useConnection(connectionId);
  const types = useTypes(productId);
  return (
    <Loaded query={query} page={t('Payment connection')}>
      {(connection) => (
        <>
          <PageHead title={connectionName(connection)} back={{ to: href(`/products/${productId}/payments`), label: t('Payments') }}>
            {guides[connection.processor].name}, {connection.mode === 'test' ? t('test mode') : t('live')}
            {!connection.enabled && `, ${t('disabled')}`}
          </PageHead>
          <Loaded query={types} lines={8}>
            {(rows) => (
              <Stack>
                <Steps connection={connection} types={rows} />
                <ConnectionSettings connection={connection} />
              </Stack>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}
