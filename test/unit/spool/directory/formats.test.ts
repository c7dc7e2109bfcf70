import { describe, expect, test } from 'vitest'
import { encodeHeader, headerFrame, readFormat, UnknownFormat } from '../../../../src/spool/framing/format-header.ts'
import { readFrames, toFrame } from '../../../../src/spool/framing/framing.ts'
import { readSealedList, sealedListPath } from '../../../../src/spool/ledger/sealed-list.ts'
import { segmentPath } from '../../../../src/spool/segment/segment-files.ts'
import { frameType, markBytes, prefixBytes } from '../../../../src/spool/segment/segment-format.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { verifySpool } from '../../../../src/spool/tool/verify.ts'
import { viewSpool } from '../../../../src/spool/tool/view.ts'
import { createWorld, type World } from '../../../suites/crash-world.ts'

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const newer = (format: string): Uint8Array => toFrame(headerFrame, json({ format, version: 99 }))

/** A spool that a killed process left: two sealed files that wait, a closed segment, an open one with a key. */
const createVictim = async (): Promise<World> => {
  const world = await createWorld({ settings: { maxUncommittedEvents: 2, flushEnabled: false } })
  await world.append(2)
  await world.beat()
  world.faults.disk = (operation, path) =>
    operation === 'append' && path.startsWith('sealed/') ? Object.assign(new Error('EIO'), { code: 'EIO' }) : undefined
  await world.append(2)
  await world.beat()
  await world.append(1, { key: 'k' })
  world.faults.disk = undefined
  world.stop('kill', () => 0)
  return world
}

const contents = async (world: World): Promise<ReadonlyMap<string, string>> => {
  const disk = world.disk()
  const files = disk.paths.map(async path => [path, Buffer.from(await disk.read(path)).toString('base64')] as const)
  return new Map(await Promise.all(files))
}

const file = {
  name: 'n',
  directory: '/d',
  segment: 9,
  format: 'jsonl',
  codec: 'none',
  kind: 'smile',
  length: 1,
  crc: 2,
  events: 3,
  oldest: 4,
}
const destination = {
  fileSystem: 'file:///',
  isMounted: false,
  outputDirectory: '/events',
  outputLayout: 'dated',
  outputFormat: 'jsonl',
  outputCodec: 'none',
  outputEnvelope: true,
}

type Change = (world: World) => Promise<void>

const append =
  (path: string, ...frames: readonly Uint8Array[]): Change =>
  async world =>
    world.disk().overwrite(path, Buffer.concat([await world.disk().read(path), ...frames]))

const write =
  (path: string, ...frames: readonly Uint8Array[]): Change =>
  async world => {
    const disk = world.disk()
    if (!disk.paths.includes(path)) await (await disk.create(path)).close()
    disk.overwrite(path, Buffer.concat(frames))
  }

const changes: readonly (readonly [string, string, Change])[] = [
  ['the spool is of a newer version', 'format has format version 99', write('format', newer('spool'))],
  ['the ledger is of a newer version', 'ledger has format version 99', write('ledger', newer('ledger'))],
  [
    'an open segment is of a newer version',
    `${segmentPath(3)} has format version 99`,
    write(segmentPath(3), newer('segment')),
  ],
  [
    'a closed segment is of a newer version',
    `${segmentPath(2)} has format version 99`,
    write(segmentPath(2), newer('segment')),
  ],
  [
    'the ledger has a frame of an unknown type',
    'ledger has format version 2 and a frame of the unknown type 99',
    append('ledger', toFrame(99, json({ type: 'flush', enabled: true }))),
  ],
  [
    'the ledger has an entry of an unknown type',
    'ledger has format version 2 and the unknown word "rested"',
    append('ledger', toFrame(1, json({ type: 'rested', segment: 1 }))),
  ],
  [
    'a ledger of 0.1.0 has an entry of an unknown type',
    'ledger has format version 1 and the unknown word "rested"',
    write('ledger', toFrame(1, json({ type: 'rested', segment: 1 }))),
  ],
  [
    'the ledger has a file of an unknown compression',
    'ledger has format version 2 and the unknown word "brotli"',
    append(
      'ledger',
      toFrame(1, json({ type: 'sealed', segment: 9, files: [{ ...file, codec: 'brotli' }], damage: [] })),
    ),
  ],
  [
    'the ledger has a file in an unknown state',
    'ledger has format version 2 and the unknown word "parked"',
    append('ledger', toFrame(1, json({ type: 'files', files: [{ file, state: { at: 'parked' } }] }))),
  ],
  [
    'the destination has an unknown layout',
    'destination has format version 2 and the unknown word "flat"',
    write('destination', encodeHeader('destination'), toFrame(1, json({ ...destination, outputLayout: 'flat' }))),
  ],
  [
    'a column is of an unknown kind',
    'schemas has format version 3 and the unknown kind "decimal"',
    write(
      'schemas',
      encodeHeader('schemas'),
      toFrame(1, json({ eventName: 'A', columns: { struct: [['n', 'decimal']] } })),
    ),
  ],
  [
    'a segment has a frame of an unknown type',
    `${segmentPath(3)} has format version 3 and a frame of the unknown type 99`,
    append(segmentPath(3), toFrame(99, Buffer.from('of tomorrow'))),
  ],
  [
    'a segment has one far behind its beginning',
    `${segmentPath(3)} has format version 3 and a frame of the unknown type 99`,
    async world => {
      const { payload } = [...readFrames(world.disk().contents(segmentPath(3)))].at(-1) ?? {}
      const far = Buffer.concat([payload?.subarray(0, markBytes) ?? Buffer.of(), Buffer.alloc(100_000)])
      const frames = [toFrame(frameType.marked, far), toFrame(99, Buffer.from('of tomorrow'))]
      await append(segmentPath(3), ...frames)(world)
    },
  ],
  [
    'a segment of 0.1.0 has a frame of an unknown type',
    `${segmentPath(3)} has format version 1 and a frame of the unknown type 99`,
    write(segmentPath(3), toFrame(1, Buffer.from('id 3')), toFrame(99, Buffer.from('of tomorrow'))),
  ],
]

describe('R22: another version wrote the spool', () => {
  test.each(changes)('%s: the start is refused in a sentence, and nothing changes', async (_, sentence, change) => {
    const world = await createVictim()
    await change(world)
    const before = await contents(world)
    const refused = await world.start().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(UnknownFormat)
    expect((refused as Error).message).toContain(sentence)
    expect((refused as Error).message).toMatch(
      /; this program knows the \w+ up to version [1234]\. Nothing was changed/,
    )
    expect(await contents(world)).toEqual(before)
  })

  test.each(changes)('%s: the tools say so, too, and change nothing', async (_, sentence, change) => {
    const world = await createVictim()
    await change(world)
    const before = await contents(world)
    await expect(takeSpool(world.disk())).rejects.toThrow(sentence)
    // An unknown frame deep in a segment does not keep the others from being listed; a check names it.
    const found = await verifySpool(world.disk(), { isHeld: false }).then(
      ({ findings }) => findings.map(({ detail }) => detail).join('\n'),
      (error: unknown) => (error as Error).message,
    )
    expect(found).toContain(sentence)
    expect(await contents(world)).toEqual(before)
  })
})

test('R22: events whose way in is that of a later version come to their place as others do', async () => {
  const world = await createVictim()
  const segment = segmentPath(3)
  const frames = [...readFrames(world.disk().contents(segment))]
  const changed = frames.map(({ type, payload }) => {
    const copy = Buffer.from(payload)
    if (type === frameType.marked) copy[prefixBytes + 8] = 99
    return toFrame(type, copy)
  })
  world.disk().overwrite(segment, Buffer.concat(changed))
  await world.start()
  await world.spool().enableFlush()
  await world.calm()
  expect(await world.verdict()).toEqual({ lost: [], twice: [], unknown: [] })
  expect((await world.found()).length).toBe(5)
  expect(world.spool().stats().quarantinedEvents).toBe(0)
})

test('the files of a spool say their versions', async () => {
  const world = await createVictim()
  await world.start()
  for (const [path, format, version] of [
    ['format', 'spool', 3],
    ['ledger', 'ledger', 2],
    [segmentPath(3), 'segment', 3],
  ] as const) {
    const text = Buffer.from(await world.disk().read(path)).toString('latin1')
    expect(text.slice(9)).toMatch(new RegExp(`^{"format":"${format}","version":${version}`))
  }
})

const losses: readonly (readonly [string, Change])[] = [
  ['without its own version', world => world.disk().unlink('format')],
  ['with a damaged version', write('format', Buffer.from('x'))],
]

test.each(losses)('a spool %s is read, and gets it again', async (_, lose) => {
  const world = await createVictim()
  await lose(world)
  await world.start()
  expect(world.spool().stats()).toMatchObject({ openEvents: 3 })
  expect(Buffer.from(await world.disk().read('format'))).toEqual(Buffer.from(encodeHeader('spool')))
})

test('an invalid header, or one of another format, is refused', () => {
  const read = (header: unknown): unknown => [...readFormat(toFrame(headerFrame, json(header)), 'file', 'ledger')]
  expect(() => read({ format: 'segment', version: 2 })).toThrow(UnknownFormat)
  expect(() => read({ format: 'ledger' })).toThrow(UnknownFormat)
  expect(() => read(null)).toThrow(UnknownFormat)
  expect(read({ format: 'ledger', version: 1, more: true })).toEqual([])
})

test('a list with a file of an unknown compression is not read in part', async () => {
  const world = await createVictim()
  const entry = { type: 'files', files: [{ file: { ...file, codec: 'brotli' }, state: { at: 'sealed' } }] }
  await write(sealedListPath(9), encodeHeader('list'), toFrame(1, json(entry)))(world)
  await expect(readSealedList(world.disk(), 9)).rejects.toThrow(
    'lists/0000000009.list has format version 2 and the unknown word "brotli"',
  )
})

test('the view of a spool is refused for a newer ledger', async () => {
  const world = await createVictim()
  await write('ledger', newer('ledger'))(world)
  await expect(viewSpool(world.disk())).rejects.toThrow(UnknownFormat)
})
