import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** The names in a text, sorted and each once, as the service keeps them. */
export const featuresIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))].sort();

/** Features, as names between spaces. */
export const FeaturesField = ({ value, onValue, error }: { value: string; onValue: (value: string) => void; error: ReactNode }) => (
  <TextInput
    label="Features (optional)"
    description="Names with spaces between, such as export sync. Apps ask for them by name."
    value={value}
    onChange={(event) => onValue(event.currentTarget.value)}
    error={error}
    autoComplete="off"
    spellCheck={false}
  />
);
