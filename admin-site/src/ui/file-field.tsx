import type { InputHTMLAttributes } from 'react';

type Props = Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'onClick' | 'onChange'> & { readonly onFile: (file: File) => void };

/** A field for one file. It can be chosen again after it was changed. */
export const FileField = ({ onFile, ...rest }: Props) => (
  <input
    type="file"
    {...rest}
    // The field is cleared first, because browsers report no change if the same file is chosen again.
    onClick={(event) => {
      event.currentTarget.value = '';
    }}
    onChange={({ currentTarget: { files } }) => {
      const [file] = files ?? [];
      if (file) onFile(file);
    }}
  />
);
