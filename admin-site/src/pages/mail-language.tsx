import { NativeSelect } from '@mantine/core';
import type { Language } from '../../../lambdas/contract/languages';
import { t } from '../texts';

const names: Readonly<Record<Language, string>> = { en: t('English'), de: t('German') };

const languages = Object.keys(names) as readonly Language[];

const known = (value: string): Language | null => languages.find((one) => one === value) ?? null;

/** A choice of the language of mails. If `product` is true, the language of the product can be chosen too. */
export function MailLanguage({
  label,
  value,
  onChange,
  error,
  product,
}: {
  label: string;
  value: Language | null;
  onChange: (language: Language | null) => void;
  error?: string | undefined;
  product?: boolean;
}) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      error={error}
      onChange={(event) => onChange(known(event.currentTarget.value))}
      data={[
        ...(product ? [{ value: '', label: t('The product’s') }] : []),
        ...languages.map((one) => ({ value: one, label: names[one] })),
      ]}
    />
  );
}
