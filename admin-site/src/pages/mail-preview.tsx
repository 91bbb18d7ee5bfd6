import { useDeferredValue } from 'react';
import { useMailPreview } from '../queries/mail';
import type { RequestOf } from '../routes';
import { t } from '../texts';
import { Problem } from '../ui/states';
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
