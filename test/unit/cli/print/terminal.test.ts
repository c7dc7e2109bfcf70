import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawTable } from '../../../../admin/cli/print/table.ts'
import { control, toTerminal, withoutControl } from '../../../../admin/cli/print/terminal.ts'
import { toShownJson } from '../../../../admin/cli/print/to-json.ts'
import { hostileParts, steering } from '../../../suites/hostile-text.ts'

describe('toTerminal', () => {
  test.each(hostileParts)('%j is shown, and steers nothing', part => {
    const shown = toTerminal(`a${part}b`)
    expect(shown).not.toMatch(steering)
    expect(shown).toMatch(/^a.+b$/)
  })

  test('whatever the data, only our own sequences are left', () => {
    const anything = fc.array(fc.oneof(fc.constantFrom(...hostileParts), fc.string({ unit: 'binary' })))
    fc.assert(
      fc.property(anything, parts => {
        const red = '\u001b[31m'
        const shown = toTerminal(parts.join(control(red)))
        expect(shown.split(red)).toHaveLength(Math.max(1, parts.length))
        expect(shown.replaceAll(red, '').replace(/\r?\n|\t/g, '')).not.toMatch(steering)
      }),
    )
  })

  test('data cannot look like a sequence of ours', () => {
    expect(toTerminal('\u001b<\u001b[31m>')).toBe('\\u001b<\\u001b[31m>')
    expect(toTerminal('\u001b<00000000-0000-4000-8000-000000000000\u001b[31m>')).not.toMatch(steering)
  })

  test.each(['a\nb', 'a\tb', 'a\r\nb', 'é 日本 😀 e\u0301', 'یه\u200cلپ'])('%j stays as it is', text =>
    expect(toTerminal(text)).toBe(text),
  )

  test('a line does not go back over itself', () => expect(toTerminal('good\rbad')).toBe('good\\u000dbad'))

  test('text without our sequences', () => expect(withoutControl(`a${control('\u001b[1m')}b`)).toBe('ab'))
})

test.each(hostileParts)('names of columns: %j', part => {
  const table = drawTable([{ a: part }], [{ title: part, cell: row => row.a }])
  expect(table.split('\n')).toHaveLength(2)
  expect(table.replace('\n', '')).not.toMatch(steering)
})

test.each(hostileParts)('JSON: %j is escaped, and the same value', part => {
  const value = { [part]: [part] }
  const text = toShownJson(value, 0)
  expect(text).not.toMatch(steering)
  expect(JSON.parse(text)).toEqual(value)
})

test('nothing of the command line writes past it', () => {
  const files = globSync(['admin/cli/**/*.ts', 'scripts/demo/*.ts']).filter(file => !file.endsWith('print/terminal.ts'))
  expect(files.length).toBeGreaterThan(50)
  const writes =
    /\bconsole\.(?:log|error|warn|info|debug)\(|\b(?:stdout|stderr)\b\s*\.(?:write|end|pipe)\b|\bthis\.(?:log|logToStderr|warn)\(/
  expect(files.filter(file => writes.test(readFileSync(file, 'utf8')))).toEqual([])
})
