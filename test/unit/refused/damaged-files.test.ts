/** A damaged file of refused events, or a damaged row, hides no others. */
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { RefusedDetails, RefusedLines, ReplayOutcome } from '../../../src/refused/refused-answers.ts'
import { toRefusedRecord, whyNotReplayable } from '../../../src/refused/refused-record.ts'
import { createRefusedId } from '../../../src/spool/refused-id.ts'
import { openRefusedServer } from '../../suites/refused-server.ts'

const when = Date.UTC(2026, 10, 22, 8, 0, 0, 1)
const hour = '/events/_refused/Order/2026/11/22/08'
const order = (total: unknown) => JSON.stringify({ eventName: 'Order', payload: { total } })
const row = (members: object) => ({
  id: createRefusedId(when, 'Order'),
  when,
  kind: 'refused',
  code: 'schema-mismatch',
  detail: 'why',
  type: 'Order',
  api: 'POST_Json_API',
  method: 'POST',
  target: '/rest/1.0/event',
  contentType: 'application/json',
  headers: '{}',
  isReplayable: true,
  sent: order('x'),
  ...members,
})

const open = async () => {
  const server = await openRefusedServer('collector.output.format=jsonl')
  await server.post(order('a'))
  await server.flush()
  server.validate('off')
  return {
    server,
    plant: async (name: string, bytes: Uint8Array | string): Promise<void> => {
      const source = async function* () {
        yield Buffer.from(bytes)
      }
      await server.fileSystem.publish(`${hour}/${name}`, source())
    },
  }
}

test.each<[string, string, Uint8Array | string, RegExp]>([
  ['a Parquet file of no bytes that are one', 'x.parquet', `PAR1${'junk'.repeat(20)}PAR1`, /parquet/i],
  [
    'one whose end is missing',
    'x.jsonl.gz',
    gzipSync(`${JSON.stringify(row({}))}\n`.repeat(40)).subarray(0, -12),
    /gzip|end/i,
  ],
])('%s', async (_, name, bytes, reason) => {
  const { server, plant } = await open()
  const [known] = (await server.list()).rows
  await plant(name, bytes)
  const unreadable = [{ path: `${hour}/${name}`, reason: expect.stringMatching(reason) }]
  const list = (await server.exec('list', [], '', 0, 0, '', 100)) as RefusedLines
  expect(list.unreadable).toEqual(unreadable)
  expect(list.rows.map(({ id }) => id)).toContain(known?.id)
  expect(list).not.toHaveProperty('next')
  const exported = (await server.exec('export', ['Order'], '', 0, 0, '', 100)) as RefusedDetails
  expect(exported.unreadable).toEqual(unreadable)
  expect(exported.rows.map(({ sent }) => sent)).toContain(order('a'))
  expect(await server.exec('show', known?.id)).toMatchObject({ sent: order('a') })
  const other = createRefusedId(when, 'Order')
  await expect(server.exec('show', other)).rejects.toThrow(`${hour}/${name} cannot be read: `)
  const { outcomes } = (await server.exec('replay', [known?.id, other])) as {
    readonly outcomes: readonly ReplayOutcome[]
  }
  expect(outcomes).toMatchObject([
    { outcome: 'accepted' },
    { outcome: 'not-found', detail: expect.stringContaining(`${hour}/${name} cannot be read: `) },
  ])
})

test.each([
  ['headers', '{"user-agent":'],
  ['headers', '7'],
  ['dates', '[1,'],
  ['dates', '["x"]'],
  ['eventIds', 'AAAA'],
])('a row whose column %s is %j is shown, and is not replayable', async (column, damaged) => {
  const { server, plant } = await open()
  const one = row({ [column]: damaged })
  await plant('x.jsonl', `${JSON.stringify(one)}\n`)
  const { rows } = await server.list()
  expect(rows).toHaveLength(2)
  const why = expect.stringContaining(`its row is damaged (${column})`)
  expect(rows.find(({ id }) => id === one.id)).toMatchObject({ notReplayable: why, isReplayed: false })
  expect(await server.exec('show', one.id)).toMatchObject({ sent: order('x'), notReplayable: why })
  expect(await server.replay(one.id)).toMatchObject([{ outcome: 'not-replayable', detail: why }])
})

test('rows of something else are named, and end no list', async () => {
  const { server, plant } = await open()
  await plant('x.jsonl', '{"a":1}\n{"a":2}\n')
  const list = (await server.exec('list', [], '', 0, 0, '', 100)) as RefusedLines
  expect(list.rows).toHaveLength(1)
  expect(list).not.toHaveProperty('next')
  expect(list.unreadable).toEqual([{ path: `${hour}/x.jsonl`, reason: '2 of its rows have no id of a refused event' }])
})

test('a row without a time has that of its id', () => {
  const record = toRefusedRecord(row({ when: 'never' }))
  expect(record.when).toBe(when)
  expect(whyNotReplayable(record)).toBeUndefined()
})
