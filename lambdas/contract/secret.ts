import * as z from 'zod';
import { permits, type Scope } from './scopes';

/**
 * Marks the fields of responses that contain a secret. These fields are removed from responses to tokens without the scope `manage`
 * (docs/spec/operator.md, Scopes).
 */

const MARK = 'x-secret';

/** Marks a field as a secret. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => schema.meta({ [MARK]: true });

/** Makes a secret field optional, for endpoints that tokens without the scope `manage` may also call. */
export const secretIfPermitted = <Schema extends z.ZodType>(field: Schema): z.ZodOptional<Schema> =>
  field.optional().meta({ description: `${field.meta()?.description ?? ''} Absent for tokens without the scope \`manage\`.`.trim() });

/** Whether {@link secret} has marked a field, which may be optional. */
export const isSecret = (field: unknown): boolean =>
  field instanceof z.ZodOptional ? isSecret(field.unwrap()) : field instanceof z.ZodType && field.meta()?.[MARK] === true;

/** Whether responses to a token with these scopes contain secrets. */
export const seesSecrets = (held: readonly Scope[]): boolean => permits(held, 'manage');
