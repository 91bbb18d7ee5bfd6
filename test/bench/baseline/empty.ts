/** A function that does nothing. It shows the cost of Node.js alone at a cold start. */
export const handler = (): Promise<{ statusCode: number; body: string }> => Promise.resolve({ statusCode: 200, body: '{}' });
