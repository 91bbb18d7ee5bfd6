/**
 * The fields of a request whose values differ from those of another request. A form sends only the fields that its user changed, so that a
 * simultaneous change of other fields by somebody else is kept.
 */
export const changedFields = <Request extends object>(before: Request, after: Request): Partial<Request> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Request])),
  ) as Partial<Request>;
