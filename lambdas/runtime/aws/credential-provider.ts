import { fromEnv } from '@aws-sdk/credential-provider-env';

/** Replaces the SDK's default chain of credential providers in the bundles (see `infra/bundle.ts`). */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
