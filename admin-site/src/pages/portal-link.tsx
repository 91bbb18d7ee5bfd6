import { useState } from 'react';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { usePortal } from '../queries/mail';
import { useProduct } from '../queries/products';
import { t, T } from '../texts';
import { Act } from '../ui/act';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { ExitIcon } from '../ui/icons';
import { Code, Dim, Stack } from '../ui/page';
import { Problem } from '../ui/states';
import { Moment } from '../ui/time';

/** Creates a link with which a buyer signs in to the portal of a product. Shows nothing while the portal is disabled. */
export const PortalLink = (props: { productId: number; email: string }) => (
  <May call="getPortal">
    <Link {...props} />
  </May>
);

function Link({ productId, email }: { productId: number; email: string }) {
  const portal = usePortal(productId);
  const product = useProduct(productId);
  const [opened, setOpened] = useState(false);
  const make = useChange('createPortalLink');
  if (!portal.data?.enabled) return null;
  const start = (): void => {
    setOpened(true);
    make.mutate({ params: { id: productId }, body: { customer_email: email } });
  };
  return (
    <>
      <Act call="createPortalLink" size="xs" Icon={ExitIcon} onClick={start} loading={make.isPending}>
        {t('Portal link')}
      </Act>
      <Dialog
        title={t('Portal of {name}', { name: product.data?.name ?? '' })}
        opened={opened && !make.isPending}
        onClose={() => setOpened(false)}
      >
        <Stack>
          {make.error && <Problem error={make.error} />}
          {make.data && (
            <>
              <p>
                <T
                  text="With this link, {email} can sign in once. Send the link to this address only."
                  values={{ email: <bdi>{email}</bdi> }}
                />
              </p>
              <Code label={t('Link')}>{make.data.url}</Code>
              <div>
                <CopyButton text={make.data.url} what={t('link')} />
              </div>
              <p>
                <Dim>
                  <T text="The link works until {time}." values={{ time: <Moment at={make.data.expires_at} /> }} />
                </Dim>
              </p>
            </>
          )}
        </Stack>
      </Dialog>
    </>
  );
}
