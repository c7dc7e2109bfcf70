import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Rules of lesser weight that hold all the same: who reads by headings has no other table of contents. */
const headingRules: ReadonlySet<string> = new Set(['heading-order', 'empty-heading', 'page-has-heading-one'])

/**
 * What axe finds of an open page that is serious or critical, or wrong with its headings, a line each: the rule, the
 * element and why.
 * @param only the rules that are looked at @default all
 */
export const findBarriers = async (
  page: Page,
  { only }: { readonly only?: readonly string[] | undefined } = {},
): Promise<readonly string[]> => {
  // The policy of the pages lets no script in, so it comes by the debugger.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source)
  const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, {
    resultTypes: ['violations'],
    runOnly: ${JSON.stringify(only)},
  })
    .then(({ violations }) => violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    })))`)
  return violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || headingRules.has(id))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}: ${failureSummary}`))
}
