import { ApiError } from '../api';

export interface WrongField {
  /** The field's name in the API; empty if the problem is not about a field. */
  readonly field: string;
  /** A sentence to show next to the field. */
  readonly words: string;
}

/**
 * The problems that a refusal names, each with its field. In the service's message, each problem begins with the name of its field:
 * `slug is required; plans[0].ref must …`.
 */
export function wrongFields(error: Error | null): readonly WrongField[] {
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 409)) return [];
  return error.message.split('; ').map((problem) => {
    const [, field, predicate] = /^([a-z_]+)(?:[.[]\S*)? ((?:is|must|does|has|leads|cannot) .+)$/s.exec(problem) ?? [];
    return field === undefined || predicate === undefined
      ? { field: '', words: problem }
      : { field, words: `This ${predicate.replace(/\.$/, '')}.` };
  });
}

/** The problem of one field; undefined if the refusal does not name the field. */
export const wrongWith = (error: Error | null, field: string): string | undefined =>
  wrongFields(error).find((wrong) => wrong.field === field)?.words;
