import { useDeferredValue, type SyntheticEvent } from 'react';
import type { Delivery } from '../api';
import { useMay } from '../permission';
import { useMailPreview } from '../queries/mail';
import type { RequestOf } from '../routes';
import { number, t } from '../texts';
import { Dim } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import classes from './payments.module.css';

/** A preview of a mail with sample data. Texts and URLs that are empty have their defaults. */
export function MailPreview({ productId, mail }: { productId: number; mail: RequestOf<'previewMail'>['body'] }) {
  const given = Object.fromEntries(Object.entries(mail ?? {}).filter(([, value]) => value !== ''));
  const preview = useMailPreview(productId, useDeferredValue(JSON.stringify(given)));
  return (
    <section aria-label={t('Preview')} className={classes['preview']}>
      {preview.error && <Problem error={preview.error} />}
      {preview.data && (
        <>
          <p>
            <strong>{preview.data.subject}</strong>
          </p>
          <pre>{preview.data.text}</pre>
        </>
      )}
    </section>
  );
}

/** A mail as its reader sees it. The frame runs no scripts and opens no links. */
function MailFrame({ html }: { html: string }) {
  // The page's content security policy forbids style attributes, also in the frame. Therefore the attributes get another name, and their
  // styles are set by this script.
  const onLoad = ({ currentTarget: frame }: SyntheticEvent<HTMLIFrameElement>): void => {
    const { contentDocument: shown } = frame;
    if (!shown) return;
    for (const element of shown.querySelectorAll<HTMLElement>('[data-style]')) element.style.cssText = element.dataset['style'] ?? '';
    frame.style.height = `${shown.documentElement.scrollHeight}px`;
  };
  return (
    <iframe
      className={classes['mail']}
      title={t('The mail')}
      sandbox="allow-same-origin"
      srcDoc={html.replaceAll(' style="', ' data-style="')}
      onLoad={onLoad}
    />
  );
}

/** The request for the preview of a mail that was sent; undefined if the mail cannot be made again, such as a mail with a code. */
function previewOf({ event, license_id, payload: { data } }: Delivery): RequestOf<'previewMail'>['body'] | undefined {
  if (license_id === null) return undefined;
  if (event === 'license.key_mailed') return { license_id };
  if (event === 'portal.invitation') return { license_id, event: 'invitation' };
  return data.reminder && { license_id, event: data.reminder.event, days: data.reminder.days };
}

function Sent({ productId, request, licenses }: { productId: number; request: RequestOf<'previewMail'>['body']; licenses: number }) {
  const query = useMailPreview(productId, JSON.stringify(request));
  return (
    <>
      <Dim>
        {t('The text of a mail is not kept. This is the mail as it would be sent now, with the present settings and license.')}{' '}
        {licenses > 1 && t('The mail is about {count} licenses. The preview shows the first one.', { count: number(licenses) })}
      </Dim>
      <Loaded query={query} lines={4}>
        {({ subject, html }) => (
          <>
            <p>
              <strong>{subject}</strong>
            </p>
            <MailFrame html={html} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The mail of an entry of the delivery log, with its subject and content. */
export function SentMail({ delivery }: { delivery: Delivery }) {
  const request = previewOf(delivery);
  const may = useMay();
  const { license_ids: ids = [] } = delivery.payload.data;
  return (
    <section aria-label={t('The mail')} className={classes['form']}>
      <h3>{t('The mail')}</h3>
      {request === undefined ? (
        <Dim>{t('The text of this mail is not kept, because it may contain a code for signing in.')}</Dim>
      ) : !may('previewMail') ? (
        <Dim>{t('This token may not see the mail.')}</Dim>
      ) : (
        <Sent productId={delivery.product_id} request={request} licenses={ids.length} />
      )}
    </section>
  );
}
