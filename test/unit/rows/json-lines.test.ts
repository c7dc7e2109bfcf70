import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { collect, openBytes, toJson } from './files.ts'

const read = async (name: string, text: string, options: Parameters<typeof openBytes>[2] = {}) => {
  const { rows, error, marks } = await collect(await openBytes(name, Buffer.from(text), options))
  return { rows: rows.map(toJson), error, marks }
}

describe('a bad line of JSON lines is a row that says so', () => {
  test.each([
    { what: 'NaN', line: '{"a":NaN}' },
    { what: 'a number with a zero before it', line: '{"a":012}' },
    { what: 'a line that was cut', line: '{"a":' },
    { what: 'a text that was cut', line: '{"a":"x' },
    { what: 'words', line: 'Traceback (most recent call last):' },
    { what: 'a closing bracket', line: ']' },
    { what: 'two names', line: '{"a" "b"}' },
  ])('$what', async ({ line }) => {
    for (const name of ['a.jsonl', 'a.ndjson', 'a.json', 'part-0']) {
      const { rows, error } = await read(name, `{"a":1}\n${line}\n{"a":2}\n{"a":3}\n`)
      expect(error, name).toBeUndefined()
      expect(rows, name).toHaveLength(4)
      expect(rows[1]).toMatch(/^\{"_error":"json: .* at byte \d+: /)
      const { _error: text } = JSON.parse(rows[1] ?? '') as { readonly _error: string }
      expect(Number(/at byte (\d+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(8)
      expect(Number(/at byte (\d+)/.exec(text)?.[1])).toBeLessThanOrEqual(9 + line.length)
      expect(text).toContain(line)
      expect(rows.toSpliced(1, 1)).toEqual(['{"a":1}', '{"a":2}', '{"a":3}'])
    }
  })

  test('the first one of a file whose name says lines', async () => {
    expect((await read('a.jsonl', 'garbage\n{"a":1}\n')).rows.slice(1)).toEqual(['{"a":1}'])
  })

  test('a long one', async () => {
    const { rows, error } = await read('a.jsonl', `{"a":1}\n{"a":"${'x'.repeat(200_000)}\n{"a":2}\n`)
    expect(error).toBeUndefined()
    expect(rows.map(row => row.slice(0, 10))).toEqual(['{"a":1}', '{"_error":', '{"a":2}'])
  })

  test('and from a mark the same rows come', async () => {
    const lines = Array.from({ length: 9_000 }, (_, i) =>
      i % 3_000 === 2_999 ? '{"a":NaN}' : `{"a":${i},"t":"${'x'.repeat(20)}"}`,
    )
    const { rows, marks } = await read('a.json', `${lines.join('\n')}\n`)
    expect(rows).toHaveLength(9_000)
    expect(marks.length).toBeGreaterThan(2)
    for (const from of marks.slice(0, -1)) {
      expect((await read('a.json', `${lines.join('\n')}\n`, { from })).rows).toEqual(rows.slice(from.row))
    }
  })

  test('but not of values over lines, in arrays, or of a file that was cut', async () => {
    for (const text of ['{\n"a":1\n}\n{\n"a":NaN\n}\n{"a":2}\n', '[{"a":1},\n{"a":NaN},\n{"a":2}]', '{"a":1}\n{"a":']) {
      const { rows, error } = await read('a.json', text)
      expect(error, text).toBeInstanceOf(FormatError)
      expect(rows).toEqual(['{"a":1}'])
    }
  })
})

describe('JSON files are as strict as bodies', () => {
  test.each(['[012,1]', '[1.2.3]', '[truefalse]', '["a"b]', '[1\v2]', '[-]', '[+1]', '[1e]', '[.5]'])(
    '%s',
    async text => {
      const { rows, error } = await read('a.json', text)
      expect(error).toBeInstanceOf(FormatError)
      expect(rows.filter(row => row !== '{"value":1}')).toEqual([])
    },
  )

  test.each([
    ['[1,2]', 2],
    ['[1 2]\n3', 3],
    ['\u001e{"a":1}\n\u001e{"a":2}\n', 2],
    ['["a" "b"]{"a":1}[2]', 4],
  ] as const)('%j has %i values', async (text, count) => {
    const { rows, error } = await read('a.json', text)
    expect(error).toBeUndefined()
    expect(rows).toHaveLength(count)
  })
})

describe('a file that is not text says what it is', () => {
  const bytes = (text: string): Buffer => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(300, 0xaa)])
  test.each([
    ['PARE', 'encrypted'],
    ['ORC', 'ORC'],
    ['\xfd7zXZ\0', 'xz'],
    ['PK\x03\x04', 'zip'],
    ["7z\xbc\xaf'\x1c", '7z'],
    ['%PDF-1.7', 'PDF'],
    ['\x89PNG\r\n\x1a\n', 'PNG'],
    ['SQLite format 3\0', 'SQLite'],
    [`${'a'.repeat(257)}ustar\0`, 'tar'],
  ])('%j', async (start, what) => {
    for (const name of ['a', 'a.txt', 'a.csv', 'a.json', 'a.bin']) {
      await expect(openBytes(name, bytes(start)), name).rejects.toThrow(what)
      await expect(openBytes(`${name}.gz`, gzipSync(bytes(start))), name).rejects.toThrow(FormatError)
      await expect(openBytes(name, bytes(start), { raw: true }), name).rejects.toThrow(what)
    }
  })

  test('brotli, by its name and by bytes that are not text', async () => {
    await expect(openBytes('a.txt.br', Buffer.from('8b0280636f6e74656e7403', 'hex'))).rejects.toThrow('brotli')
    expect((await read('notes.br', 'text\n')).rows).toEqual(['{"col-0":"text"}'])
  })

  const mixed = Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 167 + (i >> 8) * 59) & 0xff))
  test.each([
    ['of every byte', mixed],
    ['short, compressed', deflateRawSync(Buffer.alloc(300, 'a,b\n1,2\n').map((byte, i) => byte + (i % 7)))],
    ['compressed twice', gzipSync(gzipSync('a,b\n1,2\n'))],
    ['behind a line of text', Buffer.concat([Buffer.from('header\n'), mixed])],
    ['a pickle', Buffer.from('80049528000000000000005d94284b014b024b03658c01789486944b05', 'hex')],
    ['MessagePack', Buffer.from('83a16101a162c0a163930405068101a16401'.repeat(9), 'hex')],
    ['a tagged image', Buffer.from('49492a0008000000020000010300010000000001000001', 'hex')],
    ['Arrow, as a stream', Buffer.from('ffffffff700000001000000000000a000c00060005000800', 'hex')],
    ['UTF-32', Buffer.from('fffe000061000000', 'hex')],
    ['UTF-32, the other way round', Buffer.from('0000feff00000061', 'hex')],
  ])('binary data without a known beginning: %s', async (_what, data) => {
    for (const name of ['a', 'a.txt', 'a.csv', 'a.tsv', 'a.jsonl', 'a.bin', 'a.log']) {
      await expect(openBytes(name, data), name).rejects.toThrow(/^file: this is (?:binary data|a text in UTF-32)/)
    }
  })

  test('binary data is read where an encoding is named', async () => {
    const { rows } = await collect(await openBytes('a.bin', mixed, { encoding: 'windows-1252' }))
    expect(rows.length).toBeGreaterThan(1)
  })

  test.each([
    ['a field of zero', 'a,b\n1,\0\n2,x\n'],
    ['fields of control characters', '1\x01x\x02y\x03z\n2\x01\xfc\x02y\x03z\n'],
    ['separators', 'a\x1fb\x1ec\x1fd\x1e\xe9\x1f'],
    ['colours and bells', '\x1b[31mr\xf6t\x1b[0m\x07 \x08\n'],
    ['zero bytes behind its end', `line\n${'\0'.repeat(5_000)}`],
    ['zero bytes behind Latin-1', `Stra\xdfe\n${'\0'.repeat(5_000)}`],
    ['UTF-8 that is cut', `${'a'.repeat(4_095)}\xc3\xbc`],
    ['one zero byte in Latin-1', 'J\xfcrg\0\n'],
    ['Latin-1', 'J\xfcrg\nStra\xdfe\n'],
    ['bytes of no encoding', '\x81\x8d\x8f\x90\x9d\n\xff\n'],
    ['UTF-16', '\xff\xfea\0\n\0'],
    ['UTF-16 without a mark', 'a\0b\0\n\0'],
    ['an end of DOS', 'a\r\n\x1a'],
  ])('text with odd bytes is text: %s', async (_what, text) => {
    const reading = await openBytes('a.txt', Buffer.from(text, 'latin1'))
    expect(reading.serializer).toBe('text')
    expect((await collect(reading)).rows.length).toBeGreaterThan(0)
  })

  test('text that begins like one of them is text', async () => {
    expect((await read('a.txt', 'ORCHESTRA\n')).rows).toEqual(['{"col-0":"ORCHESTRA"}'])
    expect((await read('a.txt', 'PARENTS\n')).rows).toEqual(['{"col-0":"PARENTS"}'])
    expect((await read('a.txt', 'GIF8 is how they begin\n')).rows).toHaveLength(1)
  })
})
