import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts';

/** The names in a text, sorted and without duplicates, as the service stores them. */
export const featuresIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))].sort();

/** A field for features: names separated by spaces. */
export const FeaturesField = ({
  label = t('Features (optional)'),
  value,
  onChange,
  error,
  description = t('Names separated by spaces, such as export sync. Apps check for each feature by its name.'),
}: {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  error: ReactNode;
  description?: string;
}) => (
  <TextInput
    label={label}
    description={description}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error}
    autoComplete="off"
    spellCheck={false}
  />
);
