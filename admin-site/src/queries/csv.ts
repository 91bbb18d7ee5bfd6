/** A part of an exported file. */

/** One page of licenses or log entries as a part of a CSV file. */
export interface CsvPage {
  readonly text: string;
  /** Number of rows that the service could not read and left out. */
  readonly unreadable: number;
}
