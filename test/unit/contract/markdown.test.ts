import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { toMarkup } from '../../../src/contract/markdown.ts'

test.each([
  { given: 'one\ntwo\n\nthree', want: '<p>one two</p><p>three</p>' },
  { given: 'a `b<c>` **d `e`**', want: '<p>a <code>b&lt;c&gt;</code> <strong>d <code>e</code></strong></p>' },
  { given: '- one\n  more\n- two', want: '<ul><li>one more</li><li>two</li></ul>' },
  { given: '<script>alert("x")</script>', want: '<p>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</p>' },
  { given: '` **', want: '<p>` **</p>' },
])('toMarkup renders $given', async ({ given, want }) => {
  expect(String(await html`${toMarkup(given)}`)).toBe(want)
})

test('toMarkup renders a table', async () => {
  const text = String(await html`${toMarkup('| A | B |\n|---|---|\n| `x` | <y> |')}`)
  expect(text).toContain('<th scope="col">A</th><th scope="col">B</th>')
  expect(text).toContain('<tr><td><code>x</code></td><td>&lt;y&gt;</td></tr>')
})
