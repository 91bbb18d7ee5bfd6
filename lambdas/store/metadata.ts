import type { License } from '../domain/license';
import { metadataKey } from './keys';
import type { Action } from './transaction';

/** Long metadata of licenses is stored in immutable rows, which are named by the hash of their content. */

/** Number of days for which replaced metadata is kept, because events in the delivery log refer to it. */
const KEPT_DAYS = 40;

/** The action that stores a license's long metadata. There is no action if the metadata is short or already stored. */
export const putMetadata = ({ id, metadata }: Pick<License, 'id' | 'metadata'>): Action[] =>
  metadata.ref === undefined || metadata.json === undefined
    ? []
    : [{ Put: { Item: { ...metadataKey(id, metadata.ref), json: metadata.json } } }];

/** The action that lets the row of replaced long metadata expire. */
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
