import { describe, expect, test } from 'vitest'
import { appendsOf, directoriesOf } from '../../../../src/filesystem/facets.ts'
import type { Directories } from '../../../../src/filesystem/filesystem.ts'
import { type Owner, parseOwner } from '../../../../src/spool/takeover/owners.ts'
import { recoverLeases, type Taking, takeLog, takeTemporaries } from '../../../../src/spool/takeover/take.ts'
import { chunksOf } from '../../../suites/file-text.ts'
import { listAll } from '../../../suites/list-all.ts'
import { type AppendOperation, createMemoryHdfs, type MemoryHdfs } from '../../../suites/memory-hdfs.ts'

const a = 'a'.repeat(32)
const b = 'b'.repeat(32)
const c = 'c'.repeat(32)

const owner = (name: string): Owner => {
  const found = parseOwner(name)
  if (!found) throw new TypeError(name)
  return found
}

const takingOn = (fileSystem: MemoryHdfs, taker: string): Taking => ({
  fileSystem,
  outputDirectory: '/events',
  taker,
  signal: new AbortController().signal,
})

const put = async (hdfs: MemoryHdfs, ...paths: string[]): Promise<void> => {
  for (const path of paths) await hdfs.memory.create(path, chunksOf(path))
}

const pathsBelow = async (hdfs: MemoryHdfs, path: string): Promise<string[]> => {
  const found: string[] = []
  for (const entry of await listAll(hdfs, path)) {
    if (entry.isDirectory) found.push(...(await pathsBelow(hdfs, entry.path)))
    else found.push(entry.path)
  }
  return found
}

const hangs = (path: string): string => `The file system has not answered for 120 s: a call for "${path}" hangs`

/** All time is over at once. */
const atOnce: NonNullable<Taking['later']> = (_, call) => {
  call()
  return () => {}
}

/** An HDFS whose calls of RENAME hang, until they are let go. */
const hangingRename = (hdfs: MemoryHdfs) => {
  const held: (() => Promise<void>)[] = []
  const rename: Directories['rename'] = (...args) => {
    held.push(() => directoriesOf(hdfs).rename(...args))
    return new Promise(() => {})
  }
  return {
    hanging: { ...hdfs, directories: { ...directoriesOf(hdfs), rename } },
    letGo: async () => {
      for (const call of held.splice(0)) await call()
    },
  }
}

test.each([
  [a, { name: a, id: a, keeper: a }],
  [`${a}.${b}`, { name: `${a}.${b}`, id: a, keeper: b }],
  ['x', undefined],
  [`${a}.`, undefined],
  [`${a}.${b}.${c}`, undefined],
  [a.toUpperCase(), undefined],
])('the name %s', (name, want) => expect(parseOwner(name)).toEqual(want))

describe('a log is taken', () => {
  test('by one of several that try at once', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_log/${a}/ledger`)
    const names = await Promise.all([takeLog(takingOn(hdfs, b), owner(a)), takeLog(takingOn(hdfs, c), owner(a))])
    expect(names.filter(name => name !== undefined)).toHaveLength(1)
    expect(await pathsBelow(hdfs, '/events/_log')).toEqual([`/events/_log/${names.find(name => name)}/ledger`])
  })

  test('from one that had taken it before', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_log/${a}.${b}/ledger`)
    expect(await takeLog(takingOn(hdfs, c), owner(`${a}.${b}`))).toBe(`${a}.${c}`)
    expect(await pathsBelow(hdfs, '/events/_log')).toEqual([`/events/_log/${a}.${c}/ledger`])
  })

  test('although the answer was lost', async () => {
    let isLost = true
    const hdfs = createMemoryHdfs({ fail: operation => (isLost && operation === 'rename' ? 'after' : undefined) })
    await put(hdfs, `/events/_log/${a}/ledger`)
    await expect(takeLog(takingOn(hdfs, b), owner(a))).rejects.toMatchObject({ code: 'unavailable' })
    isLost = false
    expect(await takeLog(takingOn(hdfs, b), owner(a))).toBe(`${a}.${b}`)
  })

  test('by a RENAME that hangs, which is given up, and found once it is done after all', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_log/${a}/ledger`, `/events/_tmp/${a}/one`)
    const { hanging, letGo } = hangingRename(hdfs)
    const given = { ...takingOn(hanging, b), later: atOnce }
    const log = `/events/_log/${a}`
    await expect(takeLog(given, owner(a))).rejects.toThrow(hangs(log))
    await letGo()
    expect(await takeLog(takingOn(hdfs, b), owner(a))).toBe(`${a}.${b}`)
    await expect(takeTemporaries(given, owner(`${a}.${b}`))).rejects.toThrow(hangs(`/events/_tmp/${a}/one`))
    await letGo()
    await takeTemporaries(takingOn(hdfs, b), owner(`${a}.${b}`))
    expect(await pathsBelow(hdfs, '/events/_tmp')).toEqual([`/events/_tmp/${a}.${b}/one`])
  })

  test('in place of the note of one that was taken before it was whole', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_log/${a}/ledger`, `/events/_log/${a}.${b}/taken`)
    expect(await takeLog(takingOn(hdfs, b), owner(a))).toBe(`${a}.${b}`)
    expect(await pathsBelow(hdfs, '/events/_log')).toEqual([`/events/_log/${a}.${b}/ledger`])
  })

  test('never in place of another one', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_log/${a}/ledger`, `/events/_log/${a}.${b}/ledger`)
    await expect(takeLog(takingOn(hdfs, b), owner(a))).rejects.toMatchObject({ code: 'exists' })
    expect(await pathsBelow(hdfs, '/events/_log')).toHaveLength(2)
  })
})

describe('what is on its way to its place', () => {
  const ours = `/events/_tmp/${a}.${c}`

  test('comes along, from whoever had the log before, and from nobody else', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, `/events/_tmp/${a}/one`, `/events/_tmp/${a}.${b}/two`, `/events/_tmp/${b}/three`, `${ours}/four`)
    expect(await takeTemporaries(takingOn(hdfs, c), owner(`${a}.${c}`))).toBe(ours)
    const left = await pathsBelow(hdfs, '/events/_tmp')
    expect(left.toSorted()).toEqual(
      [`${ours}/four`, `${ours}/one`, `${ours}/two`, `/events/_tmp/${b}/three`].toSorted(),
    )
    for (const name of ['one', 'two', 'four']) expect(await hdfs.contents(`${ours}/${name}`)).toBeDefined()
  })

  test('is nothing where there is no directory', async () => {
    const hdfs = createMemoryHdfs()
    expect(await takeTemporaries(takingOn(hdfs, c), owner(`${a}.${c}`))).toBe(ours)
  })

  test.for(['before', 'after'] as const)(
    'comes along when it is tried again after a call failed, %s it took effect',
    async when => {
      for (let failing = 1; failing <= 5; failing++) {
        let calls = 0
        const fail = (operation: AppendOperation) =>
          (operation === 'rename' || operation === 'mkdirs') && ++calls === failing ? when : undefined
        const hdfs = createMemoryHdfs({ fail })
        await put(hdfs, `/events/_tmp/${a}/one`, `/events/_tmp/${a}/two`)
        const take = (): Promise<string> => takeTemporaries(takingOn(hdfs, c), owner(`${a}.${c}`))
        await take().catch(take)
        expect(await pathsBelow(hdfs, '/events/_tmp')).toEqual([`${ours}/one`, `${ours}/two`])
      }
    },
  )
})

describe('leases', () => {
  test('are recovered until all files are closed; one that is gone meanwhile is fine', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, '/log/one', '/log/two', '/log/three')
    const asked: Record<string, number> = {}
    const appends = {
      ...appendsOf(hdfs),
      recoverLease: async (path: string): Promise<boolean> => {
        await hdfs.getFileStatus(path)
        asked[path] = (asked[path] ?? 0) + 1
        return path === '/log/one' || (asked[path] ?? 0) >= 3
      },
    }
    let pauses = 0
    await recoverLeases(
      { fileSystem: { ...hdfs, appends }, signal: new AbortController().signal },
      ['/log/one', '/log/two', '/log/three', '/log/gone'],
      async () => {
        if (++pauses === 1) await hdfs.memory.delete('/log/three')
      },
    )
    expect([asked, pauses]).toEqual([{ '/log/one': 1, '/log/two': 3, '/log/three': 1 }, 2])
  })

  test('are asked for so often in one attempt, which names the file that HDFS does not close', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, '/log/one', '/log/two')
    const recoverLease = async (path: string): Promise<boolean> => path === '/log/two'
    const fileSystem = { ...hdfs, appends: { ...appendsOf(hdfs), recoverLease } }
    const { signal } = new AbortController()
    let pauses = 0
    const recovering = recoverLeases({ fileSystem, signal }, ['/log/one', '/log/two'], async () => ++pauses)
    await expect(recovering).rejects.toThrow('HDFS does not close "/log/one": the data nodes')
    expect(pauses).toBeLessThan(200)
  })

  test('are waited for until somebody gives up', async () => {
    const hdfs = createMemoryHdfs()
    await put(hdfs, '/log/one')
    const aborter = new AbortController()
    const fileSystem = { ...hdfs, appends: { ...appendsOf(hdfs), recoverLease: async () => false } }
    const recovering = recoverLeases({ fileSystem, signal: aborter.signal }, ['/log/one'], async () => aborter.abort())
    await expect(recovering).rejects.toMatchObject({ name: 'AbortError' })
  })
})
