import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * How a test recognizes that a page has changed to the system's color scheme. The admin page marks this in its HTML; the documentation uses
 * only CSS.
 */
const followed = {
  light: 'html[data-mantine-color-scheme="light"], html:not([data-mantine-color-scheme])',
  dark: 'html[data-mantine-color-scheme="dark"], html:not([data-mantine-color-scheme])',
} as const;

/** The axe rules for each color scheme: the dark scheme only changes colors, so only the rules about colors run there. */
const rules = { light: {}, dark: { runOnly: ['color-contrast', 'link-in-text-block'] } } as const;

/**
 * All findings of axe-core on the current page, in the light and in the dark color scheme.
 *
 * @param where names the page in the findings
 * @param parts restricts the check to these parts of the page
 */
export async function findings(page: Page, where: string, ...parts: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(followed[colorScheme]).waitFor();
    const { violations } = await page.evaluate<{ violations: readonly Finding[] }>(
      `axe.run(${JSON.stringify(parts.length > 0 ? parts : ['html'])}, ${JSON.stringify({ resultTypes: ['violations'], ...rules[colorScheme] })})`,
    );
    found.push(
      ...violations.flatMap(({ id, impact, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) => `${where}, ${colorScheme}: ${impact ?? ''} ${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`,
        ),
      ),
    );
  }
  return found;
}
