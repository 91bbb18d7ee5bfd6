import type { License } from '../domain/license';
import { metadataKey } from './keys';
import type { Action } from './transaction';

/** Long metadata of licenses: rows that are never changed, each named by the hash of its content. */

/** Days that metadata which was replaced stays, because events in the delivery log refer to it. */
const KEPT_DAYS = 40;

/** Puts a license's long metadata; nothing when it is short, or is stored already. */
export const putMetadata = ({ id, metadata }: Pick<License, 'id' | 'metadata'>): Action[] =>
  metadata.ref === undefined || metadata.json === undefined
    ? []
    : [{ Put: { Item: { ...metadataKey(id, metadata.ref), json: metadata.json } } }];

/** Lets the row of metadata that was replaced expire. */
export const retireMetadata = ({ id, metadata }: Pick<License, 'id' | 'metadata'>, now: number): Action[] =>
  metadata.ref === undefined
    ? []
    : [
        {
          Update: {
            Key: metadataKey(id, metadata.ref),
            UpdateExpression: 'SET #ttl = :ttl',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeNames: { '#ttl': 'ttl' },
            ExpressionAttributeValues: { ':ttl': Math.ceil(now / 1000) + KEPT_DAYS * 86_400 },
          },
        },
      ];
