/** What a store does to logs in it: it hangs, damages, and lets calls take effect late. */
import { describe, expect, test } from 'vitest'
import { appendsOf, directoriesOf, hadoopOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { isInside } from '../../../../src/filesystem/path.ts'
import { inOnePiece } from '../../../../src/filesystem/publish/in-one-piece.ts'
import {
  begin,
  bytesOf,
  create,
  type Fate,
  flush,
  id,
  notFound,
  other,
  own,
  root,
  startProcess,
  take,
  taken,
  textOf,
} from '../../../suites/journal-logs.ts'
import { listAll } from '../../../suites/list-all.ts'
import { createObjects } from '../../../suites/object-filesystem.ts'

const unavailable = { code: 'unavailable' }
const listNames = async (fs: FileSystem): Promise<readonly string[]> =>
  (await listAll(fs, root)).map(({ path }) => path)

describe('a store that hangs', () => {
  /** An owner whose PUTs of the journal hang from `hang` on, until `letGo`. */
  const beginHanging = async () => {
    let held: PromiseWithResolvers<void> | undefined
    let arrived: PromiseWithResolvers<void> | undefined
    const begun = await begin(async (path): Promise<Fate> => {
      if (!held || !isInside(path, own)) return 'passes'
      arrived?.resolve()
      await held.promise
      return 'passes'
    })
    await flush(begun.file, 'kept,')
    return {
      ...begun,
      hang: () => {
        held = Promise.withResolvers()
        arrived = Promise.withResolvers()
        return arrived.promise
      },
      letGo: () => held?.resolve(),
    }
  }

  test('is waited for by no call whose caller has given up', async () => {
    const { objects, fs, hang, letGo } = await beginHanging()
    const giveUp = new AbortController()
    const open = (name: string) =>
      appendsOf(fs).create(`${own}/${name}`, { overwrite: true, createParent: false, signal: giveUp.signal })
    const file = await open('log-1')
    const hanging = hang()
    const calls = [flush(file, 'perhaps'), open('log-2')]
    await hanging
    giveUp.abort(new Error('10 s are over'))
    for (const call of calls) await expect(call).rejects.toMatchObject(unavailable)
    await expect(flush(file, 'gap')).rejects.toMatchObject(unavailable)
    letGo()
    await flush(await create(fs, `${own}/log-3`), 'next')
    expect(await textOf(startProcess(objects), `${own}/log-1`)).toBe('perhaps')
  })

  test('does not make a keeper silent: its counter goes on beside a write that hangs', async () => {
    const { objects, fs, file, hang, letGo } = await beginHanging()
    const hanging = hang()
    const late = flush(file, 'late')
    await hanging
    await hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 9 })
    expect((await startProcess(objects).getFileStatus(`${own}/alive`)).modificationTime).toBe(9)
    letGo()
    await late
  })

  test('holds a counter up for so long only as it may take', async () => {
    const objects = createObjects()
    let hangs = false
    const fs = startProcess(objects, async (path): Promise<Fate> => {
      if (hangs && isInside(path, `${root}/alive`)) await new Promise(() => {})
      return 'passes'
    })
    await directoriesOf(fs).mkdirs(own)
    hangs = true
    const raising = hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 9 }, { timeoutMs: 1 })
    await expect(raising).rejects.toMatchObject(unavailable)
  })

  test('a counter is not raised by a keeper that was fenced behind a write with an unknown outcome', async () => {
    let fate: Fate = 'passes'
    const { objects, fs, file } = await begin(path => (isInside(path, own) ? fate : 'passes'))
    fate = 'lost'
    await expect(flush(file, 'perhaps')).rejects.toMatchObject(unavailable)
    const raise = () => hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 9 })
    await raise()
    await take(startProcess(objects))
    await expect(raise()).rejects.toMatchObject(notFound)
  })
})

describe('what is below the logs and is no part of one', () => {
  const put = (objects: FileSystem, path: string, text: string) =>
    objects.publish(path, inOnePiece(bytesOf(text)), { overwrite: true })

  test.each([
    ['an empty hint', `${root}/alive/${id}`, ''],
    ['a hint that was cut', `${root}/alive/${id}`, '{"keeper":"aa'],
    ['a hint of another kind', `${root}/alive/${id}`, '[]'],
    ['a hint without a log', `${root}/alive/${other}`, '?'],
    ['a directory of the name of a hint', `${root}/alive/${other}/x`, 'x'],
    ['another name of a hint', `${root}/alive/readme`, 'x'],
    ['another name of an object', `${own}/000000000000.bak`, 'x'],
    ['a directory in a journal', `${own}/000000000000/x`, 'x'],
  ])('%s hides no log', async (_, path, text) => {
    const { objects, file } = await begin()
    await flush(file, 'kept')
    await put(objects, path, text)
    const next = startProcess(objects)
    expect(await listNames(next)).toEqual([own])
    await take(next)
    expect(await listNames(next)).toEqual([taken])
    expect(await textOf(next, `${taken}/ledger`)).toBe('kept')
  })

  test.each([
    ['is empty', (): string => ''],
    ['was cut', (text: string): string => text.slice(0, 40)],
    ['was damaged', (text: string): string => text.replace('"append"', '"appenD"')],
    ['is something else', (): string => 'x'.repeat(300)],
  ])('an object that %s is said, and nothing is read past it', async (_, damage) => {
    for (const back of [0, 1]) {
      const { objects, file } = await begin()
      for (const text of ['one,', 'two,', 'three,']) await flush(file, text)
      const { path } = (await listAll(objects, own))[back] ?? { path: '' }
      await put(objects, path, damage(await textOf(objects, path)))
      const reader = startProcess(objects)
      await expect(textOf(reader, `${own}/ledger`)).rejects.toMatchObject({ ...unavailable, path })
      if (back === 0) await expect(take(reader)).rejects.toMatchObject({ ...unavailable, path })
    }
  })

  test('an object whose bytes were cut is said when they are read', async () => {
    const { objects, fs, file } = await begin()
    await flush(file, 'x'.repeat(9_000))
    const { path } = (await listAll(objects, own))[0] ?? { path: '' }
    await put(objects, path, (await textOf(objects, path)).slice(0, -1))
    await expect(textOf(fs, `${own}/ledger`)).rejects.toMatchObject({ ...unavailable, path })
  })
})

const missing = (path: string) => Promise.reject(new FileSystemError('not-found', path, 'it is not there'))

test.each([
  ['the head', 1],
  ['one before it', 2],
])('a log is read again where %s was swept while it was read', async (_, at) => {
  const { objects, file } = await begin()
  await flush(file, 'kept')
  let looks = 0
  const getFileStatus: FileSystem['getFileStatus'] = path =>
    isInside(path, own) && ++looks === at ? missing(path) : objects.getFileStatus(path)
  expect(await textOf(startProcess({ ...objects, getFileStatus }), `${own}/ledger`)).toBe('kept')
  expect(looks).toBeGreaterThan(at)
})

test.each([
  ['an object', own],
  ['a hint', `${root}/alive`],
])('%s that finds no bucket to go to fences no keeper', async (_, directory) => {
  const objects = createObjects()
  let isGone = false
  const publish: FileSystem['publish'] = (path, source, options) =>
    isGone && isInside(path, directory) ? missing(path) : objects.publish(path, source, options)
  const fs = startProcess({ ...objects, publish })
  await directoriesOf(fs).mkdirs(own)
  const file = await create(fs, `${own}/ledger`)
  const write = async (text: string): Promise<void> => {
    await flush(file, text)
    await hadoopOf(fs).setTimes(`${own}/alive`, { modificationTime: 9 })
  }
  isGone = true
  await expect(write('one,')).rejects.toMatchObject(unavailable)
  isGone = false
  await flush(await create(fs, `${own}/log-1`), 'two')
  expect(await textOf(startProcess(objects), `${own}/log-1`)).toBe('two')
})

test('a log that is begun again while another process cleans up behind its end has a hint', async () => {
  const { objects, fs } = await begin()
  const hint = `${root}/alive/${id}`
  await fs.delete(own, { recursive: true })
  // As a late write of its old keeper leaves it.
  await objects.publish(hint, inOnePiece(bytesOf(JSON.stringify({ keeper: id, counter: 7 }))), { overwrite: true })
  for (const moment of ['before', 'after']) {
    const again = startProcess(objects)
    const cleaner = startProcess({
      ...objects,
      delete: async (path, options) => {
        if (path === hint && moment === 'before') await directoriesOf(again).mkdirs(own)
        const deleted = await objects.delete(path, options)
        if (path === hint && moment === 'after') await directoriesOf(again).mkdirs(own)
        return deleted
      },
    })
    await expect(take(cleaner)).rejects.toMatchObject(notFound)
    expect(await listNames(startProcess(objects))).toEqual([own])
    await again.delete(own, { recursive: true })
    await objects.publish(hint, inOnePiece(bytesOf(JSON.stringify({ keeper: id, counter: 7 }))), { overwrite: true })
  }
})
