import { TextInput, type TextInputProps } from '@mantine/core';

/** A field for a whole number. Its value is text, which `numberIn` parses. */
export function NumberField({
  value,
  onChange,
  ...rest
}: { value: string; onChange: (value: string) => void } & Omit<TextInputProps, 'value' | 'onChange' | 'type'>) {
  return (
    <TextInput
      {...rest}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.replace(/\D/g, ''))}
      inputMode="numeric"
      autoComplete="off"
    />
  );
}

/** The number in a field; undefined if the field is empty. */
export const numberIn = (value: string): number | undefined => (value === '' ? undefined : Number(value));
