import { ApiError } from '../api';

export interface WrongField {
  /** The field's name in the API; empty if the problem is not about a field. */
  readonly field: string;
  /** The place of the problem, such as `plans[0].ref`; empty if the problem is not about a field. */
  readonly path: string;
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
    const [, path, field, predicate] = /^(([a-z_]+)(?:[.[]\S*)?) ((?:is|must|does|has|leads|cannot) .+)$/s.exec(problem) ?? [];
    return path === undefined || field === undefined || predicate === undefined
      ? { field: '', path: '', words: problem }
      : { field, path, words: `This ${predicate.replace(/\.$/, '')}.` };
  });
}

/** The problem of a field, or of a part of it such as `plans[0].ref`; undefined if the refusal does not name it. */
export const wrongWith = (error: Error | null, name: string): string | undefined =>
  wrongFields(error).find(({ field, path }) => field === name || path === name)?.words;
