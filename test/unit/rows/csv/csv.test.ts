import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collect, openBytes, readJson } from '../files.ts'

/** Rows as lists of values, and the names of the first one. */
const read = async (bytes: Uint8Array | string, name = 'a.csv', options: Parameters<typeof openBytes>[2] = {}) => {
  const reading = await openBytes(name, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, options)
  const { rows, error } = await collect(reading)
  const { dialect, encoding } = reading
  return { names: rows[0]?.names, values: rows.map(({ values }) => values), error, dialect, encoding }
}

describe('what separates and quotes is found out', () => {
  test.each([
    { what: 'commas', text: 'a,b\n1,2\n', delimiter: ',' },
    { what: 'semicolons', text: 'a;b\n1;2\n', delimiter: ';' },
    { what: 'semicolons and decimal commas, as Excel writes', text: 'name;price\nx;1,50\ny;2,75\n', delimiter: ';' },
    { what: 'semicolons and commas in texts', text: 'name;text\nx;"a, b, c"\ny;d, e\n', delimiter: ';' },
    { what: 'tabs', text: 'a\tb\n1\t2\n', delimiter: '\t' },
    { what: 'bars', text: 'a|b\n1|2\n', delimiter: '|' },
    { what: 'commas, with a semicolon in a text', text: 'a,b\n1,x;y\n2,z\n', delimiter: ',' },
    { what: 'one column', text: 'a\nb\nc\n', delimiter: ',' },
    { what: 'apostrophes as quotes', text: "a,b\n'x, y','z'\n'v','w, u'\n", delimiter: ',', quote: "'" },
    { what: 'apostrophes in texts', text: "a,b\nit's,1\n'tis,2\n", delimiter: ',' },
  ])('$what', async ({ text, delimiter, quote = '"' }) => {
    expect((await read(text)).dialect).toMatchObject({ delimiter, quote })
  })

  test('a file of .tsv or .tab has tabs, and a header', async () => {
    for (const name of ['a.tsv', 'a.tab']) {
      expect(await readJson(name, Buffer.from('id\tname\n1\ta,b\n'))).toEqual(['{"id":"1","name":"a,b"}'])
    }
    expect(await readJson('a.txt', Buffer.from('id\tname\n'))).toEqual(['{"col-0":"id","col-1":"name"}'])
  })

  test.each([
    { what: 'names', text: 'id,name\n1,a\n', names: ['id', 'name'] },
    { what: 'numbers', text: '1,2\n3,4\n', names: undefined },
    { what: 'a number with a decimal comma', text: 'Bonn;1,5\nKiel;2,5\n', names: undefined },
    { what: 'a date', text: '2024-01-02,x\n2024-01-03,y\n', names: undefined },
    { what: 'a German date', text: '02.01.2024,x\n03.01.2024,y\n', names: undefined },
    { what: 'a name twice', text: 'a,a\n1,2\n', names: undefined },
  ])('a header: $what', async ({ text, names = ['col-0', 'col-1'] }) => {
    expect((await read(text)).names).toEqual(names)
  })

  test('the given dialect counts, whatever the text looks like', async () => {
    const text = "a;b,c\n'x;y',2\n"
    expect(await read(text, 'a.csv', { dialect: { delimiter: ';', header: false, quote: '' } })).toMatchObject({
      names: ['col-0', 'col-1'],
      values: [
        ['a', 'b,c'],
        ["'x", "y',2"],
      ],
      dialect: { delimiter: ';', quote: '', header: false },
    })
    expect(await read('1,1\n2,3\n', 'a.csv', { dialect: { header: true } })).toMatchObject({
      names: ['Field_0', '1'],
      values: [['2', '3']],
    })
    expect((await read("a,'b,c'\n", 'a.csv', { dialect: { quote: "'", header: false } })).values).toEqual([
      ['a', 'b,c'],
    ])
  })

  test('reading resumes at a mark as it began', async () => {
    const text = `x;y\n${Array.from({ length: 30_000 }, (_, i) => `${i};"a\n${i},5"\r\n`).join('')}`
    const reading = await openBytes('a.csv', Buffer.from(text))
    const { rows, marks } = await collect(reading)
    expect(rows).toHaveLength(30_000)
    for (const from of marks.slice(0, 3)) {
      const rest = await read(text, 'a.csv', { from })
      expect(rest.values).toEqual(rows.slice(from.row).map(({ values }) => values))
      expect(rest.dialect).toEqual(reading.dialect)
    }
  })
})

describe('records', () => {
  test.each([
    {
      what: 'a return ends one',
      text: 'a,b\r1,2\r3,4\r',
      values: [
        ['1', '2'],
        ['3', '4'],
      ],
    },
    {
      what: 'all ends of lines',
      text: 'a,b\n1,2\r3,4\r\n5,6',
      values: [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    },
    { what: 'ends of lines in quotes', text: 'a,b\n"1\r\n2","3\r4"\n', values: [['1\r\n2', '3\r4']] },
    { what: 'quotes doubled', text: 'a,b\n"x ""y"" z",""""\n', values: [['x "y" z', '"']] },
    {
      what: 'a quote within a field',
      text: 'a,b\n5" pipe,1\n6,2\n',
      values: [
        ['5" pipe', '1'],
        ['6', '2'],
      ],
    },
    {
      what: 'a quote at the end of a field',
      text: 'a,b\n55",1\n6,2\n',
      values: [
        ['55"', '1'],
        ['6', '2'],
      ],
    },
    {
      what: 'an odd quote at the start',
      text: 'a,b\n"x,1\ny,2\nz,3\n',
      values: [
        ['"x', '1'],
        ['y', '2'],
        ['z', '3'],
      ],
    },
    {
      what: 'an odd quote before others',
      text: 'a,b\n"x,1\ny,"2"\n"z",3\n',
      values: [
        ['"x', '1'],
        ['y', '2'],
        ['z', '3'],
      ],
    },
    { what: 'text behind a closing quote', text: 'a,b\n"x" y,1\n', values: [['x y', '1']] },
    { what: 'an empty line is none', text: 'a,b\n\n1,2\n\r\n', values: [['1', '2']] },
  ])('$what', async ({ text, values }) => {
    for (const [name, bytes] of [
      ['a.csv', Buffer.from(text)],
      ['a.csv.gz', gzipSync(text)],
    ] as const) {
      const found = await read(bytes, name)
      expect(found.error).toBeUndefined()
      expect(found.values, name).toEqual(values)
    }
  })

  test('long ones follow the same rules', async () => {
    const long = 'x'.repeat(100_000)
    for (const fields of [
      [`"${long}\n,""y"""`, `${long}\n,"y"`],
      [`"${long}" z`, `${long} z`],
      [`${long}"`, `${long}"`],
    ]) {
      expect((await read(`a,b\n${fields[0]},1\n2,3\n`)).values).toEqual([
        [fields[1], '1'],
        ['2', '3'],
      ])
    }
    const odd = await read(`a,b\n"x,1\n${'y,2\n'.repeat(100_000)}z,"3"\n`)
    expect(odd.values).toHaveLength(100_002)
    expect(odd.values[0]).toEqual(['"x', '1'])
    expect(odd.values.at(-1)).toEqual(['z', '3'])
  })

  test('a quote that nothing closes takes linear time', async () => {
    const text = `a,b\n${'"x,1\n'.repeat(200_000)}`
    expect((await read(text)).values).toHaveLength(200_000)
  })

  test('are those of the csv of Python, as it and Excel write them', async () => {
    const field = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('a"b', 'a,b', 'a;b', '\n', '\r\n', '"', ''))
    const tables = fc.sample(fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 5 }), {
      numRuns: 100,
      seed: 7,
    })
    const script = `
import csv, io, json, sys
for line in sys.stdin:
    for dialect in ('excel', 'excel-tab', 'unix'):
        out = io.StringIO()
        csv.writer(out, dialect=dialect).writerows(json.loads(line))
        print(json.dumps(out.getvalue()))
`
    const input = tables.map(table => JSON.stringify(table)).join('\n')
    const written = execFileSync('python3', ['-c', script], { input, encoding: 'utf8' }).trim().split('\n')
    for (const [index, line] of written.entries()) {
      const delimiter = index % 3 === 1 ? '\t' : ','
      const { values } = await read(JSON.parse(line) as string, 'a.csv', {
        dialect: { delimiter, quote: '"', header: false },
      })
      expect(values, line).toEqual(tables[Math.floor(index / 3)])
    }
  })
})

describe('numbers with a decimal comma', () => {
  const table = 'name;price;count;note\nx;1,50;3;a, b\ny;1.234,5;;1,5\nz;-0,25;7;c\n'

  test('are found between semicolons, and have a point', async () => {
    const { values, dialect } = await read(table)
    expect(values).toEqual([
      ['x', '1.50', '3', 'a, b'],
      ['y', '1234.5', '', '1,5'],
      ['z', '-0.25', '7', 'c'],
    ])
    expect(dialect).toMatchObject({ delimiter: ';', decimal: ',' })
  })

  test.each([
    { what: 'groups of thousands', text: 'a;b\n1,234;2\n5,678;3\n' },
    { what: 'decimal points beside', text: 'a;b\n1,5;2.5\n2,5;3.5\n' },
    { what: 'texts in the column', text: 'a;b\n1,5;2\n2,5 EUR;3\n' },
    { what: 'lists', text: 'a;b\n1,2,3;2\n2,5;3\n' },
    { what: 'commas as delimiters', text: 'a,b\n"1,5","2,5"\n' },
  ])('are not $what', async ({ text }) => {
    const { values, dialect } = await read(text)
    const plain = await read(text, 'a.csv', { dialect: { decimal: '.' } })
    expect(values).toEqual(plain.values)
    expect(dialect).not.toHaveProperty('decimal')
  })

  test.each([
    { text: table, decimal: '.' as const, values: ['1,50', '1.234,5', '-0,25'] },
    { text: 'a,b\n0,"1,5"\n0,"2,75"\n', decimal: ',' as const, values: ['1.5', '2.75'] },
    { text: 'a;b\n0;1,234\n0;5.678,001\n', decimal: ',' as const, values: ['1.234', '5678.001'] },
  ])('are told: $decimal', async ({ text, decimal, values }) => {
    const found = await read(text, 'a.csv', { dialect: { decimal } })
    expect(found.values.map(([, value]) => value)).toEqual(values)
  })

  test('stay what they are far inside, in columns of whole numbers at first, and in records of any length', async () => {
    const far = Array.from({ length: 40_000 }, (_, i) => `${i},5;${i}\n`).join('')
    const bytes = Buffer.from(`a;b\n${far}7;8,25\n${'9'.repeat(300_000)},5;1\n`)
    const { marks } = await collect(await openBytes('a.csv', bytes))
    const from = marks.findLast(({ row }) => row < 40_000)
    expect(from?.row).toBeGreaterThan(1_000)
    const { values } = await read(bytes, 'a.csv', { from })
    expect(values[0]).toEqual([`${from?.row}.5`, `${from?.row}`])
    expect(values.at(-2)).toEqual(['7', '8.25'])
    expect(values.at(-1)).toEqual([`${'9'.repeat(300_000)}.5`, '1'])
  })
})

describe('encodings', () => {
  const text = 'name;city\nJürgen;Köln\n'
  const files = [
    { encoding: 'utf-8', bytes: Buffer.from(text) },
    { encoding: 'utf-8', bytes: Buffer.from(`\ufeff${text}`) },
    { encoding: 'windows-1252', bytes: Buffer.from(text, 'latin1') },
    { encoding: 'utf-16le', bytes: Buffer.from(`\ufeff${text}`, 'utf16le') },
    { encoding: 'utf-16be', bytes: Buffer.from(`\ufeff${text}`, 'utf16le').swap16() },
    { encoding: 'utf-16le', bytes: Buffer.from(text, 'utf16le') },
  ]

  test.each(files)('$encoding is found out', async ({ encoding, bytes }) => {
    const found = await read(bytes)
    expect(found).toMatchObject({ names: ['name', 'city'], values: [['Jürgen', 'Köln']], encoding })
    expect(await readJson('a.csv.gz', gzipSync(bytes))).toEqual(['{"name":"Jürgen","city":"Köln"}'])
    expect(await readJson('a.txt', bytes)).toEqual(['{"col-0":"name;city"}', '{"col-0":"Jürgen;Köln"}'])
    expect(await readJson('a.txt', bytes, { raw: true })).toEqual([
      '{"record":"name;city"}',
      '{"record":"Jürgen;Köln"}',
    ])
  })

  test.each(['jsonl', 'json', ''])('JSON too, with the suffix %j', async suffix => {
    for (const bytes of [Buffer.from('\ufeff{"a":"ü"}\n'), Buffer.from('\ufeff{"a":"ü"}\n', 'utf16le')]) {
      expect(await readJson(`a.${suffix}`, bytes)).toEqual(['{"a":"ü"}'])
    }
  })

  /** Text whose first bytes beyond ASCII are late, at any place of a piece. */
  const late = (line: string, encoding: 'latin1' | 'utf8', before: number, more = 'y\n'.repeat(3_000)): Buffer =>
    Buffer.concat([Buffer.from('a\n'), Buffer.alloc(before, 'x\n'), Buffer.from(`${line}${more}`, encoding)])

  test.each([4_096, 65_534, 65_536, 200_000])('stays open while there is only ASCII, for %i bytes', async before => {
    for (const line of ['ü\n', 'Zoë\nKöln €\n', 'x\n\u00a0']) {
      for (const more of ['y\n'.repeat(3_000), '']) {
        const values = `${line}${more}`.trimEnd() === '' ? [] : `${line}${more}`.split('\n')
        const want = values.filter((value, at) => value !== '' || at < values.length - 1).slice(0, 2)
        const utf8 = await read(late(line, 'utf8', before, more))
        expect(utf8.encoding).toBe('utf-8')
        expect(utf8.values.slice(before / 2).slice(0, 2)).toEqual(want.map(value => [value]))
        if (line.includes('€')) continue
        const latin = await read(late(line, 'latin1', before, more))
        expect(latin.encoding).toBe('windows-1252')
        expect(latin.values).toEqual(utf8.values)
      }
    }
  })

  test('has no places behind what is not as it was stored, and decides again from those before', async () => {
    const bytes = late('ü\n', 'latin1', 300_000, `${'ü\n'.repeat(3_000)}`)
    const { marks, rows } = await collect(await openBytes('a.csv', bytes))
    expect(marks.length).toBeGreaterThan(0)
    for (const mark of marks) {
      expect(mark.offset).toBeLessThanOrEqual(300_002)
      const again = await read(bytes, 'a.csv', { from: mark })
      expect(again.encoding).toBe('windows-1252')
      expect(again.values).toEqual(rows.slice(mark.row).map(({ values }) => values))
    }
  })

  test('is given where it cannot be detected', async () => {
    const bytes = Buffer.concat([Buffer.from(`a\n${'x\n'.repeat(5_000)}`), Buffer.from('Ã¼\n', 'latin1')])
    expect((await read(bytes)).values.at(-1)).toEqual(['ü'])
    expect((await read(bytes, 'a.csv', { encoding: 'windows-1252' })).values.at(-1)).toEqual(['Ã¼'])
  })

  test('a bad byte does not make UTF-8 another encoding', async () => {
    const bytes = Buffer.concat([Buffer.from('a\nü\n'), Buffer.from([0xff]), Buffer.from('\n')])
    expect(await read(bytes)).toMatchObject({ values: [['ü'], ['\ufffd']], encoding: 'utf-8' })
  })

  test('text of two bytes each is read again from the start for a place in it', async () => {
    const bytes = Buffer.from(`\ufeffa\n${Array.from({ length: 9_000 }, (_, i) => `${i}\n`).join('')}`, 'utf16le')
    const { marks } = await collect(await openBytes('a.csv', bytes))
    expect(marks).toEqual([])
    expect((await read(bytes, 'a.csv', { from: { row: 5, offset: 100 } })).values[5]).toEqual(['5'])
  })
})
