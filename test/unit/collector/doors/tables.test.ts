import { describe, expect, test } from 'vitest'
import { createTestCollector, D, now, outcomeOf, post, storedEvents, whole } from '../fakes.ts'

const lines = 'application/x-ndjson'
const all = { doors: new Set(['ndjson', 'csv'] as const) }
const query = '?name=log'

describe('JSON lines of plain objects', () => {
  test('each is an event with the name of the request, byte for byte', async () => {
    const { collector, spool } = createTestCollector(all)
    const response = await post(collector, `{"n":1.10}\r\n\n {"eventDate":${D},"big":12345678901234567890}\n`, {
      type: lines,
      query,
    })
    expect(await outcomeOf(response)).toEqual(whole(2))
    expect(storedEvents(spool)).toMatchObject([
      { name: 'log', date: now },
      { name: 'log', date: D },
    ])
    const [{ body } = { body: new Uint8Array() }] = spool.batches
    expect(Buffer.from(body).toString()).toBe(
      `[{"eventName":"log","payload":{"n":1.10}},{"eventName":"log","payload":{"eventDate":${D},"big":12345678901234567890}}]`,
    )
  })

  test('the parameter date is for lines without one', async () => {
    const { collector, spool } = createTestCollector(all)
    await post(collector, '{}', { type: lines, query: `${query}&date=2009-01-02T03:04:05.006Z&gr=DAILY` })
    expect(storedEvents(spool)).toMatchObject([{ date: D, path: 'log/2009/01/02' }])
  })

  const damaged: [line: string, end?: string][] = [
    ['{"a":'],
    ['{"a":1} {"b":2}'],
    ['x'],
    ['5'],
    ['tru'],
    ['[{"a":1}]'],
    ['"'],
    ['{"a":01}'],
    ['{"a":"\u0001"}'],
    ['{"a":1}x'],
    ['{"a":', ''],
  ]
  test.each(damaged)(
    'a damaged line is refused alone, and not with a 202: %j',
    async (line, end = '\n{"last":1}\n') => {
      for (const blanks of ['', ' '.repeat(300_000)]) {
        const { collector, spool } = createTestCollector(all)
        const response = await post(collector, `{"first":1}\n${line}${end}${blanks}`, { type: lines, query })
        expect(response.status).toBe(400)
        const kept = end === '' ? 1 : 2
        expect(await response.json()).toMatchObject({ accepted: kept, rejected: 1, errors: [{ index: 1 }] })
        expect(storedEvents(spool)).toHaveLength(kept)
      }
    },
  )

  test("lines of the collector's own form stay what they are", async () => {
    const { collector, spool } = createTestCollector(all)
    const response = await post(collector, '{"eventName":"A","payload":{"x":1}}\n{"y":2}', { type: lines, query })
    expect(await outcomeOf(response)).toMatchObject({ accepted: 1, rejected: 1 })
    expect(storedEvents(spool)).toMatchObject([{ name: 'A', payload: { x: 1 } }])
  })

  test('without the door, or without a name, they are read as JSON', async () => {
    for (const [doors, given] of [
      [[], query],
      [['ndjson'], ''],
    ] as const) {
      const { collector } = createTestCollector({ doors: new Set(doors) })
      expect(await outcomeOf(await post(collector, '{"y":2}', { type: lines, query: given }))).toMatchObject({
        rejected: 1,
      })
    }
  })

  test('a bad name refuses the request', async () => {
    const { collector } = createTestCollector(all)
    expect((await post(collector, '{}', { type: lines, query: '?name=a/b' })).status).toBe(400)
  })
})

describe('JSON of plain objects', () => {
  test.each([
    ['an array, as Fluent Bit and Vector send it', '[{"n":1.10},{"n":2}]', 2],
    ['an empty array', '[]', 0],
    ['one', '{\n  "n": 1.10\n}', 1],
    ['lines', '{"n":1.10}\n{"n":2}\n', 2],
    ['one after the other', '{"n":1.10}{"n":2}', 2],
    ['white space', ' [ {"n":1.10} ] ', 1],
  ])('%s', async (_, body, count) => {
    for (const blanks of ['', ' '.repeat(300_000)]) {
      const { collector, spool } = createTestCollector(all)
      const response = await post(collector, body + blanks, { query: `${query}&date=2009-01-02T03:04:05.006Z` })
      expect(await outcomeOf(response)).toEqual(whole(count))
      expect(storedEvents(spool).map(({ name, date, payload }) => [name, date, Object.keys(Object(payload))])).toEqual(
        Array.from({ length: count }, () => ['log', D, ['n']]),
      )
      if (count > 0) expect(Buffer.from(spool.batches[0]?.body ?? []).toString()).toContain('1.1')
    }
  })

  test.each([
    ['one of two is none', '[{"n":1},5]', 400, 1],
    ['none is one', '5', 400, 0],
    ['it breaks off', '[{"n":1},', 400, 0],
    ['an array and more', '[{"n":1}]{"n":2}', 400, 0],
    ['damaged', '{"n":1}{"n":01}', 400, 0],
    ['nothing', '', 400, 0],
  ])('%s', async (_, body, status, kept) => {
    const { collector, spool } = createTestCollector(all)
    expect((await post(collector, body, { query })).status).toBe(status)
    expect(storedEvents(spool)).toHaveLength(kept)
  })

  test("bodies with any of the collector's own form stay what they are", async () => {
    for (const doors of [all.doors, new Set<never>()]) {
      const { collector, spool } = createTestCollector({ doors })
      const response = await post(collector, '[{"eventName":"A","payload":{"x":1}},{"y":2}]', { query })
      expect([response.status, await outcomeOf(response)]).toMatchObject([202, { accepted: 1, rejected: 1 }])
      expect(storedEvents(spool)).toMatchObject([{ name: 'A', payload: { x: 1 } }])
    }
  })

  test('without the door, or without a name, they are not events', async () => {
    for (const [doors, given] of [
      [[], query],
      [['ndjson'], ''],
    ] as const) {
      const { collector } = createTestCollector({ doors: new Set(doors) })
      expect(await outcomeOf(await post(collector, '[{"y":2}]', { query: given }))).toMatchObject({ rejected: 1 })
    }
  })
})

describe('CSV', () => {
  const rows: [name: string, body: string, payloads: readonly object[]][] = [
    [
      'lines',
      'a,b\n1,2\n3,4\n',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    ['CRLF, and no end of line', 'a,b\r\n1,2', [{ a: '1', b: '2' }]],
    ['quotes', '"a ""x""",b\n"1,\n2","""3"""', [{ 'a "x"': '1,\n2', b: '"3"' }]],
    [
      'empty fields',
      'a,b\n,\n1,',
      [
        { a: '', b: '' },
        { a: '1', b: '' },
      ],
    ],
    ['blank lines', 'a,b\n\n1,2\n\n', [{ a: '1', b: '2' }]],
    ['a header alone', 'a,b\n', []],
    ['a byte order mark', '\ufeffa\n1', [{ a: '1' }]],
    ['names that objects have', '__proto__,constructor\n1,2', [JSON.parse('{"__proto__":"1","constructor":"2"}')]],
    ['spaces, which count', 'a\n 1 ', [{ a: ' 1 ' }]],
  ]
  test.each(rows)('%s', async (_, body, payloads) => {
    const { collector, spool } = createTestCollector(all)
    const response = await post(collector, body, { type: 'text/csv; header=present', query })
    expect(await outcomeOf(response)).toEqual(whole(payloads.length))
    expect(storedEvents(spool).map(({ payload }) => payload)).toEqual(payloads)
  })

  test('a column eventDate is the date', async () => {
    const { collector, spool } = createTestCollector(all)
    await post(collector, `eventDate\n${D}\n2009-01-02T03:04:05.006Z`, { type: 'text/csv', query })
    expect(storedEvents(spool).map(({ date }) => date)).toEqual([D, D])
  })

  test.each([
    ['empty', ''],
    ['a field too few', 'a,b\n1\n'],
    ['a field too many', 'a\n1,2\n'],
    ['a name twice', 'a,a\n1,2'],
    ['an empty name', 'a,\n1,2'],
    ['a quote that does not end', 'a\n"1'],
    ['a quote within a field', 'a\n1"2"'],
    ['text behind a quote', 'a\n"1"2'],
    ['not UTF-8', Buffer.from([0x61, 0x0a, 0xff])],
  ])('%s is refused whole', async (_, body) => {
    const { collector, spool } = createTestCollector(all)
    expect((await post(collector, body, { type: 'text/csv', query })).status).toBe(400)
    expect(spool.batches).toEqual([])
  })

  test('without a name, and without the door', async () => {
    expect((await post(createTestCollector(all).collector, 'a\n1', { type: 'text/csv' })).status).toBe(400)
    expect((await post(createTestCollector().collector, 'a\n1', { type: 'text/csv', query })).status).toBe(415)
  })

  test('a long table is the same', async () => {
    const { collector, spool } = createTestCollector(all)
    const body = `n,text\n${Array.from({ length: 30_000 }, (_, n) => `${n},"x,${n}"`).join('\n')}`
    expect(await outcomeOf(await post(collector, body, { type: 'text/csv', query }))).toEqual(whole(30_000))
    expect(storedEvents(spool)[29_999]).toMatchObject({ name: 'log', payload: { n: '29999', text: 'x,29999' } })
  })
})
