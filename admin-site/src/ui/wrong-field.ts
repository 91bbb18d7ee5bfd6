import { ApiError } from '../api';

export interface WrongField {
  /** As the API names it. */
  readonly field: string;
  /** A sentence about the field that is read at it. */
  readonly words: string;
}

/**
 * The field that a refusal is about, and what is wrong with it. The service names it first: `body slug: must …`,
 * or `slug is taken by …`.
 */
export function wrongField(error: Error | null): WrongField | undefined {
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 409)) return undefined;
  const [, field, predicate] = /^(?:(?:body|query) )?([a-z_]+)(?:[.[][^:]*)?(?:: | (?=(?:is|must|leads|cannot) ))(.+)$/s.exec(error.message) ?? [];
  if (field === undefined || predicate === undefined) return undefined;
  return { field, words: `This ${predicate.replace(/\.$/, '')}.` };
}

/** What is wrong with one field, if a refusal is about it. */
export const wrongWith = (error: Error | null, field: string): string | undefined => {
  const wrong = wrongField(error);
  return wrong?.field === field ? wrong.words : undefined;
};
