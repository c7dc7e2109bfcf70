import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toShortened, toVisibleText } from '../../../../../src/gateway/pages/elements/visible-text.ts'

const toHtml = async (text: string, maxMarks?: number) => String(await toVisibleText(text, maxMarks))

describe('toVisibleText', () => {
  test.each([
    { given: 'plain', want: '<bdi>plain</bdi>' },
    { given: '<b>&"\'', want: '<bdi>&lt;b&gt;&amp;&quot;&#39;</bdi>' },
    { given: 'a\nb', want: '<bdi>a<span class="mark" title="U+000A">⏎</span>b</bdi>' },
    { given: '\u0007', want: '<bdi><span class="mark" title="U+0007">\u2407</span></bdi>' },
    { given: '\u202etxt', want: '<bdi><span class="mark" title="U+202E">U+202E</span>txt</bdi>' },
    { given: 'a\u200db', want: '<bdi>a<span class="mark" title="U+200D">U+200D</span>b</bdi>' },
    { given: 'a\ud800b', want: '<bdi>a<span class="mark" title="U+D800">U+D800</span>b</bdi>' },
    { given: 'نمی\u200cخواهم', want: '<bdi>نمی\u200cخواهم</bdi>' },
    { given: '👩\u200d💻', want: '<bdi>👩\u200d💻</bdi>' },
    { given: '日本語 é 😀', want: '<bdi>日本語 é 😀</bdi>' },
  ])('shows $given', async ({ given, want }) => expect(await toHtml(given)).toBe(want))

  test('draws a few marks and counts the rest', async () => {
    const html = await toHtml('\0'.repeat(1000), 3)
    expect(html.match(/U\+0000/g)).toHaveLength(3)
    expect(html).toContain('997 more')
  })

  test('never lets markup or a bidirectional control through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async text => {
        const html = await toHtml(text)
        expect(html.replaceAll(/<\/?(?:bdi|span(?: class="mark" title="U\+[0-9A-F]{4,6}")?)>/g, '')).not.toMatch(
          /[<>\u202a-\u202e\u2066-\u2069\0]/,
        )
      }),
    )
  })
})

test.each([
  { given: 'abc', maxChars: 3, want: 'abc' },
  { given: 'abcd', maxChars: 3, want: 'abc' },
  { given: 'a😀b', maxChars: 2, want: 'a' },
])('toShortened cuts $given at $maxChars', ({ given, maxChars, want }) =>
  expect(toShortened(given, maxChars)).toBe(want),
)
