import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';

/** Converts items between JavaScript values and DynamoDB's attribute values. */

export type Item = Record<string, NativeAttributeValue>;
export type Attributes = Record<string, AttributeValue>;

/** Converts an item to attribute values. Fields whose value is undefined are left out. */
export const encode = (item: Item): Attributes => marshall(item, { removeUndefinedValues: true });
export const decode = (attributes: Attributes): Item => unmarshall(attributes);
