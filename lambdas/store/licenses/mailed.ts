import type { License } from '../../domain/license';
import type { Action } from '../transaction';
import { licenseRowKey } from './rows';

/**
 * The actions that record that the keys of trials are mailed, which happens only on request. They have no condition: a
 * license that is moved to another key at this moment only loses its reminders.
 */
export const markMailed = (licenses: readonly License[]): Action[] =>
  licenses
    .filter(({ license_type, key_mailed }) => license_type.kind === 'trial' && !key_mailed)
    .map((license) => ({
      Update: { Key: licenseRowKey(license), UpdateExpression: 'SET key_mailed = :true', ExpressionAttributeValues: { ':true': true } },
    }));
