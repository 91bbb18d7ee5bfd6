import * as z from 'zod';
import { permits, type Scope } from './scopes';

/** Fields of responses that hold a secret: tokens below the scope `manage` are not shown them (docs/spec/operator.md, Scopes). */

const MARK = 'x-secret';

/** Marks a field. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ [MARK]: true });

/** A marked field as a row declares it that tokens of lesser scopes may call as well. */
export const secretIfPermitted = <Schema extends z.ZodType>(field: Schema): z.ZodOptional<Schema> =>
  field.optional().meta({ description: `${field.meta()?.description ?? ''} Absent for tokens below the scope \`manage\`.`.trim() });

/** True for a field that {@link secret} has marked, optional or not. */
export const isSecret = (field: unknown): boolean =>
  field instanceof z.ZodOptional ? isSecret(field.unwrap()) : field instanceof z.ZodType && field.meta()?.[MARK] === true;

/** Whether a token with these scopes is shown secrets. */
export const seesSecrets = (held: readonly Scope[]): boolean => permits(held, 'manage');
