/**
 * The resources of the API as they appear in requests and responses (docs/spec/service.md, Resources). Each resource has its own file, so
 * that a function loads only the resources of its route. This makes cold starts faster, because building a schema takes time. A small
 * vendor's service gets so few requests that most of them are cold starts.
 */
export * from './client-license';
export * from './common';
export * from './device';
export * from './email';
export * from './feature-names';
export * from './features';
export * from './license';
export * from './license-key';
export * from './license-limits';
export * from './limits-text';
export * from './license-meters';
export * from './license-kind';
export * from './license-state';
export * from './license-type';
export * from './member';
export * from './metadata';
export * from './order';
export * from './payment';
export * from './product';
export * from './updates';
export * from './release';
