import { describe, expect, test } from 'vitest'
import { encodeHeader, headerFrame, readFormat, UnknownFormat } from '../../../src/spool/format-header.ts'
import { toFrame } from '../../../src/spool/framing.ts'
import { frameType } from '../../../src/spool/record.ts'
import { segmentPath } from '../../../src/spool/segment-files.ts'
import { takeSpool } from '../../../src/spool/tool/offline.ts'
import { verifySpool } from '../../../src/spool/tool/verify.ts'
import { viewSpool } from '../../../src/spool/tool/view.ts'
import { createWorld, type World } from '../../suites/crash-world.ts'

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const newer = (format: string): Uint8Array => toFrame(headerFrame, json({ format, version: 3 }))

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

type Change = (world: World) => Promise<void>

const append =
  (path: string, ...frames: readonly Uint8Array[]): Change =>
  async world =>
    world.disk().overwrite(path, Buffer.concat([await world.disk().read(path), ...frames]))

const write =
  (path: string, ...frames: readonly Uint8Array[]): Change =>
  async world =>
    world.disk().overwrite(path, Buffer.concat(frames))

const changes: readonly (readonly [string, string, Change])[] = [
  ['the spool is of a newer version', 'format has format version 3', write('format', newer('spool'))],
  ['the ledger is of a newer version', 'ledger has format version 3', write('ledger', newer('ledger'))],
  [
    'an open segment is of a newer version',
    `${segmentPath(3)} has format version 3`,
    write(segmentPath(3), newer('segment')),
  ],
  [
    'a closed segment is of a newer version',
    `${segmentPath(2)} has format version 3`,
    write(segmentPath(2), newer('segment')),
  ],
  [
    'the ledger has a frame of an unknown type',
    'ledger has format version 2 and a frame of the unknown type 99',
    append('ledger', toFrame(99, json({ type: 'flush', enabled: true }))),
  ],
  [
    'the ledger has an entry of an unknown type',
    'ledger has format version 2 and an unknown entry',
    append('ledger', toFrame(1, json({ type: 'rested', segment: 1 }))),
  ],
  [
    'a ledger of 0.1.0 has an entry of an unknown type',
    'ledger has format version 1 and an unknown entry',
    write('ledger', toFrame(1, json({ type: 'rested', segment: 1 }))),
  ],
  [
    'a segment has a frame of an unknown type',
    `${segmentPath(3)} has format version 2 and a frame of the unknown type 99`,
    append(segmentPath(3), toFrame(99, Buffer.from('of tomorrow'))),
  ],
  [
    'a segment has one far behind its beginning',
    `${segmentPath(3)} has format version 2 and a frame of the unknown type 99`,
    append(segmentPath(3), toFrame(frameType.batch, new Uint8Array(100_000)), toFrame(99, Buffer.from('of tomorrow'))),
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
    expect((refused as Error).message).toMatch(/; this program knows the \w+ up to version 2\. Nothing was changed/)
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

test('the files of a spool say their versions', async () => {
  const world = await createVictim()
  await world.start()
  for (const [path, format] of [
    ['format', 'spool'],
    ['ledger', 'ledger'],
    [segmentPath(3), 'segment'],
  ] as const) {
    const text = Buffer.from(await world.disk().read(path)).toString('latin1')
    expect(text.slice(9)).toMatch(new RegExp(`^{"format":"${format}","version":2`))
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

test('a header that is none, or of another format, is refused', () => {
  const read = (header: unknown): unknown => [...readFormat(toFrame(headerFrame, json(header)), 'file', 'ledger')]
  expect(() => read({ format: 'segment', version: 2 })).toThrow(UnknownFormat)
  expect(() => read({ format: 'ledger' })).toThrow(UnknownFormat)
  expect(() => read(null)).toThrow(UnknownFormat)
  expect(read({ format: 'ledger', version: 1, more: true })).toEqual([])
})

test('the view of a spool is refused for a newer ledger', async () => {
  const world = await createVictim()
  await write('ledger', newer('ledger'))(world)
  await expect(viewSpool(world.disk())).rejects.toThrow(UnknownFormat)
})
