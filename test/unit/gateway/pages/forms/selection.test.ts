import { describe, expect, test } from 'vitest'
import { createTokenAuth, createWorld, hostileNames, type WorldOptions } from '../world.ts'

const toPage = (path: string, more = ''): string => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${more}`
const select = (...names: readonly string[]) => names.map(name => `&select=${encodeURIComponent(name)}`).join('')
const cookie = 'sluice-session=secret'

const setUp = async (options: WorldOptions = {}) => {
  const files = { '/d/a.txt': 'a', '/d/sub/b.txt': 'b', '/d/_hidden': 'h' }
  const world = await createWorld({ files, ...options })
  const post = async (body: URLSearchParams, more = '', headers = {}) =>
    await world.app.request(`http://localhost${toPage('/d')}&action=delete-selected${more}`, {
      method: 'POST',
      body,
      headers: { host: 'localhost', origin: 'http://localhost', accept: 'text/html', cookie, ...headers },
    })
  const list = async () => (await Array.fromAsync(world.fileSystem.listStatus('/d'))).flat().map(({ path }) => path)
  return { ...world, post, list }
}
const fields = (...names: readonly string[]) =>
  new URLSearchParams(names.map((name): [string, string] => ['select', name]))

describe('a listing', () => {
  test('has a box for each entry, in a form that asks', async () => {
    const { page } = await setUp()
    const html = await page(toPage('/d'))
    expect(html.match(/<input type="checkbox" name="select" value="[^"]*" form="selected"/g)).toHaveLength(3)
    expect(html).toContain('<form id="selected" method="get" action="/rest/1.0/binary">')
    expect(html).toContain('value="delete-selected" formaction="/rest/1.0/hdfs"')
  })

  test('offers no delete to who may not write, on no page and by no form', async () => {
    const { page, post, list } = await setUp({ auth: createTokenAuth('read') })
    const html = await page(toPage('/d'), { cookie })
    expect(html).toContain('value="zip"')
    expect(html).not.toContain('delete-selected')
    expect(await page(toPage('/d', `&show=delete-selected${select('a.txt')}`), { cookie })).not.toContain('<h1>Delete')
    expect((await post(fields('a.txt'))).status).toBe(403)
    expect(await list()).toHaveLength(3)
  })

  test('lets every name be chosen that forms can carry', async () => {
    const files = Object.fromEntries(hostileNames.map(name => [`/d/${name}`, '']))
    const { page, post, list } = await setUp({ files })
    const html = await page(toPage('/d'))
    const chosen = hostileNames.filter(name => !name.includes('\n'))
    expect(html.match(/name="select"/g)).toHaveLength(chosen.length)
    const asked = await page(toPage('/d', `&show=delete-selected${select(...chosen)}`))
    expect(asked).toContain(`Delete ${chosen.length} entries?`)
    expect(asked).not.toContain('<img src=x')
    expect((await post(fields(...chosen))).status).toBe(303)
    expect(await list()).toEqual(['/d/new\nline.txt'])
  })
})

describe('the page that asks before entries are deleted', () => {
  test('names them, and has them in its form', async () => {
    const { page } = await setUp()
    const html = await page(toPage('/d', `&show=delete-selected${select('a.txt', 'sub', 'a.txt')}`))
    expect(html).toContain('Delete 2 entries?')
    expect(html).toContain('with everything in it')
    expect(html).toContain('cannot be brought back')
    expect(html).toContain('<form method="post" action="/rest/1.0/hdfs?path=/d&amp;action=delete-selected">')
    expect(html.match(/type="hidden" name="select" value="(a\.txt|sub)"/g)).toHaveLength(2)
    expect(html).toContain('type="checkbox" required')
  })

  test('names no more than a hundred', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `f${index}`)
    const { page } = await setUp({ files: Object.fromEntries(names.map(name => [`/d/${name}`, ''])) })
    const html = await page(toPage('/d', `&show=delete-selected${select(...names)}`))
    expect(html.match(/<li><svg/g)).toHaveLength(100)
    expect(html).toContain('And 30 more.')
    expect(html.match(/type="hidden" name="select"/g)).toHaveLength(130)
  })

  test.each([[''], [select('gone')]])('of nothing asks nothing: %s', async more => {
    const { page } = await setUp()
    const html = await page(toPage('/d', `&show=delete-selected${more}`))
    expect(html).toContain('Nothing is selected')
    expect(html).not.toContain('action=delete')
  })
})

describe('a form that deletes entries', () => {
  test('deletes those alone, full directories too, and tells how many', async () => {
    const { post, list, get } = await setUp()
    const location = (await post(fields('a.txt', 'sub'))).headers.get('location') ?? ''
    expect(location).toBe('/rest/1.0/hdfs?path=/d&done=deleted&name=2%20entries')
    expect(await list()).toEqual(['/d/_hidden'])
    expect(await (await get(location)).text()).toContain('Deleted <bdi>2 entries</bdi>')
  })

  test('moves them to the trash, or deletes them for good', async () => {
    const { post, get, page, fileSystem } = await setUp({ trashOf: () => '/' })
    const asked = await page(toPage('/d', `&show=delete-selected${select('a.txt')}`))
    expect(asked).toContain('Move to trash')
    expect(asked).toContain('action=delete-selected&amp;skipTrash=true">Delete for good')
    const location = (await post(fields('a.txt', 'sub'))).headers.get('location') ?? ''
    expect(await fileSystem.getFileStatus('/user/anonymous/.Trash/Current/d/sub/b.txt')).toBeDefined()
    expect(await (await get(location)).text()).toContain('href="/rest/1.0/hdfs?path=/user/anonymous/.Trash/Current/d"')
    expect((await post(fields('_hidden'), '&skipTrash=true')).headers.get('location')).toContain('done=deleted')
    await expect(fileSystem.getFileStatus('/user/anonymous/.Trash/Current/d/_hidden')).rejects.toThrow()
  })

  test.each([
    { what: 'nothing', names: [], status: 400, says: 'expected names of entries' },
    { what: 'the directory above', names: ['a.txt', '..'], status: 400, says: 'cannot be used' },
    { what: 'a path', names: ['sub/b.txt'], status: 400, says: 'cannot be used' },
    { what: 'another site', names: ['a.txt'], headers: { origin: 'https://evil.example' }, status: 403, says: '' },
  ])('of $what deletes nothing', async ({ names, headers, status, says }) => {
    const { post, list } = await setUp()
    const response = await post(fields(...names), '', headers)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(says)])
    expect(await list()).toHaveLength(3)
  })

  describe('has an undo', () => {
    const setUpTrash = async () => {
      const world = await setUp({ trashOf: () => '/' })
      const { post, get } = world
      const remove = async (...names: readonly string[]) => {
        const location = (await post(fields(...names))).headers.get('location') ?? ''
        const html = await (await get(location)).text()
        const undo = /name="undo" value="([^"]*)"/.exec(html)?.[1] ?? ''
        expect(html).toContain('<form method="post" action="/rest/1.0/hdfs?path=/d&amp;action=undo">')
        return new URLSearchParams({ undo })
      }
      const putBack = (body: URLSearchParams) =>
        world.app.request(`http://localhost${toPage('/d')}&action=undo`, {
          method: 'POST',
          headers: { host: 'localhost', accept: 'text/html' },
          body,
        })
      return { ...world, remove, putBack }
    }

    test('that puts all of them back at once, and once', async () => {
      const { remove, putBack, list, get, fileSystem } = await setUpTrash()
      const before = await list()
      await fileSystem.create('/user/anonymous/.Trash/Current/d/a.txt', new Blob(['older']).stream())
      const undo = await remove('a.txt', 'sub')
      expect(await list()).toEqual(['/d/_hidden'])
      const answer = await putBack(undo)
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        '/rest/1.0/hdfs?path=/d&done=restored&name=2%20entries',
      ])
      expect(await list()).toEqual(before)
      expect(await new Response(await fileSystem.open('/d/a.txt')).text()).not.toBe('older')
      expect(await (await get(answer.headers.get('location') ?? '')).text()).toContain('Put back: <bdi>2 entries</bdi>')
      const again = await putBack(undo)
      expect([again.status, await again.text()]).toEqual([404, expect.stringContaining('can no longer be undone here')])
    })

    test('that replaces nothing, puts back the others, and can be retried', async () => {
      const { remove, putBack, list, fileSystem } = await setUpTrash()
      const undo = await remove('a.txt', 'sub')
      await fileSystem.create('/d/a.txt', new Blob(['new']).stream())
      const answer = await putBack(undo)
      expect([answer.status, await answer.text()]).toEqual([
        409,
        expect.stringContaining('1 of 2 entries are back, the others are in the trash'),
      ])
      expect(await new Response(await fileSystem.open('/d/a.txt')).text()).toBe('new')
      expect(await list()).toEqual(['/d/_hidden', '/d/a.txt', '/d/sub'])
      await fileSystem.delete('/d/a.txt', { recursive: false })
      expect((await putBack(undo)).status).toBe(303)
      expect(await list()).toEqual(['/d/_hidden', '/d/a.txt', '/d/sub'])
    })
  })

  test('that fails in between tells how far it came', async () => {
    const { post, list } = await setUp()
    const response = await post(fields('a.txt', 'gone', 'sub'))
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('1 of 3 entries were deleted before it')
    expect(await list()).toEqual(['/d/_hidden', '/d/sub'])
  })
})
