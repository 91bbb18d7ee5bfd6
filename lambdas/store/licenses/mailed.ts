import type { License } from '../../domain/license';
import type { Action } from '../transaction';
import { licenseRowKey } from './rows';

/**
 * The actions that record that the keys of trials were mailed. Keys of trials are mailed only on request. The actions have no condition: if
 * the license is moved to another key at the same time, the only effect is that its reminders are not sent.
 */
export const markMailed = (licenses: readonly License[]): Action[] =>
  licenses
    .filter(({ license_type, key_mailed }) => license_type.kind === 'trial' && !key_mailed)
    .map((license) => ({
      Update: { Key: licenseRowKey(license), UpdateExpression: 'SET key_mailed = :true', ExpressionAttributeValues: { ':true': true } },
    }));
