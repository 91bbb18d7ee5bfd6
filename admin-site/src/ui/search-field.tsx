import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

/** A search field. The search starts when Enter is pressed, and ends as soon as the field is empty. */
export function SearchField({
  label,
  name,
  placeholder,
  searched,
  onSearch,
}: {
  /** The label of the search. */
  label: string;
  /** The label of the field. */
  name: string;
  placeholder: string;
  /** The text of the present search. The field shows it whenever it changes. */
  searched: string;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(searched);
  useEffect(() => setText(searched), [searched]);
  const onChange = (value: string): void => {
    setText(value);
    if (value.trim() === '') onSearch('');
  };
  return (
    <form
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <TextInput
        aria-label={name}
        placeholder={placeholder}
        size="xs"
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        type="search"
      />
    </form>
  );
}
