import { TextInput } from '@mantine/core';
import { limitsIn } from '../../../lambdas/contract/resources/limits-text';
import { t } from '../texts';
import type { Field } from './use-fields';

/** A field for limits: text such as `cores=8 projects=50`, which `limitsIn` parses. */
export const LimitsField = ({ error, ...field }: Field<string>) => (
  <TextInput
    label={t('Limits (optional)')}
    description={t('Numbers that apps read, separated by spaces, such as cores=8 projects=50. The service does not enforce them.')}
    {...field}
    error={limitsIn(field.value) === undefined ? t('Each limit must be a name and a number, such as projects=50, and occur once.') : error}
    autoComplete="off"
    spellCheck={false}
  />
);
