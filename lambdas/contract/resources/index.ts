/**
 * The resources of the API as they appear in requests and responses (docs/spec/service.md, Resources). Each has a file of its own, so that
 * a function loads those of its route only: a schema takes time to make, and most requests of a small vendor are cold starts.
 */
export * from './client-license';
export * from './common';
export * from './device';
export * from './email';
export * from './features';
export * from './license';
export * from './license-key';
export * from './license-kind';
export * from './license-state';
export * from './license-type';
export * from './metadata';
export * from './product';
export * from './release';
