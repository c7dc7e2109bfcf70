import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withoutComments } from '../../../../admin/console/without-comments.ts'

const folder = new URL('../../../../admin/console/static/', import.meta.url)
const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.js'))

test.each([
  ['/** One. */\nconst a = 1\n', '\nconst a = 1\n'],
  ['/**\n * Two lines.\n */\nconst a = 1\n', '\n\n\nconst a = 1\n'],
  ['/** @type {A} */ f()\n/** What is behind it stays. */\n', '/** @type {A} */ f()\n\n'],
  ['  // One.\n  // Another.\n  f()\n', '\n\n  f()\n'],
  ['const a = /** @type {A} */ (b) // why\n', 'const a = /** @type {A} */ (b) // why\n'],
  ["const url = 'http://a' /* what */\n", "const url = 'http://a' /* what */\n"],
  ['/** @type {A} */ const a = 1\n', '/** @type {A} */ const a = 1\n'],
  ['', ''],
])('%j', (source, sent) => {
  expect(withoutComments(source)).toBe(sent)
})

test.each(modules)(
  '%s: the lines that are left are those that were written, and none within a template is gone',
  name => {
    const source = readFileSync(new URL(name, folder), 'utf8')
    const lines = source.split('\n')
    const sent = withoutComments(source).split('\n')
    expect(sent.length).toBe(lines.length)
    let isInTemplate = false
    for (const [index, line] of lines.entries()) {
      const isSent = sent[index] === line
      if (!isSent)
        expect([sent[index], isInTemplate, line.trim().replace(/^(\/\/|\/?\*).*/, '')]).toEqual(['', false, ''])
      else if ((line.match(/(?<!\\)`/g)?.length ?? 0) % 2 === 1) isInTemplate = !isInTemplate
    }
  },
)
