import { Button, Input } from '@mantine/core';
import { useId, useState } from 'react';
import { uploadLogo, type LogoImage } from '../logo';
import { t } from '../texts';
import { FileField } from '../ui/file-field';
import classes from './portal.module.css';

/** The field for the logo of the portal. A chosen image is uploaded at once, and becomes the logo when the settings are saved. */
export function LogoField({
  productId,
  logo,
  error,
  onChange,
}: {
  readonly productId: number;
  readonly logo: LogoImage | null;
  /** What the service refused about the logo. */
  readonly error: string | undefined;
  readonly onChange: (logo: LogoImage | null) => void;
}) {
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const choose = (file: File): void => {
    setBusy(true);
    setProblem(undefined);
    uploadLogo(productId, file)
      .then(onChange, (reason: Error) => setProblem(reason.message))
      .finally(() => setBusy(false));
  };
  return (
    <Input.Wrapper
      id={id}
      label={t('Logo (optional)')}
      description={t('PNG, SVG, JPEG or WebP, for the portal and mails. It is shown at most 240 pixels wide and 48 pixels high.')}
      error={problem ?? error}
    >
      <div className={classes['logo']}>
        <FileField id={id} accept="image/*" aria-describedby={`${id}-description ${id}-error`} disabled={busy} onFile={choose} />
        {logo && (
          <Button variant="default" size="xs" onClick={() => onChange(null)}>
            {t('Remove the logo')}
          </Button>
        )}
        <span role="status">{busy ? t('Uploading') : null}</span>
      </div>
    </Input.Wrapper>
  );
}
