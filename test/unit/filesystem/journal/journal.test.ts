import { describe, expect, test } from 'vitest'
import { appendsOf, directoriesOf, hadoopOf } from '../../../../src/filesystem/facets.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { claimBytes, encodeGroup } from '../../../../src/filesystem/journal/frame.ts'
import { isInside } from '../../../../src/filesystem/path.ts'
import { inOnePiece } from '../../../../src/filesystem/publish/in-one-piece.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import {
  away,
  begin,
  bytesOf,
  create,
  type Fate,
  flush,
  id,
  notFound,
  numbersOf,
  other,
  own,
  root,
  startProcess,
  take,
  taken,
  taker,
  textOf,
} from '../../../suites/journal-logs.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createObjects } from '../../../suites/object-filesystem.ts'

describe('files of a log', () => {
  test('are what was appended, renamed and deleted, for the owner and for others', async () => {
    const { objects, fs, file } = await begin()
    await flush(file, 'one,')
    const second = await create(fs, `${own}/copy`)
    await Promise.all([flush(file, 'two,'), flush(second, 'x'.repeat(2_500_000))])
    await flush(file, 'three')
    await directoriesOf(fs).rename(`${own}/copy`, `${own}/log-1`, { overwrite: true })
    await flush(second, 'y')
    const gone = await create(fs, `${own}/gone`)
    await flush(gone, 'z')
    expect(await fs.delete(`${own}/gone`)).toBe(true)
    expect(await fs.delete(`${own}/gone`)).toBe(false)
    for (const reader of [fs, startProcess(objects)]) {
      expect(await textOf(reader, `${own}/ledger`)).toBe('one,two,three')
      expect(await textOf(reader, `${own}/ledger`, { offset: 3, length: 3 })).toBe(',tw')
      expect(await textOf(reader, `${own}/log-1`, { offset: 2_499_999 })).toBe('xy')
      const listed = (await listAll(reader, own)).map(({ path, length }) => [path, length])
      expect(listed).toEqual([
        [`${own}/ledger`, 13],
        [`${own}/log-1`, 2_500_001],
      ])
    }
    expect([file.length, file.copies]).toEqual([13, 3])
  })

  test('are not there for the name of another keeper, and no file is written without its log', async () => {
    const { objects } = await begin()
    const fs = startProcess(objects)
    await expect(fs.getFileStatus(`${own}.${taker}`)).rejects.toMatchObject(notFound)
    await expect(create(fs, `${own}.${taker}/ledger`)).rejects.toMatchObject(notFound)
    await expect(create(fs, `${root}/${other}/ledger`)).rejects.toMatchObject(notFound)
    expect(await listAll(objects, `${root}/${other}`).catch(() => [])).toEqual([])
  })

  test('take nothing more under a name that another file has got', async () => {
    const { fs, file } = await begin()
    await flush(file, 'old')
    const next = await create(fs, `${own}/ledger`)
    await expect(flush(file, 'lost')).rejects.toMatchObject({ code: 'unavailable' })
    await flush(next, 'new')
    expect(await textOf(fs, `${own}/ledger`)).toBe('new')
  })

  test('have a group that is never as long as a claim', () => {
    const lengths = Array.from({ length: 400 }, (_, length) => {
      const group = { kind: 'group', keeper: id, session: 's', since: 1, changes: [] } as const
      return encodeGroup(group, [new Uint8Array(length + 200)])
    })
    expect(lengths.map(({ bytes }) => bytes.length)).not.toContain(claimBytes)
    expect(new Set(lengths.map(({ start }) => start)).size).toBe(2)
  })
})

describe('an answer that is lost', () => {
  test('leaves bytes of which nothing else takes the place, and nothing behind them in their file', async () => {
    let fate: Fate = 'passes'
    const { objects, fs, file } = await begin(() => fate)
    await flush(file, 'kept,')
    fate = 'lost'
    await expect(flush(file, 'perhaps,')).rejects.toMatchObject({ code: 'unavailable' })
    fate = 'passes'
    await expect(flush(file, 'gap,')).rejects.toMatchObject({ code: 'unavailable' })
    const next = await create(fs, `${own}/log-1`)
    await flush(next, 'more')
    const reader = startProcess(objects)
    expect(await textOf(reader, `${own}/ledger`)).toBe('kept,perhaps,')
    expect(await textOf(reader, `${own}/log-1`)).toBe('more')
  })

  test('of a write that was not done: it is sent again as it was', async () => {
    let fate: Fate = 'passes'
    const { objects, fs, file } = await begin(() => fate)
    fate = 'fails'
    await expect(flush(file, 'one')).rejects.toMatchObject({ code: 'unavailable' })
    const before = await numbersOf(objects)
    fate = 'passes'
    await create(fs, `${own}/log-1`)
    expect((await numbersOf(objects)).length).toBe(before.length + 2)
    expect(await textOf(startProcess(objects), `${own}/ledger`)).toBe('one')
  })

  test('of a write that arrives behind the claim of a taker: its log has no such bytes, and nothing was confirmed', async () => {
    const arrived = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    let isHeld = false
    const { objects, fs, file } = await begin(async (): Promise<Fate> => {
      if (!isHeld) return 'passes'
      arrived.resolve()
      await letGo.promise
      return 'passes'
    })
    await flush(file, 'kept')
    isHeld = true
    const late = flush(file, 'late')
    late.catch(() => {})
    await arrived.promise
    const next = startProcess(objects)
    await take(next)
    letGo.resolve()
    await expect(late).rejects.toMatchObject(notFound)
    await expect(fs.getFileStatus(own)).rejects.toMatchObject(notFound)
    expect(await textOf(next, `${taken}/ledger`)).toBe('kept')
  })
})

/** A store to which all claims are one. */
const toVague = (objects: FileSystem): FileSystem => ({
  ...objects,
  publish: async (path, source, options) => {
    const published = await objects.publish(path, source, options)
    // As where the checksum of another claim is the same by chance.
    const isClaim = isInside(path, own) && options?.attempt?.length === claimBytes
    return isClaim ? { ...published, outcome: 'done' } : published
  },
})

describe('a log that is taken', () => {
  test('is taken by one of two whose claims a store cannot tell apart', async () => {
    const { objects } = await begin()
    const vague = toVague(objects)
    const to = `${root}/${id}.${other}`
    const outcomes = await Promise.allSettled([take(startProcess(vague)), take(startProcess(vague), own, to)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('is not ended by the claim of another process that a store cannot tell apart', async () => {
    const { objects, file } = await begin()
    await flush(file, 'kept')
    const arrived = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    const slow = startProcess(toVague(objects), async (): Promise<Fate> => {
      arrived.resolve()
      await letGo.promise
      return 'passes'
    })
    const ending = slow.delete(own, { recursive: true })
    await arrived.promise
    await take(startProcess(objects))
    letGo.resolve()
    await expect(ending).rejects.toMatchObject(notFound)
    expect(await textOf(startProcess(objects), `${taken}/ledger`)).toBe('kept')
  })

  test('has another name, and its old owner finds out by each call', async () => {
    const { objects, fs, file } = await begin()
    await hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 7 })
    const next = startProcess(objects)
    expect((await next.getFileStatus(`${own}/alive`)).modificationTime).toBe(7)
    await take(next)
    await expect(hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 8 })).rejects.toMatchObject(notFound)
    await expect(flush(file, 'x')).rejects.toMatchObject(notFound)
    await expect(create(fs, `${own}/log-1`)).rejects.toMatchObject(notFound)
    await expect(directoriesOf(fs).mkdirs(own)).rejects.toMatchObject(notFound)
    await expect(fs.getFileStatus(own)).rejects.toMatchObject(notFound)
    await expect(listAll(fs, own)).rejects.toMatchObject(notFound)
    expect((await listAll(next, root)).map(({ path }) => path)).toEqual([taken])
    expect(await appendsOf(next).recoverLease(`${taken}/ledger`)).toBe(true)
  })

  test('is taken by one of two', async () => {
    const { objects } = await begin()
    const [one, two] = [startProcess(objects), startProcess(objects)]
    const outcomes = await Promise.allSettled([take(one), take(two, own, `${root}/${id}.${other}`)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: notFound })
  })

  test('is not written by one that another took it from before it had read it', async () => {
    const { objects } = await begin()
    const next = startProcess(objects)
    let lists = 0
    const slow = startProcess({
      ...objects,
      async *listStatus(path, options) {
        // Behind the head, and the second look at it.
        if (path === own && ++lists === 3) await take(next, taken, `${root}/${id}.${other}`)
        yield* objects.listStatus(path, options)
      },
    })
    await expect(take(slow)).rejects.toMatchObject(notFound)
    expect((await listAll(startProcess(objects), root)).map(({ path }) => path)).toEqual([`${root}/${id}.${other}`])
  })

  test('fences its owner although the claim comes where an old head was, long swept', async () => {
    const { objects, fs, file } = await begin(undefined, 3)
    await flush(file, 'one,')
    const arrived = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    let claims = 0
    const slow = startProcess(objects, async (path): Promise<Fate> => {
      if (!isInside(path, own)) return 'passes'
      if (++claims > 1) return 'passes'
      arrived.resolve()
      await letGo.promise
      return 'passes'
    })
    const taking = take(slow)
    await arrived.promise
    // Written again and again, so that the number of the claim is free again.
    let last = file
    for (let count = 0; count < 12; count++) {
      last = await create(fs, `${own}/ledger`)
      await flush(last, `${count},`)
    }
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    letGo.resolve()
    await taking
    expect(claims).toBeGreaterThan(1)
    await expect(flush(last, 'x')).rejects.toMatchObject(notFound)
    expect(await textOf(slow, `${taken}/ledger`)).toBe('11,')
  })

  test('keeps each claim while it is written, and when it has ended', async () => {
    const { objects } = await begin(undefined, 2)
    const next = startProcess(objects, undefined, 2)
    await take(next)
    for (let count = 0; count < 10; count++) await flush(await create(next, `${taken}/ledger`), `${count}`)
    for (let turn = 0; turn < 50; turn++) await nextTurn()
    const claims = async () => (await numbersOf(objects)).filter(number => number.endsWith('!'))
    expect(await claims()).toEqual(['3!', '1!'])
    expect((await numbersOf(objects)).length).toBeLessThan(8)
    expect(await next.delete(taken, { recursive: true })).toBe(true)
    expect(await next.delete(taken, { recursive: true })).toBe(false)
    expect((await numbersOf(objects)).slice(1)).toEqual(['3!', '1!'])
    expect(await listAll(next, root)).toEqual([])
  })

  test('begins again behind its end, and never with a number that was used', async () => {
    const { objects, fs } = await begin()
    await fs.delete(own, { recursive: true })
    const ended = await numbersOf(objects)
    await directoriesOf(fs).mkdirs(own)
    const file = await create(fs, `${own}/ledger`)
    await flush(file, 'new')
    expect((await numbersOf(objects)).slice(-ended.length)).toEqual(ended)
    expect(await textOf(startProcess(objects), `${own}/ledger`)).toBe('new')
  })

  test('is listed before it begins: the process may be killed behind its claim', async () => {
    const objects = createObjects()
    const killed = startProcess(objects, path => (isInside(path, own) ? 'lost' : 'passes'))
    await expect(directoriesOf(killed).mkdirs(own)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await listAll(startProcess(objects), root)).map(({ path }) => path)).toEqual([own])
  })

  test('is listed once it has begun, although another process took it for one that had ended', async () => {
    const objects = createObjects()
    const cleaner = startProcess(objects)
    const fs = startProcess(objects, async (path): Promise<Fate> => {
      if (isInside(path, own)) await cleaner.delete(own, { recursive: true })
      return 'passes'
    })
    await directoriesOf(fs).mkdirs(own)
    expect((await listAll(startProcess(objects), root)).map(({ path }) => path)).toEqual([own])
  })

  test('is listed once it has ended, and not any more once it is deleted again, where its end was interrupted', async () => {
    const { objects, file } = await begin()
    await flush(file, 'x')
    const killed = startProcess({ ...objects, delete: path => Promise.reject(away(path)) })
    await expect(killed.delete(own, { recursive: true })).rejects.toMatchObject({ code: 'unavailable' })
    const next = startProcess(objects)
    expect((await listAll(next, root)).map(({ path }) => path)).toEqual([own])
    expect(await next.delete(own, { recursive: true })).toBe(false)
    expect(await listAll(next, root)).toEqual([])
    expect((await numbersOf(objects)).filter(number => !number.endsWith('!'))).toEqual([])
  })

  test('is not replaced by an empty one of its old name while it is whole', async () => {
    const { objects, file } = await begin()
    await flush(file, 'kept')
    const next = startProcess(objects)
    await take(next)
    await expect(directoriesOf(startProcess(objects)).mkdirs(own)).rejects.toMatchObject(notFound)
    expect(await textOf(next, `${taken}/ledger`)).toBe('kept')
    await next.delete(`${taken}/ledger`)
    await directoriesOf(startProcess(objects)).mkdirs(own)
    await expect(create(next, `${taken}/log-1`)).rejects.toMatchObject(notFound)
  })

  test('is found by what its journal says, where its hint is an old one', async () => {
    const { objects } = await begin()
    const next = startProcess(objects)
    await take(next)
    const hint = bytesOf(JSON.stringify({ keeper: id, counter: 1 }))
    await objects.publish(`${root}/alive/${id}`, inOnePiece(hint), {
      overwrite: true,
    })
    const third = startProcess(objects)
    const names = async () => (await listAll(third, root)).map(({ path }) => path)
    expect(await names()).toEqual([own])
    expect((await listAll(next, root)).map(({ path }) => path)).toEqual([taken])
    await expect(take(third, own, `${root}/${id}.${other}`)).rejects.toMatchObject(notFound)
    expect(await names()).toEqual([taken])
    await take(third, taken, `${root}/${id}.${other}`)
    await expect(create(next, `${taken}/log-1`)).rejects.toMatchObject(notFound)
  })
})

test('a process that starts again on the same disk fences the one before', async () => {
  const { objects, fs, file } = await begin()
  await flush(file, 'one,')
  const again = startProcess(objects)
  await flush(await create(again, `${own}/log-1`), 'two')
  await expect(flush(file, 'three')).rejects.toMatchObject(notFound)
  // It does not claim the log back.
  await expect(create(fs, `${own}/ledger`)).rejects.toMatchObject(notFound)
  await expect(directoriesOf(fs).mkdirs(own)).rejects.toMatchObject(notFound)
  expect(await textOf(startProcess(objects), `${own}/ledger`)).toBe('one,')
})
