/**
 * Replaces the SDK's event streams in the bundles (see `infra/bundle.ts`). No operation that the service calls sends or receives an event
 * stream.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('The bundles contain no event streams');
  }
}

export const eventStreamSerdeProvider = (): undefined => undefined;

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
