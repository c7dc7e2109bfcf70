import { describe, expect, test } from 'vitest'
import { openAuth } from '../../../../../src/http/auth/auth.ts'
import { fromVerbs } from '../../../../suites/flat-filesystem.ts'
import { createTokenAuth, createWorld, nowMs, type WorldOptions } from '../world.ts'

const toPage = (path: string, more = ''): string => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${more}`

const setUp = async (options: WorldOptions = {}) => {
  const files = { '/d/a.txt': 'a', '/d/sub/b.txt': 'b', '/m/x/c.txt': 'c' }
  const trashOf = (path: string): string => (/^\/m(\/|$)/.test(path) ? '/m' : '/')
  const world = await createWorld({ files, trashOf, ...options })
  const post = async (target: string, fields: Readonly<Record<string, string>> = {}, headers = {}) =>
    await world.app.request(`http://localhost${target}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { host: 'localhost', origin: 'http://localhost', accept: 'text/html', ...headers },
    })
  const remove = async (path: string, more = '&recursive=true') =>
    await post(`${toPage(path)}&action=delete${more}`, {}, { cookie: 'sluice-session=secret' })
  const read = async (path: string): Promise<string> => await new Response(await world.fileSystem.open(path)).text()
  return { ...world, post, remove, read }
}

/** The form of a page, as a browser sends it. */
const readForm = (html: string): { action: string; fields: Readonly<Record<string, string>> } => {
  const form = /<form method="post" action="([^"]*action=rename)">([\s\S]*?)<\/form>/.exec(html)
  const inputs = form?.[2]?.matchAll(/name="(\w+)" value="([^"]*)"/g) ?? []
  return {
    action: (form?.[1] ?? '').replaceAll('&amp;', '&'),
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
  }
}

describe('with a trash, a delete of a page', () => {
  test.each([
    { path: '/d/a.txt', want: '/user/anonymous/.Trash/Current/d/a.txt', file: '' },
    { path: '/d/sub', want: '/user/anonymous/.Trash/Current/d/sub', file: '/b.txt' },
    { path: '/d', want: '/user/anonymous/.Trash/Current/d', file: '/sub/b.txt' },
    { path: '/m/x', want: '/m/user/anonymous/.Trash/Current/x', file: '/c.txt' },
  ])('moves $path to the trash of its mount, and Undo moves it back', async ({ path, want, file }) => {
    const { remove, read, get, post, fileSystem } = await setUp()
    const before = await read(`${path}${file}`)
    const location = (await remove(path)).headers.get('location') ?? ''
    expect(await read(`${want}${file}`)).toBe(before)
    const current = want.slice(0, want.indexOf('Current') + 'Current'.length)
    expect((await fileSystem.getFileStatus(current)).permission).toBe(0o700)
    const html = await (await get(location)).text()
    expect(html).toContain('Moved to the trash:')
    const { action, fields } = readForm(html)
    expect((await post(action, fields)).status).toBe(303)
    expect(await read(`${path}${file}`)).toBe(before)
  })

  test('is the trash of who is logged in', async () => {
    const { remove, read } = await setUp({ auth: createTokenAuth('read', 'write') })
    expect((await remove('/d/a.txt')).status).toBe(303)
    expect(await read('/user/ann/.Trash/Current/d/a.txt')).toBe('a')
  })

  test('replaces nothing in the trash, and Undo nothing outside', async () => {
    const { remove, read, post, get, fileSystem } = await setUp()
    await remove('/d/a.txt')
    await fileSystem.create('/d/a.txt', new Blob(['second']).stream())
    const location = (await remove('/d/a.txt')).headers.get('location') ?? ''
    expect(await read('/user/anonymous/.Trash/Current/d/a.txt')).toBe('a')
    expect(await read(`/user/anonymous/.Trash/Current/d/a.txt${nowMs}`)).toBe('second')
    await fileSystem.create('/d/a.txt', new Blob(['third']).stream())
    const { action, fields } = readForm(await (await get(location)).text())
    expect((await post(action, fields)).status).toBe(409)
    expect(await read('/d/a.txt')).toBe('third')
  })

  test('has a name for each of those that are deleted in one ms, and for what was below a file of the name', async () => {
    const { remove, read, fileSystem } = await setUp()
    const current = '/user/anonymous/.Trash/Current'
    for (const text of ['first', 'second', 'third']) {
      await fileSystem.create('/e', new Blob([text]).stream(), { overwrite: true })
      expect((await remove('/e')).status).toBe(303)
    }
    expect(await read(`${current}/e`)).toBe('first')
    expect(await read(`${current}/e${nowMs}`)).toBe('second')
    expect(await read(`${current}/e${nowMs + 1}`)).toBe('third')
    await fileSystem.create('/e/f', new Blob(['f']).stream())
    expect((await remove('/e/f')).status).toBe(303)
    expect(await read(`${current}/e${nowMs}${nowMs + 1}/f`)).toBe('f')
  })

  test('goes beside a file that is in the way', async () => {
    const { remove, read, fileSystem } = await setUp()
    await fileSystem.create('/e', new Blob(['file']).stream())
    await remove('/e')
    await fileSystem.create('/e/f/g', new Blob(['g']).stream())
    expect((await remove('/e/f/g')).status).toBe(303)
    expect(await read(`/user/anonymous/.Trash/Current/e${nowMs}/f/g`)).toBe('g')
    expect(await read('/user/anonymous/.Trash/Current/e')).toBe('file')
  })

  test.each([
    { what: 'of what is in the trash', path: '/user/anonymous/.Trash/Current/d/a.txt' },
    { what: 'of what is in the trash of another', path: '/user/bob/.Trash/Current/x' },
    { what: 'that is asked to', path: '/d/sub', more: '&recursive=true&skipTrash=true' },
    { what: 'of a home that is asked to', path: '/user/anonymous', more: '&recursive=true&skipTrash=true' },
  ])('$what deletes for good', async ({ path, more }) => {
    const { remove, fileSystem } = await setUp()
    await fileSystem.create('/user/bob/.Trash/Current/x', new Blob(['x']).stream())
    await remove('/d/a.txt')
    const response = await remove(path, more)
    expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining('done=deleted')])
    await expect(fileSystem.getFileStatus(path)).rejects.toMatchObject({ code: 'not-found' })
    await expect(fileSystem.getFileStatus('/user/anonymous/.Trash/Current/d/sub')).rejects.toThrow()
  })

  test.each([
    { path: '/', status: 403, says: 'delete it permanently' },
    { path: '/user', status: 403, says: 'delete it permanently' },
    { path: '/m', status: 403, says: 'delete it permanently' },
    { path: '/gone', status: 404, says: 'there is no such file or directory' },
    { path: '/d/a.txt/below', status: 404, says: 'there is no such file or directory' },
  ])('of $path is refused, and nothing is moved', async ({ path, status, says }) => {
    const { remove, read, fileSystem } = await setUp()
    const response = await remove(path)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(says)])
    expect(await read('/d/a.txt')).toBe('a')
    await expect(fileSystem.getFileStatus('/user')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('continues where a checkpoint takes the directory away meanwhile', async () => {
    const world = await setUp()
    await world.remove('/d/a.txt')
    const { fileSystem } = world
    const rename: typeof fileSystem.rename = (...names) => fileSystem.rename(...names)
    let isFirst = true
    const between: typeof rename = async (source, target, options) => {
      if (isFirst) await rename('/user/anonymous/.Trash/Current', '/user/anonymous/.Trash/260503120000')
      isFirst = false
      await fileSystem.getFileStatus(target.slice(0, target.lastIndexOf('/')))
      await rename(source, target, options)
    }
    const other = await createWorld({ fileSystem: fromVerbs({ ...fileSystem, rename: between }), trashOf: () => '/' })
    const response = await other.app.request(`http://localhost${toPage('/d/sub')}&action=delete`, {
      method: 'POST',
      headers: { host: 'localhost', origin: 'http://localhost' },
    })
    expect(response.status).toBe(303)
    expect(await world.read('/user/anonymous/.Trash/Current/d/sub/b.txt')).toBe('b')
  })
})

describe('the page that asks', () => {
  test.each([
    { path: '/d/a.txt', says: 'It goes to the trash', button: 'Move to trash', action: /action=delete"/ },
    { path: '/d', says: 'It goes to the trash', button: 'Move to trash', action: /action=delete&amp;recursive=true"/ },
    { path: '/user', says: 'The trash is in it', button: 'Delete', action: /recursive=true&amp;skipTrash=true"/ },
    {
      path: '/user/bob/.Trash/Current/x',
      says: 'in the trash already',
      button: 'Delete',
      action: /action=delete&amp;skipTrash=true"/,
    },
  ])('tells what becomes of $path', async ({ path, says, button, action }) => {
    const { page, fileSystem } = await setUp()
    await fileSystem.create('/user/bob/.Trash/Current/x', new Blob(['x']).stream())
    const html = await page(toPage(path, '&show=delete'))
    expect(html).toContain(says)
    expect(html).toContain(`<button class="danger">${button}</button>`)
    expect(/<form method="post" action="[^>]*>/.exec(html)?.[0]).toMatch(action)
  })

  test('offers to delete for good', async () => {
    const { page } = await setUp()
    expect(await page(toPage('/d', '&show=delete'))).toContain(
      '<button formaction="/rest/1.0/hdfs?path=/d&amp;action=delete&amp;recursive=true&amp;skipTrash=true">Delete for good',
    )
  })
})

describe('Undo', () => {
  const done = (trashed: string) => `&done=trashed&name=a.txt&trashed=${encodeURIComponent(trashed)}`
  test.each([
    { what: 'what was never deleted', trashed: '/d/sub/b.txt' },
    { what: 'the trash of another', trashed: '/user/bob/.Trash/Current/x' },
    {
      what: 'the trash of another, by a way through his own',
      trashed: '/user/anonymous/.Trash/Current/../../../bob/x',
    },
    { what: 'another mount', trashed: '/m/user/anonymous/.Trash/Current/x' },
  ])('is not offered by a link for $what', async ({ trashed }) => {
    const { page } = await setUp()
    expect(await page(toPage('/d', done(trashed)))).not.toContain('Undo')
  })

  test('is offered to who may write', async () => {
    const place = '/user/anonymous/.Trash/Current/d/a.txt'
    expect(await (await setUp()).page(toPage('/d', done(place)))).toContain('<button>Undo</button>')
    const { page } = await setUp({ auth: createTokenAuth('read') })
    const cookie = 'sluice-session=secret'
    expect(await page(toPage('/d', done(place.replace('anonymous', 'ann'))), { cookie })).not.toContain('Undo')
    const off = await createWorld({ files: { '/d/a': '' }, auth: openAuth })
    expect(await off.page(toPage('/d', done(place)))).not.toContain('Undo')
  })
})
