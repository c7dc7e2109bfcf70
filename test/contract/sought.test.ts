/** The pages say the terms that people look for; `test/docs/site.test.ts` asks the site's search itself. */
import { expect, test } from 'vitest'
import { isFound, sought, toAddress } from '../docs/sought.ts'

test.each(sought)('%s is found on %s', (term, page) => {
  expect(isFound(term, page)).toBe(true)
  expect(toAddress(page)).toMatch(/^\/[\w/-]+\.html$/)
})

test('there are sixty of them at least, each once', () => {
  expect(sought.length).toBeGreaterThanOrEqual(60)
  expect(new Set(sought.map(([term]) => term.toLowerCase())).size).toBe(sought.length)
})

test('a term that no section has whole is not found', () => {
  expect(isFound('backpressure zookeeper', 'docs/concepts.md')).toBe(false)
})
