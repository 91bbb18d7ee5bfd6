import type { ReactNode } from 'react';
import { readText } from '../read-text';
import { FileField } from './file-field';

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
    {label} <FileField accept=".csv,text/csv,text/plain" onFile={(file) => void readText(file).then(onText, onProblem)} />
  </label>
);
