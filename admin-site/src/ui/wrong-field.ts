import { ApiError } from '../api';

export interface WrongField {
  /** As the API names it; empty if the problem is about no field. */
  readonly field: string;
  /** A sentence about the field that is read at it. */
  readonly words: string;
}

/**
 * The fields that a refusal is about, and what is wrong with each. The service names a field first, then what it must
 * be: `slug is required; plans[0].ref must …`.
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

/** What is wrong with one field, if a refusal is about it. */
export const wrongWith = (error: Error | null, field: string): string | undefined =>
  wrongFields(error).find((wrong) => wrong.field === field)?.words;
