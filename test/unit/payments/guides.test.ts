import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guides, processors } from '../../../admin-site/src/pages/processors';
import { adapters } from '../../../lambdas/domain/payments';

/**
 * The admin page and the documentation name the events that an operator must select at a processor. These tests check that the service
 * handles each of these events.
 */

const body = (processor: (typeof processors)[number], event: string): string => {
  switch (processor) {
    case 'stripe':
    case 'polar':
      return JSON.stringify({ id: 'evt_1', type: event, data: { object: {} } });
    case 'paddle':
      return JSON.stringify({ event_id: 'evt_1', event_type: event, data: {} });
    case 'lemonsqueezy':
      return JSON.stringify({ meta: { event_name: event }, data: {} });
    case 'custom': {
      const required = {
        sale: { buyer: { email: 'ada@example.com' }, lines: [{ id: '1', ref: 'pro', quantity: 1 }] },
        renewal: { period: { from: '2026-11-20T00:00:00Z', until: '2026-12-20T00:00:00Z' } },
        refund: { refund: { id: 'r' } },
        dispute: { dispute: { id: 'd', state: 'open' } },
        subscription: { subscription_state: 'active' },
      }[event];
      return JSON.stringify({ id: '1', at: '2026-11-20T00:00:00Z', type: event, order: 'A-1', ...required });
    }
    case 'gumroad':
      return `resource_name=${event}`;
  }
};

describe.each(processors)('%s', (processor) => {
  const page = readFileSync(join(__dirname, `../../../docs/payments/${processor}.md`), 'utf8');

  test.each(guides[processor].events.map((event) => [event]))(
    '%s is known to the service, and is on the page about the processor',
    (event) => {
      const [action] = adapters[processor].read(body(processor, event), {})?.actions ?? [];
      if (action?.kind === 'ignored') expect(action.reason).not.toMatch(/^Events of the type .* are ignored/);
      expect(action).toBeDefined();
      // The page may contain only the last part of a name: `.paused`.
      const [, last = event] = /(\.\w+)$/.exec(event) ?? [];
      expect(page.includes(`\`${event}\``) || page.includes(`\`${last}\``) || new RegExp(`\\b${event}\\b`).test(page)).toBe(true);
    },
  );
});
