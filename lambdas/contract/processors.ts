/** The payment processors that can sell licenses (docs/spec/payments.md, Payment connections). */
export const processors = ['stripe', 'paddle', 'lemonsqueezy', 'polar', 'gumroad', 'custom'] as const;
export type Processor = (typeof processors)[number];
