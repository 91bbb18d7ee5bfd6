import { Textarea, TextInput } from '@mantine/core';
import { t } from '../texts';
import type { Field } from '../ui/use-fields';
import { metadataIn, type MetadataInput } from './metadata';
import classes from './metadata-fields.module.css';

/** The fields for the metadata of a license. */

interface Props {
  readonly field: (name: keyof MetadataInput) => Field<string>;
}

export const NameFields = ({ field }: Props) => (
  <>
    <TextInput label={t('Buyer’s name (optional)')} {...field('name')} autoComplete="off" />
    <TextInput label={t('Company (optional)')} {...field('company')} autoComplete="off" />
  </>
);

export const MetadataField = ({ field }: Props) => (
  <Textarea
    label={t('Metadata (optional)')}
    {...field('metadata')}
    description={t('Any data to store with the license, as JSON.')}
    placeholder='{"order": "A-1001"}'
    error={
      metadataIn({ name: field('name').value, company: field('company').value, metadata: field('metadata').value }).problem ??
      field('metadata').error
    }
    rows={3}
    spellCheck={false}
    classNames={{ input: classes['mono'] ?? '' }}
  />
);
