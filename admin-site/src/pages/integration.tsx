import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Product } from '../api';
import { useProduct } from '../queries';
import { href } from '../router';
import { CopyButton } from '../ui/copy-button';
import { CheckIcon } from '../ui/icons';
import { Code, Columns, PageHead, Panel, Stack } from '../ui/page';
import { Loaded } from '../ui/states';
import classes from './integration.module.css';
import { snippets } from './snippets';

function Snippet({ product }: { product: Product }) {
  const [place, setPlace] = useState(0);
  const { text, label } = snippets[place] ?? snippets[0];
  const code = text(product, window.location.origin);
  return (
    <Panel
      title="In your app"
      note="Ready to paste: it activates a key on this machine and checks it."
      action={
        <>
          <NativeSelect aria-label="Language" size="xs" value={String(place)} onChange={(event) => setPlace(Number(event.currentTarget.value))} data={snippets.map((snippet, index) => ({ value: String(index), label: snippet.label }))} />
          <CopyButton text={code} what="snippet" labelled />
        </>
      }
    >
      <Code label={`Client snippet, ${label}`}>{code}</Code>
    </Panel>
  );
}

/** What an app of this product needs. */
export function IntegrationPage({ productId, isNew }: { productId: number; isNew: boolean }) {
  const query = useProduct(productId);
  return (
    <Loaded query={query}>
      {(product) => (
        <>
          <PageHead title="Integration" back={{ to: href(`/products/${productId}`), label: product.name }}>
            What your app needs to activate and check licenses.
          </PageHead>
          <Stack>
            {isNew && (
              <p className={classes['created']} role="status">
                <CheckIcon size={18} />
                <span>
                  <bdi>{product.name}</bdi> is created. Put these into your app, then <a href={href(`/products/${productId}/types`)}>add a license type</a>.
                </span>
              </p>
            )}
            <Columns>
              <Panel title="API key" note="Ships inside your app and names the product. It is no secret of its users." action={<CopyButton text={product.api_key} what="API key" labelled />}>
                <Code label="API key">{product.api_key}</Code>
              </Panel>
              <Panel title="Public key" note="Verifies offline tokens, without a network." action={<CopyButton text={product.public_key} what="public key" labelled />}>
                <Code label="Public key">{product.public_key.trim()}</Code>
              </Panel>
            </Columns>
            <Snippet product={product} />
          </Stack>
        </>
      )}
    </Loaded>
  );
}
