/**
 * Parquet files of tests, byte by byte: pages and footers as no writer at hand makes them. Numbers of encodings, types and
 * the like are those of parquet.thrift.
 */

/** A field of a struct in Thrift's compact protocol. */
export type Field =
  | readonly [id: number, kind: 'i32' | 'i64' | 'i8', value: number]
  | readonly [id: number, kind: 'bool', value: boolean]
  | readonly [id: number, kind: 'binary', value: string | Uint8Array]
  | readonly [id: number, kind: 'struct', value: readonly Field[]]
  | readonly [id: number, kind: 'structs', value: readonly (readonly Field[])[]]
  | readonly [id: number, kind: 'i32s', value: readonly number[]]
  | readonly [id: number, kind: 'binaries', value: readonly string[]]

export const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}

const zigzag = (value: number): Buffer => varint(value < 0 ? -2 * value - 1 : 2 * value)
const binary = (value: string | Uint8Array): Buffer =>
  Buffer.concat([varint(Buffer.from(value).length), Buffer.from(value)])
const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([
    items.length < 15
      ? Buffer.of((items.length << 4) | type)
      : Buffer.concat([Buffer.of(0xf0 | type), varint(items.length)]),
    ...items,
  ])

/** A struct: its fields in the order of their ids. */
export const struct = (fields: readonly Field[]): Buffer => {
  let before = 0
  const parts = fields.map(field => {
    const [type, body] = toBody(field)
    const delta = field[0] - before
    before = field[0]
    const head = delta > 15 ? Buffer.concat([Buffer.of(type), zigzag(field[0])]) : Buffer.of((delta << 4) | type)
    return Buffer.concat([head, body])
  })
  return Buffer.concat([...parts, Buffer.of(0)])
}

const toBody = (field: Field): readonly [type: number, body: Buffer] => {
  const [, kind, value] = field
  switch (kind) {
    case 'bool':
      return [value ? 1 : 2, Buffer.alloc(0)]
    case 'i8':
      return [3, Buffer.of(value)]
    case 'i32':
      return [5, zigzag(value)]
    case 'i64':
      return [6, zigzag(value)]
    case 'binary':
      return [8, binary(value)]
    case 'struct':
      return [12, struct(value)]
    case 'structs':
      return [9, list(12, value.map(struct))]
    case 'i32s':
      return [9, list(5, value.map(zigzag))]
    case 'binaries':
      return [9, list(8, value.map(binary))]
  }
}

export const types = { BOOLEAN: 0, INT32: 1, INT64: 2, INT96: 3, FLOAT: 4, DOUBLE: 5, BYTE_ARRAY: 6, FIXED: 7 } as const
export const converted = { UTF8: 0, MAP: 1, MAP_KEY_VALUE: 2, LIST: 3, DECIMAL: 5, DATE: 6, TIME_MILLIS: 7 } as const
const repetitions = { required: 0, optional: 1, repeated: 2 } as const

export type Element = {
  readonly name: string
  readonly repetition?: keyof typeof repetitions
  readonly type?: keyof typeof types
  readonly converted?: keyof typeof converted
  readonly length?: number
  readonly scale?: number
  readonly children?: readonly Element[]
  /** Fields of the logical type. */
  readonly logical?: readonly Field[]
}

const toElements = ({ children, ...element }: Element): readonly (readonly Field[])[] => {
  const fields: Field[] = []
  if (element.type) fields.push([1, 'i32', types[element.type]])
  if (element.length !== undefined) fields.push([2, 'i32', element.length])
  fields.push([3, 'i32', repetitions[element.repetition ?? 'required']])
  fields.push([4, 'binary', element.name])
  if (children) fields.push([5, 'i32', children.length])
  if (element.converted) fields.push([6, 'i32', converted[element.converted]])
  if (element.scale !== undefined) fields.push([7, 'i32', element.scale])
  if (element.logical) fields.push([10, 'struct', element.logical])
  return [fields, ...(children ?? []).flatMap(toElements)]
}

export type Page = {
  readonly kind?: 'v1' | 'v2' | 'dictionary' | 'index'
  /** Levels in it, or values of a dictionary. */
  readonly values: number
  /** 0 PLAIN, 3 RLE, 4 BIT_PACKED, 5 DELTA_BINARY_PACKED, 8 RLE_DICTIONARY … */
  readonly encoding?: number
  readonly levelEncoding?: number
  readonly bytes: Uint8Array
  /** Of `bytes`, of the second version. */
  readonly repetitionBytes?: number
  readonly definitionBytes?: number
  readonly rows?: number
  /** What they unfold into, when they are compressed. */
  readonly size?: number
}

const toPage = (page: Page): Buffer => {
  const { kind = 'v1', values, encoding = 0, levelEncoding = 3, bytes, size = bytes.length } = page
  const number = { v1: 0, index: 1, dictionary: 2, v2: 3 }[kind]
  const head: Field[] = [
    [1, 'i32', number],
    [2, 'i32', size],
    [3, 'i32', bytes.length],
  ]
  if (kind === 'v1') {
    head.push([
      5,
      'struct',
      [
        [1, 'i32', values],
        [2, 'i32', encoding],
        [3, 'i32', levelEncoding],
        [4, 'i32', levelEncoding],
      ],
    ])
  } else if (kind === 'dictionary')
    head.push([
      7,
      'struct',
      [
        [1, 'i32', values],
        [2, 'i32', encoding],
      ],
    ])
  else if (kind === 'v2') {
    const { definitionBytes = 0, repetitionBytes = 0, rows = values } = page
    head.push([
      8,
      'struct',
      [
        [1, 'i32', values],
        [2, 'i32', 0],
        [3, 'i32', rows],
        [4, 'i32', encoding],
        [5, 'i32', definitionBytes],
        [6, 'i32', repetitionBytes],
      ],
    ])
  }
  return Buffer.concat([struct(head), bytes])
}

export type Chunk = {
  readonly pages: readonly Page[]
  readonly codec?: number
  /** Levels in all of them, as the footer says it. */
  readonly values?: number
  /** By how much the footer's size is wrong. */
  readonly missing?: number
  readonly dictionaryOffset?: number
}

export type FileOptions = {
  readonly root?: Partial<Element>
  readonly columns: readonly Element[]
  /** Chunks in the order of the leaves. */
  readonly chunks: readonly Chunk[]
  readonly rows: number
  readonly createdBy?: string
  readonly more?: readonly Field[]
}

/** A file of one row group. */
export const parquetFile = ({ root, columns, chunks, rows, createdBy, more = [] }: FileOptions): Buffer => {
  const parts: Buffer[] = [Buffer.from('PAR1')]
  let at = 4
  const metas = chunks.map(({ pages, codec = 0, values, missing = 0, dictionaryOffset }): Field[] => {
    const start = at
    for (const page of pages) {
      const bytes = toPage(page)
      parts.push(bytes)
      at += bytes.length
    }
    const meta: Field[] = [
      [1, 'i32', 0],
      [2, 'i32s', [0]],
      [3, 'binaries', ['x']],
      [4, 'i32', codec],
      [5, 'i64', values ?? pages.reduce((sum, page) => sum + (page.kind === 'dictionary' ? 0 : page.values), 0)],
      [6, 'i64', at - start],
      [7, 'i64', at - start - missing],
      [9, 'i64', start],
    ]
    if (dictionaryOffset !== undefined) meta.push([11, 'i64', dictionaryOffset])
    return [
      [2, 'i64', start],
      [3, 'struct', meta],
    ]
  })
  const footer = struct([
    [1, 'i32', 1],
    [2, 'structs', toElements({ name: 'root', ...root, children: columns })],
    [3, 'i64', rows],
    [
      4,
      'structs',
      [
        [
          [1, 'structs', metas],
          [2, 'i64', at],
          [3, 'i64', rows],
        ],
      ],
    ],
    ...more,
    ...(createdBy === undefined ? [] : [[6, 'binary', createdBy] as const]),
  ])
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(footer.length)
  tail.write('PAR1', 4)
  return Buffer.concat([...parts, footer, tail])
}

/** A run of one level, index or boolean: `count` times `value`. */
export const run = (count: number, value: number, bytes = 1): Buffer => {
  const found = Buffer.alloc(bytes)
  if (bytes > 0) found.writeUIntLE(value, 0, bytes)
  return Buffer.concat([varint(count * 2), found])
}

/** Levels of a page of the first version. */
export const levels = (...runs: readonly Buffer[]): Buffer => {
  const bytes = Buffer.concat(runs)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

export const int32s = (...values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer)
export const texts = (...values: readonly string[]): Buffer =>
  Buffer.concat(values.map(value => Buffer.concat([int32s(Buffer.byteLength(value)), Buffer.from(value)])))
