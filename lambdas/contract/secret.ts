import * as z from 'zod/mini';
import { documented } from './schema';
import { permits, type Scope } from './scopes';

/**
 * Marks the fields of responses that contain a secret. These fields are removed from responses to tokens without the scope `manage`
 * (docs/spec/operator.md, Scopes).
 */

const MARK = 'x-secret';

/** Marks a field as a secret. */
export const secret = <Schema extends z.ZodMiniType>(schema: Schema): Schema => documented(schema, { [MARK]: true });

/** Makes a secret field optional, for endpoints that tokens without the scope `manage` may also call. */
export const secretIfPermitted = <Schema extends z.ZodMiniType>(field: Schema): z.ZodMiniOptional<Schema> =>
  documented(z.optional(field), {
    description: `${z.globalRegistry.get(field)?.description ?? ''} Absent for tokens without the scope \`manage\`.`.trim(),
  });

/** Whether {@link secret} has marked a field. For an optional field, the mark can be on the field's inner schema. */
export const isSecret = (field: unknown): boolean =>
  field instanceof z.ZodMiniOptional
    ? isSecret(field.def.innerType)
    : field instanceof z.ZodMiniType && z.globalRegistry.get(field)?.[MARK] === true;

/** Whether responses to a token with these scopes contain secrets. */
export const seesSecrets = (held: readonly Scope[]): boolean => permits(held, 'manage');
