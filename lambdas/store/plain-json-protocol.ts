import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { collectBody } from '@smithy/core/protocols';
import type { HttpResponse, MetadataBearer, OperationSchema } from '@smithy/types';

type Serialize = AwsJson1_0Protocol['serializeRequest'];
type Context = Parameters<AwsJson1_0Protocol['deserializeResponse']>[1];

/**
 * DynamoDB's wire protocol without schemas. The SDK's own protocol converts each request and each response with a schema, which takes a
 * tenth of a call's processor time (docs/decisions.md 29). This conversion is needed only for binary values and dates: all other values of
 * inputs and outputs already have the structure of the JSON in requests and responses. This class converts binary values itself, and this
 * service uses no command with dates.
 */
export class PlainJsonProtocol extends AwsJson1_0Protocol {
  override async serializeRequest(...[operation, input, context]: Parameters<Serialize>): ReturnType<Serialize> {
    // The inherited method creates the request from an empty input, and this method adds the body.
    const request = await super.serializeRequest(operation, {}, context);
    request.body = JSON.stringify(input, withBase64);
    return request;
  }

  override async deserializeResponse<Output extends MetadataBearer>(
    operation: OperationSchema,
    context: Context,
    response: HttpResponse,
  ): Promise<Output> {
    // The inherited method creates the errors, with their classes.
    if (response.statusCode >= 300) return super.deserializeResponse(operation, context, response);
    const body = Buffer.from(await collectBody(response.body, context)).toString();
    const output = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
    return { ...fromBase64(output), $metadata: this.deserializeMetadata(response) } as Output;
  }
}

/**
 * Replaces binary values with their Base64 text. `JSON.stringify` has already converted a `Buffer` into another object when it calls this
 * function, so the original value is read from `this`.
 */
function withBase64(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}

/**
 * Converts the Base64 texts of binary values into bytes. A text in a field `B` is always a binary value: if an attribute of an item has the
 * name `B`, its field contains an object, not a text.
 */
function fromBase64<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, inner] of Object.entries(value) as [keyof Value & string, unknown][]) {
    if (name === 'B' && typeof inner === 'string') Object.assign(value, { B: new Uint8Array(Buffer.from(inner, 'base64')) });
    else fromBase64(inner);
  }
  return value;
}
