/**
 * The bytes of each format of the spool, written out: disks in the field have the same. A line may be added, never
 * changed, unless the format has a new version (`src/spool/framing/format-header.ts` says how).
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codecNames } from '../../../src/codecs/codecs.ts'
import { scalarKinds } from '../../../src/formats/parquet/kind.ts'
import { apis, apiTable } from '../../../src/spool/apis.ts'
import { outputLayouts } from '../../../src/spool/bucket.ts'
import { type Destination, readDestination, writeDestination } from '../../../src/spool/directory/destination.ts'
import { type BucketFile, outputFormats } from '../../../src/spool/files/bucket-file.ts'
import { encodeHeader, type FormatName, formats, parseHeader } from '../../../src/spool/framing/format-header.ts'
import { frameAt, readFrames, toFrame } from '../../../src/spool/framing/framing.ts'
import { openKeyStore } from '../../../src/spool/keys/key-store.ts'
import { openLedger, readLedger } from '../../../src/spool/ledger/ledger.ts'
import { type LedgerEntry, parseEntry } from '../../../src/spool/ledger/ledger-entry.ts'
import { encodeSealedList, readSealedList, sealedListPath } from '../../../src/spool/ledger/sealed-list.ts'
import { readSchemas, writeSchemas } from '../../../src/spool/parquet/schema-file.ts'
import { encodeBatch } from '../../../src/spool/segment/record.ts'
import { encodeSegmentHeader, recordFrameBytes, writeRecordFrame } from '../../../src/spool/segment/segment-format.ts'
import { readSegment } from '../../../src/spool/segment/segment-reader.ts'
import { silent } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

/** Bytes as digits; a text in quotes means its own bytes. */
const hex = (text: string): string =>
  text.replaceAll(/'([^']*)'|\s/g, (_, quoted: string | undefined) => Buffer.from(quoted ?? '').toString('hex'))

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Frames as pairs of their type and their text: the frame itself is written out below. */
const toTexts = (bytes: Uint8Array): (readonly [type: number, text: string])[] =>
  [...readFrames(bytes)].map(({ type, payload }) => [type, Buffer.from(payload).toString()])

test('a frame is these bytes: length, CRC, type, payload', () => {
  expect(toHex(toFrame(7, Buffer.from('ab')))).toBe(hex("00000003 25549505 07 'ab'"))
})

/** What a new file begins with, and the types of its other frames. */
const headers: { readonly [Name in FormatName]: readonly [header: string, frames: Readonly<Record<string, number>>] } =
  {
    spool: [`0000001f 6633a4a7 00 '{"format":"spool","version":3}'`, {}],
    destination: [`00000025 0f76564e 00 '{"format":"destination","version":1}'`, { destination: 1 }],
    ledger: [`00000020 93a22111 00 '{"format":"ledger","version":2}'`, { entry: 1 }],
    list: [`0000001e 648010fd 00 '{"format":"list","version":2}'`, { files: 1 }],
    segment: [`00000021 0b7c4581 00 '{"format":"segment","version":3}'`, { id: 1, batch: 2, marked: 3 }],
    ids: [`0000001d 3b2a9ed3 00 '{"format":"ids","version":1}'`, { rows: 1 }],
    keys: [`0000001e 7f04c7fe 00 '{"format":"keys","version":2}'`, { rows: 1 }],
    schemas: [`00000021 286ac728 00 '{"format":"schemas","version":3}'`, { schema: 1 }],
  }

test.each(Object.entries(headers))('the header of a %s, and its types of frames', (name, [header, frames]) => {
  const format = name as FormatName
  expect(toHex(encodeHeader(format))).toBe(hex(header))
  expect(formats[format].frames).toEqual(frames)
  expect(formats[format].reads).toBeGreaterThanOrEqual(formats[format].writes)
})

test('each way in has a number of its own, below that of an unknown one', () => {
  const codes = apis.map(api => apiTable[api].code)
  expect(new Set(codes).size).toBe(apis.length)
  expect(Math.max(...codes)).toBeLessThan(255)
})

test('the words in ledger, lists, destination and schemas are these', () => {
  expect({ codecNames, outputFormats, outputLayouts, scalarKinds }).toEqual({
    codecNames: ['none', 'gzip', 'deflate', 'zstd', 'lzf'],
    outputFormats: ['native', 'sequencefile', 'jsonl', 'parquet'],
    outputLayouts: ['dated', 'hive', 'iceberg'],
    scalarKinds: ['boolean', 'integer', 'double', 'digits', 'text', 'bytes', 'timestamp', 'json', 'mixed', 'id'],
  })
})

const mark = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

test('a segment is two headers, and records behind its mark and their caller', () => {
  const facts = '{"format":"segment","version":3,"collector":"c0ffee","segment":9,"mark":"0102030405060708"}'
  const header = `0000005c 8fd704bf 00 '${facts}'`
  const segment = encodeSegmentHeader('c0ffee', 9, mark)
  expect(toHex(segment)).toBe(hex(header + header))
  const events = [{ index: 0, name: 'A', date: 2, granularity: 'HOURLY' as const }]
  const record = encodeBatch({ api: 'POST_Json_API', format: 'json', events, body: Buffer.from('{}') }, 1)
  const frame = new Uint8Array(recordFrameBytes(record))
  writeRecordFrame(frame, 0, record, mark, 0x0a0b0c0d)
  // The content of a record is in `record.test.ts`.
  const payload = `0102030405060708 0a0b0c0d
    3ff0000000000000 02 00 00 0001 0001 'A' 00000001 00000000 0000 01 4000000000000000 '{}'`
  expect(toHex(frame)).toBe(hex(`00000032 ${toHex(frame.subarray(4, 8))} 03 ${payload}`))
  expect(frameAt(frame, 0)).toBeDefined()
  const parts = [...readSegment(Buffer.concat([segment, frame]), 'log/0000000009.log')]
  expect(parts).toMatchObject([{ kind: 'record', caller: 0x0a0b0c0d }])
})

const limits = { maxKeys: 100, maxEventIds: 100 }

test('idempotency keys are rows of digests, numbers and errors', async () => {
  const disk = createTearingDisk()
  const outcome = { accepted: 2, rejected: 1, errors: [{ index: 0, code: 'c', detail: 'd' }] }
  const store = await openKeyStore(disk, limits, silent)
  store.note({ idempotency: { key: 'k', fingerprint: 'f', outcome } }, 1)
  await store.flush()
  expect(toHex(disk.contents('keys/0000000001.keys'))).toBe(
    hex(`0000001e 7f04c7fe 00 '{"format":"keys","version":2}'
      00000052 f9879faf 01
      8254c329a92850f6d539dd376f4816ee 252f10c83610ebca
      3ff0000000000000 00000002 00000001
      00000025 '[{"index":0,"code":"c","detail":"d"}]'`),
  )
  const again = await openKeyStore(disk, limits, silent)
  expect(again.find('k')?.outcome).toEqual(outcome)
})

test('ids of events are rows of themselves and a time', async () => {
  const disk = createTearingDisk()
  const store = await openKeyStore(disk, limits, silent)
  const eventIds = Buffer.from('0123456789abcdef'.padEnd(32, '\0'))
  store.note({ eventIds }, 1)
  await store.flush()
  expect(toHex(disk.contents('ids/0000000001.ids'))).toBe(
    hex(`0000001d 3b2a9ed3 00 '{"format":"ids","version":1}'
      00000019 fe33fea9 01 '0123456789abcdef' 3ff0000000000000`),
  )
  const again = await openKeyStore(disk, limits, silent)
  expect([again.hasId(eventIds, 0), again.hasId(eventIds, 1), again.ids.size]).toEqual([true, false, 1])
})

test('a segment with ids of events is of version 4, and as it was otherwise', () => {
  expect(toTexts(encodeSegmentHeader('c0ffee', 9, mark, 4))[0]).toEqual([
    0,
    '{"format":"segment","version":4,"collector":"c0ffee","segment":9,"mark":"0102030405060708"}',
  ])
})

test('columns of event types are JSON, with each kind by its word', async () => {
  const columns =
    '{"struct":[["eventName","text"],["eventDate","timestamp"],["eventGranularity","text"],["a","boolean"],["b","integer"],' +
    '["c","double"],["d","digits"],["e","text"],["f","bytes"],["g","timestamp"],["h","json"],["i","mixed"],' +
    '["j",{"list":"text"}],["k",{"struct":[["l","text"]]}]]}'
  const disk = createTearingDisk()
  const file = Buffer.concat([
    encodeHeader('schemas'),
    toFrame(1, Buffer.from(`{"eventName":"A","columns":${columns}}`)),
  ])
  const next = await disk.create('schemas')
  await next.append(file)
  const { schemas } = await readSchemas(disk)
  expect(schemas).toMatchObject([{ eventName: 'A' }])
  await disk.unlink('schemas')
  await writeSchemas(disk, schemas)
  expect(toHex(disk.contents('schemas'))).toBe(toHex(file))
})

test('a destination is JSON', async () => {
  const disk = createTearingDisk()
  const destination: Destination = {
    fileSystem: 'hdfs://a:8020/',
    isMounted: false,
    outputDirectory: '/events',
    outputLayout: 'dated',
    outputFormat: 'native',
    outputCodec: 'none',
    outputEnvelope: true,
  }
  await writeDestination(disk, destination)
  expect(toTexts(disk.contents('destination')).slice(1)).toEqual([
    [
      1,
      '{"fileSystem":"hdfs://a:8020/","isMounted":false,"outputDirectory":"/events","outputLayout":"dated",' +
        '"outputFormat":"native","outputCodec":"none","outputEnvelope":true}',
    ],
  ])
  expect(await readDestination(disk)).toEqual(destination)
})

const fileText =
  '{"name":"n","directory":"/d","segment":1,"format":"native","codec":"gzip","kind":"smile","length":2,"crc":3,' +
  '"events":4,"oldest":5,"eventName":"A","targetName":"t"}'
const damageText =
  '{"file":"f","bytes":1,"events":2,"reason":"r","lost":true,"torn":true,"withheld":true,"refused":["A"]}'

/** Each entry of the ledger, with every member it may have. */
const entries: { readonly [Type in LedgerEntry['type']]: string } = {
  opened: '{"type":"opened","segment":1}',
  closed: '{"type":"closed","segment":1,"events":2,"keyFile":3,"idFile":4}',
  end: '{"type":"end","segment":1,"end":2}',
  damaged: `{"type":"damaged","damage":[${damageText}]}`,
  sealed: `{"type":"sealed","segment":1,"files":[${fileText}],"damage":[${damageText}]}`,
  reopened: '{"type":"reopened","segments":[2,3]}',
  moving: '{"type":"moving","name":"n","temporary":"/t"}',
  placed: '{"type":"placed","name":"n"}',
  committed: '{"type":"committed","name":"n","at":1}',
  quarantined: '{"type":"quarantined","name":"n","reason":"r","nameTaken":true}',
  taken: '{"type":"taken","name":"n","reason":"r"}',
  requeued: '{"type":"requeued","name":"n"}',
  removed: '{"type":"removed","name":"n"}',
  resolved: '{"type":"resolved","file":"f"}',
  replaced: `{"type":"replaced","file":"f","by":${damageText}}`,
  settled: `{"type":"settled","names":["n"],"pieces":[${damageText}]}`,
  flush: '{"type":"flush","enabled":true}',
  drained: '{"type":"drained","drained":true}',
  snapshot:
    '{"type":"snapshot","opened":[7],"keyFile":3,"idFile":4,"closed":[[5,6]],"ends":[[6,9]],"lastSealed":4,"files":[],"damage":[],' +
    '"flushEnabled":true,"flushedEvents":8}',
  files: `{"type":"files","files":[${[
    '{"at":"sealed"}',
    '{"at":"moving","temporary":"/t"}',
    '{"at":"committed","since":1}',
    '{"at":"quarantined","reason":"r","nameTaken":true}',
    '{"at":"taken","reason":"r"}',
    '{"at":"placed"}',
  ]
    .map((state, i) => `{"file":${fileText.replace('"n"', `"n${i}"`)},"state":${state}}`)
    .join(',')}]}`,
}

/** Not of every entry, or not since the first version. */
const optional = ['keyFile', 'idFile', 'nameTaken', 'opened', 'closed']

describe('the ledger', () => {
  test.each(Object.entries(entries))('has the entry %s as JSON, and needs each of its members', (_, text) => {
    const value: Readonly<Record<string, unknown>> = JSON.parse(text)
    expect(parseEntry(Buffer.from(text))).toEqual(value)
    const withMember = (member: string, other: unknown) => () =>
      parseEntry(Buffer.from(JSON.stringify({ ...value, [member]: other })))
    for (const member of Object.keys(value).filter(name => name !== 'type')) {
      expect(withMember(member, {}), member).toThrow(TypeError)
      if (!optional.includes(member)) expect(withMember(member, undefined), member).toThrow(TypeError)
    }
  })

  test('is rewritten as these entries, and read back', async () => {
    const disk = createTearingDisk()
    const { snapshot, files, damaged, drained } = entries
    const reopened = '{"type":"reopened","segments":[7]}'
    const sent = [snapshot, reopened, drained, files, damaged]
    const file = await disk.create('ledger')
    const frames = sent.map(text => toFrame(1, Buffer.from(text)))
    await file.append(Buffer.concat([encodeHeader('ledger'), ...frames]))
    await (await openLedger(disk, true, async () => Promise.reject(new Error('nothing is damaged')))).close()
    expect(toTexts(disk.contents('ledger'))).toEqual([
      [0, '{"format":"ledger","version":2}'],
      ...sent.map(text => [1, text]),
    ])
    expect((await readLedger(disk)).files.get('n4')?.state).toEqual({ at: 'taken', reason: 'r' })
  })
})

test('the list of a segment has the files that it was sealed into', async () => {
  const disk = createTearingDisk()
  await disk.mkdir('lists')
  const file: BucketFile = JSON.parse(fileText)
  const bytes = encodeSealedList([file])
  expect(toTexts(bytes)).toEqual([
    [0, '{"format":"list","version":2}'],
    [1, `{"type":"files","files":[{"file":${fileText},"state":{"at":"sealed"}}]}`],
  ])
  await (await disk.create(sealedListPath(1))).append(bytes)
  expect(await readSealedList(disk, 1)).toEqual([file])
})

const fixture = join(import.meta.dirname, '../../fixtures/spool-format-3')
const filesOfFixture = {
  spool: 'busy/spool/format',
  destination: 'busy/spool/destination',
  ledger: 'busy/spool/ledger',
  list: 'busy/spool/lists/0000000004.list',
  segment: 'busy/spool/log/0000000006.log',
  ids: 'ids/spool/ids/0000000001.ids',
  keys: 'busy/spool/keys/0000000001.keys',
  schemas: 'parquet/spool/schemas',
} as const satisfies Record<FormatName, string>

test.each(Object.entries(filesOfFixture))(
  'R22: a %s in which nothing is new has the version that the release before wrote, and so reads',
  async (format, path) => {
    const header = frameAt(await readFile(join(fixture, path)), 0)
    const { version } = parseHeader(header?.payload ?? new Uint8Array())
    expect(formats[format as FormatName].writes).toBe(version)
  },
)
