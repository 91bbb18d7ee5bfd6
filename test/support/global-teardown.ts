export default async function globalTeardown(): Promise<void> {
  await (globalThis as { stopStack?: () => Promise<void> }).stopStack?.();
}
