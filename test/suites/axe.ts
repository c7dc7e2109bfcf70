import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What axe finds of an open page that is serious or critical, a line each: the rule, the element and why; `besides` names rules that are left out. */
export const findBarriers = async (
  page: Page,
  { besides = [] }: { readonly besides?: readonly string[] } = {},
): Promise<readonly string[]> => {
  // The policy of the pages lets no script in, so it comes by the debugger.
  await page.evaluate(source)
  const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, {
    resultTypes: ['violations'],
    rules: ${JSON.stringify(Object.fromEntries(besides.map(rule => [rule, { enabled: false }])))},
  })
    .then(({ violations }) => violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
    })))`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}: ${failureSummary}`))
}
