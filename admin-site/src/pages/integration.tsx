import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Product } from '../api';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { useProduct } from '../queries/products';
import { href } from '../router';
import { t, T } from '../texts';
import { Act } from '../ui/act';
import { Check } from '../ui/check';
import { CopyButton } from '../ui/copy-button';
import { CheckIcon } from '../ui/icons';
import { Code, Columns, Dim, PageHead, Panel, Stack } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { NumberField, numberIn } from '../ui/number-field';
import { Loaded, Problem } from '../ui/states';
import { useFields } from '../ui/use-fields';
import { IntegrationPayments } from './integration-payments';
import { PreviousApiKey } from './previous-api-key';
import classes from './integration.module.css';
import { RotateApiKey } from './rotate';
import { SigningKeys } from './signing-keys';
import { appSnippets, webhookSnippets, type Snippet } from './snippets';

function Snippets({
  product,
  title,
  note,
  name,
  snippets,
}: {
  product: Product;
  title: string;
  note: string;
  name: string;
  snippets: readonly Snippet[];
}) {
  const [chosen, setChosen] = useState(snippets[0]?.label ?? '');
  const snippet = snippets.find(({ label }) => label === chosen);
  if (!snippet) return null;
  const code = snippet.text(product, window.location.origin);
  return (
    <Panel
      title={title}
      note={
        snippet.usesLibrary
          ? t('Uses the client library, which verifies offline tokens, caches them and renews them in the background.')
          : note
      }
      action={
        <>
          <NativeSelect
            aria-label={t('{snippet}: language', { snippet: name })}
            size="xs"
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data={snippets.map(({ label }) => label)}
          />
          <CopyButton text={code} what={name} labelled />
        </>
      }
    >
      <Code label={`${name}, ${snippet.label}`}>{code}</Code>
    </Panel>
  );
}

/** Whether apps may list the devices of a license. */
function DeviceLists({ product }: { product: Product }) {
  const change = useChange('updateProduct', {
    stale: [['product', product.id], ['products']],
    done: ({ list_devices: is }) => (is ? t('Apps may list the devices of a license') : t('Apps may no longer list devices')),
  });
  return (
    <Panel
      title={t('Devices in the app')}
      note={t('A buyer with a new computer can then use your app to free the seat of the old computer, without your help.')}
    >
      <May call="updateProduct">
        <Check
          label={t('Apps may list the devices of a license')}
          note={t('The list contains device names and platforms, which are personal data. A change takes effect within a minute.')}
          checked={change.isPending ? change.variables.body.list_devices === true : product.list_devices}
          disabled={change.isPending}
          onChange={(is) => change.mutate({ params: { id: product.id }, body: { list_devices: is } })}
        />
      </May>
      {change.error && <Problem error={change.error} />}
    </Panel>
  );
}

/** How many trials apps may start within an hour. */
function TrialLimit({ product }: { product: Product }) {
  const change = useChange('updateProduct', {
    stale: [['product', product.id], ['products']],
    done: () => t('Changed the limit of trials'),
  });
  const { values, field } = useFields({ trials_per_hour: String(product.trials_per_hour) }, change);
  const limit = values.trials_per_hour;
  return (
    <Panel
      title={t('Trials')}
      note={t('The API key is part of your app, so anyone can start trials with it. A change takes effect within a minute.')}
    >
      <PageForm
        change={change}
        onSubmit={() => change.mutate({ params: { id: product.id }, body: { trials_per_hour: numberIn(limit) ?? 0 } })}
        submit={t('Save')}
        disabled={limit === String(product.trials_per_hour)}
      >
        <NumberField label={t('Maximum number of trials that apps may start within an hour')} {...field('trials_per_hour')} />
      </PageForm>
    </Panel>
  );
}

/** The values and the code that an app of this product needs. */
export function IntegrationPage({ productId, isNew }: { productId: number; isNew: boolean }) {
  const query = useProduct(productId, true);
  const [rotating, setRotating] = useState(false);
  return (
    <Loaded query={query} page={t('Integration')}>
      {(product) => (
        <>
          <PageHead title={t('Integration')} back={{ to: href(`/products/${productId}`), label: product.name }}>
            {t('What your app needs to activate and check licenses.')}
          </PageHead>
          <Stack>
            {isNew && (
              <p className={classes['created']} role="status">
                <CheckIcon size={18} />
                <span>
                  <T
                    text="Created {name}. Put these values into your app, then {link}."
                    values={{
                      name: <bdi>{product.name}</bdi>,
                      link: <a href={href(`/products/${productId}/types`)}>{t('add a license type')}</a>,
                    }}
                  />
                </span>
              </p>
            )}
            <Columns>
              <Panel
                title={t('API key')}
                note={t('Identifies the product. The key is part of your app and is not a secret.')}
                action={
                  product.api_key !== undefined && (
                    <>
                      <CopyButton text={product.api_key} what={t('API key')} labelled />
                      <Act call="rotateApiKey" size="xs" onClick={() => setRotating(true)}>
                        {t('Rotate')}
                      </Act>
                    </>
                  )
                }
              >
                {product.api_key === undefined ? (
                  <Dim>{t('Your token is not allowed to see the API key.')}</Dim>
                ) : (
                  <Code label={t('API key')}>{product.api_key}</Code>
                )}
                <May call="getPreviousApiKey">
                  <PreviousApiKey productId={productId} />
                </May>
              </Panel>
              <Panel
                title={t('Public key')}
                note={t('Verifies offline tokens without a network.')}
                action={<CopyButton text={product.public_key} what={t('public key')} labelled />}
              >
                <Code label={t('Public key')}>{product.public_key.trim()}</Code>
              </Panel>
            </Columns>
            <May call="listSigningKeys">
              <SigningKeys productId={productId} />
            </May>
            <DeviceLists product={product} />
            <TrialLimit product={product} />
            <Snippets
              product={product}
              name={t('Client snippet')}
              title={t('In your app')}
              note={t('Activates a key on this device and checks it.')}
              snippets={appSnippets}
            />
            <Snippets
              product={product}
              name={t('Webhook snippet')}
              title={t('In your backend')}
              note={t('Verifies the signature of a webhook before your backend uses the body. The secret is on the webhooks page.')}
              snippets={webhookSnippets}
            />
            <May call="listPaymentConnections">
              <IntegrationPayments productId={productId} />
            </May>
          </Stack>
          <RotateApiKey productId={productId} opened={rotating} onClose={() => setRotating(false)} />
        </>
      )}
    </Loaded>
  );
}
