import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../src/filesystem/filesystem.ts'
import { hideDirectory } from '../../../src/filesystem/hide-directory.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { chunksOf } from '../../suites/filesystem.ts'
import { listAll } from '../../suites/list-all.ts'
import { createMemoryFileSystem, type MemoryOptions } from '../../suites/memory-filesystem.ts'

/** What `test/integration/hidden-logs.test.ts` does not reach by the routes of the gateway. */
const open = async (options: MemoryOptions = {}) => {
  const files = createMemoryFileSystem(options)
  for (const path of ['/e/_log/a', '/e/b', '/e/c', '/e/_logs']) await files.create(path, chunksOf('x'))
  const asked: string[] = []
  const appends = new Proxy(Object.create(null), {
    get: (_, verb) => async () => void asked.push(String(verb)),
  })
  const uploads = { giveUp: async () => 7 }
  const root = { ...files, appends, uploads, as: (user: string) => ({ ...files, url: `memory://${user}` }) }
  return { files, asked, shown: hideDirectory(createMountTable(root, []), '/e/_log', 'secrets') }
}

const refusal = { code: 'denied', message: expect.stringContaining('secrets') }

describe('hideDirectory', () => {
  test('hides it from a user, whose view is the same each time', async () => {
    const { shown } = await open()
    const view = shown.as?.('ann')
    expect(view).toBeDefined()
    expect(shown.as?.('ann')).toBe(view)
    if (!view) return
    expect((await listAll(view, '/e')).map(({ path }) => path)).toEqual(['/e/_logs', '/e/b', '/e/c'])
    await expect(view.getFileStatus('/e/_log/a')).rejects.toMatchObject(refusal)
    await expect(view.delete('/e', { recursive: true })).rejects.toMatchObject(refusal)
  })

  test.each(['create', 'append', 'truncate', 'visibleLength', 'recoverLease', 'isClosed'] as const)(
    'no file of it can be opened by %s',
    async verb => {
      const { shown, asked } = await open()
      const { appends } = shown
      if (!appends) throw new Error('it has files that stay open')
      const call = (path: string): Promise<unknown> =>
        verb === 'truncate' ? appends.truncate(path, 0) : appends[verb](path)
      await expect(call('/e/_log/a')).rejects.toMatchObject(refusal)
      expect(asked).toEqual([])
      await call('/e/b').catch(() => {})
      expect(asked).toEqual([verb])
    },
  )

  test('no upload of it is given up, nor of what holds it', async () => {
    const { uploads } = (await open()).shown
    for (const path of ['/', '/e', '/e/_log', '/e/_log/a'])
      await expect(
        uploads?.giveUp(path, () => true),
        path,
      ).rejects.toMatchObject(refusal)
    expect(await uploads?.giveUp('/e/_logs', () => true)).toBe(7)
  })

  test('what may hold it stays while its existence is unknown', async () => {
    let isAway = false
    const { shown, files } = await open({
      fail: (operation, path) =>
        isAway && operation === 'getFileStatus' ? new FileSystemError('unavailable', path, 'gone') : undefined,
    })
    isAway = true
    await expect(shown.delete('/e', { recursive: true })).rejects.toMatchObject({ code: 'unavailable' })
    await expect(shown.directories.rename('/e', '/f')).rejects.toMatchObject({ code: 'unavailable' })
    isAway = false
    expect((await files.getFileStatus('/e/_log/a')).length).toBe(1)
  })

  test('a mount has names below its own root that are refused, a local directory does not', async () => {
    const far = createMemoryFileSystem()
    const local = { ...createMemoryFileSystem(), url: 'file:///data' }
    const mounts = [
      { path: '/far', fileSystem: far },
      { path: '/near', fileSystem: local },
    ]
    const shown = hideDirectory(createMountTable(createMemoryFileSystem(), mounts), '/far/e/_log', 'secrets')
    for (const path of ['/far/e/_log', '/far/.reserved/raw/e/_log', '/far/e/.snapshot/s/_log', '/.reserved/raw/x'])
      await expect(shown.directories.mkdirs(path), path).rejects.toMatchObject(refusal)
    await shown.directories.mkdirs('/near/.reserved/raw')
    await shown.directories.mkdirs('/far/e/_logs')
  })
})
