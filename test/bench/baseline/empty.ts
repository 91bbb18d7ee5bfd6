/** A function that does nothing: what Node.js alone costs at a cold start. */
export const handler = (): Promise<{ statusCode: number; body: string }> => Promise.resolve({ statusCode: 200, body: '{}' });
