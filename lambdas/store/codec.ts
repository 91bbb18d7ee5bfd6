import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';

/** Converts items between JavaScript values and DynamoDB's attribute values. */

export type Item = Record<string, NativeAttributeValue>;
export type Attributes = Record<string, AttributeValue>;

/**
 * Without `convertClassInstanceToMap`, the SDK refuses an object with a field `constructor`, because it takes the object for an instance of a
 * class. A limit of a license may have this name.
 */
const OPTIONS = { removeUndefinedValues: true, convertClassInstanceToMap: true };

/** Converts an item to attribute values. Fields whose value is undefined are left out. */
export const encode = (item: Item): Attributes => marshall(item, OPTIONS);
export const decode = (attributes: Attributes): Item => unmarshall(attributes);
