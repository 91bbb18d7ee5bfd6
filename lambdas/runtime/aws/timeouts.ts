/**
 * The files in this folder implement the ports (see `ports.ts`) with the AWS SDK. Region, credentials and endpoints come from the
 * environment of the Lambda runtime. The SDK is imported statically. With a dynamic import, esbuild would wrap all code that the SDK shares
 * with the rest of the bundle, and loading the bundle would take longer.
 */

/**
 * Maximum time to connect, and maximum time to receive a response, in ms. If a call takes longer, the client repeats the call within the
 * same request.
 */
export const timeouts = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };
