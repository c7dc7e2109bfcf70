import { describe, expect, test } from 'vitest'
import { toUsage } from '../../../../admin/cli/command/usage.ts'
import { createRowLines, pickColumns, toColumnNames } from '../../../../admin/cli/print/listing.ts'
import { drawTable } from '../../../../admin/cli/print/table.ts'

const rows = [
  { name: 'a,b', size: 2n ** 60n, note: null, tags: ['x', 'y'] },
  { name: 'say "hi"\n', size: 1.5, note: '', more: true },
]

describe('createRowLines', () => {
  test('ndjson: a line for each row, or only the fields that are wanted', () => {
    expect(createRowLines('ndjson')(rows)).toBe(
      '{"name":"a,b","size":1152921504606846976,"note":null,"tags":["x","y"]}\n' +
        '{"name":"say \\"hi\\"\\n","size":1.5,"note":"","more":true}\n',
    )
    expect(createRowLines('ndjson', ['size', 'name'])(rows.slice(0, 1))).toBe(
      '{"size":1152921504606846976,"name":"a,b"}\n',
    )
  })

  test('csv: all fields of any row, null is nothing and the empty string is ""', () => {
    expect(createRowLines('csv')(rows)).toBe(
      'name,size,note,tags,more\n"a,b",1152921504606846976,,"[""x"",""y""]",\n"say ""hi""\n",1.5,"",,true\n',
    )
    expect(createRowLines('csv', ['more', 'size'])(rows)).toBe('more,size\n,1152921504606846976\ntrue,1.5\n')
  })

  test('csv: the head is there once, and holds for later rows', () => {
    const toLines = createRowLines('csv')
    expect(toLines([])).toBe('')
    expect(toLines([{ a: 1 }])).toBe('a\n1\n')
    expect(toLines([{ b: 2, a: 3 }])).toBe('3\n')
    expect(toLines([{ b: 2 }])).toBe('\n')
  })

  test.each(['ndjson', 'csv'] as const)('%s: a column that no row has is named with those that there are', format => {
    expect(() => createRowLines(format, ['nme'])(rows)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'There is no column nme',
        hint: 'There are name, size, note, tags, more.',
      }),
    )
    const toLines = createRowLines(format, ['name'])
    expect(toLines([])).toBe('')
    toLines(rows)
    expect(() => toLines([{ other: 1 }])).not.toThrow()
  })
})

test('pickColumns: those of the table by their fields, in the order wanted; others as they are', () => {
  const columns = [
    { title: 'NAME', cell: () => 'N' },
    { title: 'HOW LARGE', field: 'size', cell: () => '2 kB' },
  ]
  const shown = (wanted: readonly string[] | undefined) => drawTable(rows, pickColumns(rows, columns, wanted))
  expect(shown(undefined).split('\n')[0]).toBe('NAME  HOW LARGE')
  expect(shown(['tags', 'size', 'name'])).toBe(
    'TAGS       HOW LARGE  NAME\n["x","y"]  2 kB       N\n           2 kB       N',
  )
  expect(() => shown(['sizes'])).toThrow('There is no column sizes')
})

test('toNames', () => {
  expect(toColumnNames('a, b')).toEqual(['a', 'b'])
  expect(toColumnNames(undefined)).toBeUndefined()
  expect(() => toColumnNames('a,,b')).toThrow('expected names with commas')
})

describe('toUsage', () => {
  const flag = { type: 'option', input: [], multiple: false } as const
  test('dots follow what may be repeated, and nothing else', () => {
    const args = {
      bean: { required: true, input: [] },
      attribute: { multiple: true, input: [] },
    }
    expect(toUsage(args as never, {}, true)).toBe('<%= command.id %> BEAN [ATTRIBUTE...] [--json]')
  })

  test('required flags come first, hidden ones nowhere', () => {
    const flags = {
      long: { type: 'boolean', char: 'l' },
      none: { ...flag, hidden: true },
      role: { ...flag, char: 'r', required: true, multiple: true, helpValue: 'ROLE' },
      file: flag,
    }
    expect(toUsage({}, flags as never, false)).toBe('<%= command.id %> -r ROLE... [-l] [--file VALUE]')
  })
})
