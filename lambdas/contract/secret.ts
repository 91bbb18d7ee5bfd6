import * as z from 'zod';
import { permits, type Scope } from './scopes';

/** Fields of responses that hold a secret: they are removed for tokens below the scope `manage` (docs/spec/operator.md, Scopes). */

const MARK = 'x-secret';

/** Marks a field. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ [MARK]: true });

/** A marked field that is optional, for rows that tokens without the scope `manage` may call too. */
export const secretIfPermitted = <Schema extends z.ZodType>(field: Schema): z.ZodOptional<Schema> =>
  field.optional().meta({ description: `${field.meta()?.description ?? ''} Absent for tokens below the scope \`manage\`.`.trim() });

/** True for a field that {@link secret} has marked, optional or not. */
export const isSecret = (field: unknown): boolean =>
  field instanceof z.ZodOptional ? isSecret(field.unwrap()) : field instanceof z.ZodType && field.meta()?.[MARK] === true;

/** Whether responses to a token with these scopes include secrets. */
export const seesSecrets = (held: readonly Scope[]): boolean => permits(held, 'manage');
