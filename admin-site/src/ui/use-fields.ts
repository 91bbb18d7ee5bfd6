import { useForm } from '@mantine/form';
import type { ChangeEvent } from 'react';
import type { Sending } from './form';
import { wrongWith } from './wrong-field';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The properties of the input of a field. */
export interface Field<Value> {
  readonly value: Value;
  /** Takes the new value, or the event of an input whose value is text. */
  readonly onChange: (next: Value | ChangeEvent<Input>) => void;
  /** What the service refused about the value. */
  readonly error: string | undefined;
}

/** The text of an optional field; null if it is empty. */
export const textIn = (text: string): string | null => text.trim() || null;

/**
 * The input of a form. The fields have the names of the fields of the request, so that each problem that the service names is shown at its
 * field.
 *
 * @param filled the values with which the form is filled first
 * @param change the request, with its last refusal
 */
export function useFields<Values extends Record<string, unknown>>(filled: Values, { error }: Pick<Sending, 'error'>) {
  const { values, getInputProps, setFieldValue, setValues } = useForm<Values>({ initialValues: filled });
  return {
    values,
    error,
    /** Changes some of the values. */
    change: (changed: Partial<Values>): void => setValues(changed),
    field: <Name extends keyof Values & string>(name: Name): Field<Values[Name]> => {
      const input: Pick<Field<Values[Name]>, 'onChange'> = getInputProps<string>(name);
      return { value: values[name], onChange: input.onChange, error: wrongWith(error, name) };
    },
    /** The properties of the checkbox of a field that is true or false. */
    check: (name: keyof Values & string) => ({
      checked: values[name] === true,
      onChange: (checked: boolean): void => setFieldValue<Values, string>(name, checked as never),
      error: wrongWith(error, name),
    }),
  };
}
