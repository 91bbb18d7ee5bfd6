import type { ReactNode } from 'react';
import { readText } from '../read-text';

/** A field for a CSV file. `onText` gets the text of the chosen file, and `onProblem` gets the reason if the file can’t be read. */
export const CsvFile = ({
  label,
  className,
  onText,
  onProblem,
}: {
  label: ReactNode;
  className: string | undefined;
  onText: (text: string) => void;
  onProblem: (problem: Error) => void;
}) => (
  <label className={className}>
    {label}{' '}
    <input
      type="file"
      accept=".csv,text/csv,text/plain"
      // The field is cleared first, because browsers report no change if the same file is chosen again after it was corrected.
      onClick={(event) => {
        event.currentTarget.value = '';
      }}
      onChange={({ currentTarget: { files } }) => {
        const [file] = files ?? [];
        if (file) void readText(file).then(onText, onProblem);
      }}
    />
  </label>
);
