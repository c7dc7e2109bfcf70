import { describe, expect, test } from 'vitest'
import type { Shape, ShapedColumn } from '../../../src/tables/import/column-shape.ts'
import { growFields } from '../../../src/tables/import/grow-fields.ts'
import type { TableType } from '../../../src/tables/schema.ts'

const grow = (type: TableType, shape: Shape) => {
  const fields = [{ id: 1, name: 'a', isRequired: false, type }]
  const { fields: grown, ...rest } = growFields({ fields, lastColumnId: 9 }, [{ name: 'a', shape }])
  return { type: grown[0]?.type, ...rest }
}

describe('a column of a table', () => {
  test.each([
    ['int', 'long'],
    ['float', 'double'],
    ['decimal(9,2)', 'decimal(18, 2)'],
  ])('%s becomes %s, and a file from before is of it still', (narrow, wide) => {
    expect(grow(narrow, wide)).toEqual({ type: wide, lastColumnId: 9, isChanged: true, isWider: true })
    expect(grow(wide, narrow)).toEqual({ type: wide, lastColumnId: 9, isChanged: false, isWider: false })
  })

  test.each<[string, string]>([
    ['long', 'double'],
    ['int', 'string'],
    ['decimal(9,2)', 'decimal(18,3)'],
    ['timestamp', 'timestamptz'],
  ])('%s does not become %s', (type, shape) => {
    expect(() => grow(type, shape)).toThrow(`the column a is ${shape} there, and ${type} in the table`)
  })

  test('is the same however its type is written', () =>
    expect(grow('decimal(9, 2)', 'decimal(9,2)').isChanged).toBe(false))

  test('members of structs, lists and maps grow in their places; ids are given once', () => {
    const shape: Shape = {
      kind: 'struct',
      members: [
        { name: 'n', shape: 'long' },
        {
          name: 'l',
          shape: { kind: 'list', element: { kind: 'map', key: 'string', value: 'int' } },
        },
      ],
    }
    const type: TableType = { kind: 'struct', fields: [{ id: 2, name: 'n', isRequired: true, type: 'int' }] }
    const { type: grown, lastColumnId } = grow(type, shape)
    expect(lastColumnId).toBe(13)
    expect(grown).toEqual({
      kind: 'struct',
      fields: [
        { id: 2, name: 'n', isRequired: true, type: 'long' },
        {
          id: 10,
          name: 'l',
          isRequired: false,
          type: {
            kind: 'list',
            id: 11,
            isRequired: false,
            element: { kind: 'map', keyId: 12, key: 'string', valueId: 13, value: 'int', isRequired: false },
          },
        },
      ],
    })
    if (grown === undefined) throw new Error('there is no column')
    expect(grow(grown, shape)).toMatchObject({ type: grown, isChanged: false })
  })

  test('a list does not become a struct', () =>
    expect(() =>
      grow({ kind: 'list', id: 2, element: 'int', isRequired: false }, { kind: 'struct', members: [] }),
    ).toThrow('the column a is a struct there, and a list in the table'))
})

const inStruct: Shape = { kind: 'struct', members: [{ name: 'b', shape: 'int' }] }
const inList: Shape = { kind: 'list', element: 'int' }
test.each<[string, readonly ShapedColumn[], readonly ShapedColumn[]]>([
  ['beside a struct', [{ name: 'a', shape: inStruct }], [{ name: 'a.b', shape: 'int' }]],
  ['beside a list', [{ name: 'a', shape: inList }], [{ name: 'a.element', shape: 'int' }]],
  ['of a struct beside a column', [{ name: 'a.b', shape: 'int' }], [{ name: 'a', shape: inStruct }]],
  [
    'of both in one file',
    [],
    [
      { name: 'a', shape: inStruct },
      { name: 'a.b', shape: 'int' },
    ],
  ],
])('a full name %s comes once: no reader takes both', (_, before, file) => {
  const columns = growFields({ fields: [], lastColumnId: 0 }, before)
  expect(() => growFields(columns, file)).toThrow(
    /^a column "(a\.b|a\.element)" and the member \1 of another one have one name/,
  )
  expect(growFields(columns, [{ name: 'c', shape: 'int' }]).isChanged).toBe(true)
})
