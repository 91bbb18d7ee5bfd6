import type { License } from '../../domain/license';
import type { Action } from '../transaction';
import { licenseRowKey } from './rows';

/**
 * The actions that record that the keys of trials were mailed. Keys of trials are mailed only on request, and a trial gets reminders only
 * if its key was mailed. The actions have no condition. If a license is moved to another key at the same time, its old row is marked
 * instead of its new row. The only effect is that the license gets no reminders.
 */
export const markMailed = (licenses: readonly License[]): Action[] =>
  licenses
    .filter(({ license_type, key_mailed }) => license_type.kind === 'trial' && !key_mailed)
    .map((license) => ({
      Update: { Key: licenseRowKey(license), UpdateExpression: 'SET key_mailed = :true', ExpressionAttributeValues: { ':true': true } },
    }));
