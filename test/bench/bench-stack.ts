/** The local run that a benchmark measures. */
export interface BenchStack {
  readonly pid: number;
  /** The environment for bundled functions that use the table of the local run. */
  readonly env: Readonly<Record<string, string>>;
}
