import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { stringifyJson } from '../../../../src/formats/json.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { toSnippets } from '../../../../src/gateway/pages/elements/snippets.ts'
import { createTokenAuth, createWorld, hostileNames } from './world.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\t${index}\n`).join('')
const toPage = (path: string, query = '') => `/rest/1.0/hdfs?path=${encodeURIComponent(path)}${query}`
/** Targets of the links on a page. */
const toLinks = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))
const toLink = (html: string, rel: string) =>
  new RegExp(`rel="${rel}" href="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&')

describe('every page', () => {
  const world = createWorld({ files: { '/d/words.txt': lines(300), '/d/empty.txt': '' } })
  test.each([
    toPage('/'),
    toPage('/d'),
    toPage('/d', '&recursive=true'),
    toPage('/d/words.txt'),
    toPage('/d/words.txt', '&row=3'),
    toPage('/d/words.txt', '&show=bytes'),
    toPage('/d/words.txt', '&show=delete'),
    toPage('/d/empty.txt'),
    toPage('/missing'),
  ])('%s lets nothing in and runs nothing', async target => {
    const response = await (await world).get(target)
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    // Anything stricter, and browsers send `Origin: null` with the forms.
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    // Addresses occur only in lines to copy, which are text.
    const rest = html.replaceAll(/<code>[^<]*<\/code>/g, '')
    expect(rest).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|https?:\/\//)
    expect(html.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/static\/pages\.js\?v=/),
    ])
    expect(html).toMatch(/<html lang="en">[\s\S]*<a class="skip" href="#main">[\s\S]*<main id="main"[\s\S]*<h1>/)
  })
})

describe('the lines for other programs', () => {
  const toCode = (html: string) =>
    [...html.matchAll(/<pre tabindex="0"><code>([^<]*)<\/code><\/pre>/g)].map(([, code = '']) =>
      code
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    )
  const headers = { host: 'localhost:8080' }

  test.each(hostileNames)('of the file %j are text, folded, on both of its pages', async name => {
    const path = `/d/${name}`
    const world = await createWorld({ files: { [path]: 'the content\n' } })
    const server = { address: { host: 'localhost', port: 8080, secure: false }, proof: 'none' as const }
    const want = toSnippets({ server, path, isDirectory: false }).map(({ code }) => code)
    for (const query of ['', '&show=bytes']) {
      const html = await world.page(toPage(path, query), headers)
      expect(toCode(html)).toEqual(want)
      expect(html).toContain('<details class="use">')
    }
  })

  test('of a directory list it', async () => {
    const world = await createWorld({ files: { '/d/a.txt': 'x' } })
    const [hadoop, , curl] = toCode(await world.page(toPage('/d'), headers))
    expect(hadoop).toBe("hdfs dfs -ls 'webhdfs://localhost:8080/d'")
    expect(curl).toBe("curl 'http://localhost:8080/webhdfs/v1/d?op=LISTSTATUS'")
  })

  test('have a place for a token where one is needed, and never the token', async () => {
    const world = await createWorld({ auth: createTokenAuth('read'), files: { '/d/a.txt': 'x' } })
    const html = await world.page(toPage('/d/a.txt'), { cookie: 'sluice-session=secret' })
    expect(toCode(html).filter(code => code.includes('<token>'))).toHaveLength(3)
    expect(html).toContain('a token of this server')
    expect(html).not.toContain('secret')
  })

  test('name the scheme of a proxy in front', async () => {
    const world = await createWorld({ files: { '/d/a.txt': 'x' } })
    const html = await world.page(toPage('/d'), { 'x-forwarded-proto': 'https' })
    expect(toCode(html)[0]).toBe("hdfs dfs -ls 'swebhdfs://localhost:443/d'")
  })
})

describe('a directory', () => {
  test.each(hostileNames)('has a link that works to the file %j', async name => {
    const world = await createWorld({ files: { [`/d/${name}`]: 'the content\n' } })
    const html = await world.page(toPage('/d'))
    expect(html).not.toContain('<img')
    expect(html).not.toContain('<script>')
    const link = toLinks(html).find(target => new URLSearchParams(target.split('?')[1]).get('path') === `/d/${name}`)
    expect(await world.page(link ?? '')).toContain('the content')
  })

  test('tells size, time, owner, permission and replication, the exact ones on hover', async () => {
    const world = await createWorld({ files: { '/d/a.txt': 'x'.repeat(1536) } })
    const html = await world.page(toPage('/d'))
    expect(html).toContain('title="1,536 bytes">1.5 kB')
    expect(html).toContain('<time datetime="2026-05-03T10:00:00Z" title="2026-05-03T10:00:00Z">2 h ago</time>')
    expect(html).toContain('-rw-r--r--')
    expect(html).toMatch(/<th scope="col"[^>]*aria-sort="ascending"/)
  })

  test('keeps order and filter from page to page', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`/d/part-${index + 10}`, 'x'.repeat(index)]),
    )
    const world = await createWorld({ files: { ...files, '/d/other': '' } })
    const first = await world.page(toPage('/d', '&sort=size&order=desc&filter=part&limit=10'))
    const next = toLink(first, 'next')
    expect(next).toBe('/rest/1.0/hdfs?path=/d&sort=size&order=desc&filter=part&limit=10&page=2')
    expect(first).toContain('1–10 of 25 entries')
    expect(await world.page(next ?? '')).toContain('11–20 of 25 entries')
  })

  test.each([
    { query: '', want: 'This directory is empty.' },
    { query: '&filter=x', want: 'No name matches the filter.' },
    { query: '&startAfter=zzz', want: 'There are no further entries.' },
  ])('without entries ($query) says so', async ({ query, want }) => {
    const world = await createWorld()
    await world.fileSystem.mkdirs('/d')
    expect(await world.page(toPage('/d', query))).toContain(want)
  })

  test.each([
    { query: '&done=uploaded&name=%3Cb%3E.txt', want: 'Uploaded <bdi>&lt;b&gt;.txt</bdi>' },
    { query: '&done=deleted&name=a', want: 'Deleted <bdi>a</bdi>' },
  ])('tells what a form has done', async ({ query, want }) => {
    const world = await createWorld({ files: { '/d/x': '' } })
    expect(await world.page(toPage('/d', query))).toContain(want)
  })
})

describe('a file', () => {
  const world = createWorld({
    files: {
      '/words.txt': lines(20_000),
      '/events.smile': toSmile(),
      '/damaged.smile': toSmile().subarray(0, 150),
      '/photo.jpg': Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7919) % 256),
      '/wide.json.txt': `${Array.from({ length: 100 }, (_, index) => index).join('\t')}\n`,
      '/giant.txt': `${'x'.repeat(1_000_000)}\n`,
    },
  })

  test('shows its first rows, and leads on with a place', async () => {
    const { page } = await world
    const html = await page(toPage('/words.txt'))
    expect(html).toContain('id="row-99"')
    expect(html).not.toContain('id="row-100"')
    expect(toLink(html, 'next')).toMatch(/range=100-199/)
  })

  test('pages through all rows once, each link with the place to read from', async () => {
    const { page } = await world
    const numbers: number[] = []
    const places: string[] = []
    for (let link: string | undefined = toPage('/words.txt', '&range=0-499'); link !== undefined; ) {
      const html = await page(link)
      numbers.push(...[...html.matchAll(/id="row-(\d+)"/g)].map(([, row]) => Number(row)))
      link = toLink(html, 'next')
      places.push(new URLSearchParams(link?.split('?')[1]).get('at') ?? '')
    }
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, index) => index))
    const rows = places.filter(Boolean).map(place => Number(place.split('-')[0]))
    expect(rows.at(-1)).toBeGreaterThan(10_000)
  })

  test('has the range of old links: 1-50 are 51 rows, and 51-100 follow', async () => {
    const { page } = await world
    const html = await page(toPage('/words.txt', '&range=1-50'))
    expect([...html.matchAll(/id="row-/g)]).toHaveLength(51)
    expect(toLink(html, 'next')).toMatch(/range=51-10[01]/)
  })

  test('jumps to a row', async () => {
    const response = await (await world).get(toPage('/words.txt', '&show=rows&row=1234'))
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/rest/1.0/hdfs?path=/words.txt&range=1200-1299#row-1234',
    ])
  })

  test('shows one row whole, nested values folded, its integers exact', async () => {
    const html = await (await world).page(toPage('/events.smile', '&row=1'))
    expect(html).toContain('9007199254740994')
    expect(html).toMatch(/<details class="fold" open><summary>Object, 2 fields<\/summary>/)
    expect(html).toContain('rel="prev"')
    expect(html).toContain('&lt;script&gt;')
  })

  test.each([
    { query: '&range=90000-90099', want: 'There are no rows from 90,000 on' },
    { query: '&show=bytes', want: '6c 69 6e 65' },
    { query: '&show=bytes&at=0-2048', want: '00000800' },
    { query: '&show=bytes&at=0-999999999999999', want: 'Bytes <strong>' },
  ])('words.txt with $query has $want', async ({ query, want }) =>
    expect(await (await world).page(toPage('/words.txt', query))).toContain(want),
  )

  test.each([
    { path: '/damaged.smile', want: 'The file is damaged after row' },
    { path: '/photo.jpg', want: 'Its bytes are shown instead.' },
    { path: '/wide.json.txt', want: '100 columns; the first 60 are shown.' },
    { path: '/giant.txt', want: '999,840 more' },
  ])('$path: $want', async ({ path, want }) => {
    const html = await (await world).page(toPage(path))
    expect(html).toContain(want)
    expect(html.length).toBeLessThan(100_000)
  })

  test('beyond the last one is a 404', async () => {
    expect((await (await world).get(toPage('/words.txt', '&row=20000'))).status).toBe(404)
  })
})

test('rows that a file does not have are reported by the requested numbers', async () => {
  const world = await createWorld({ files: { '/words.txt': lines(300) } })
  const html = await world.page(toPage('/words.txt', '&range=999900-999999'))
  expect(html).toContain('There are no rows from 999,900 on.')
  expect(html).toContain('The file has 300 rows')
})

describe('rows below a directory', () => {
  /** File and number of each row of the table. */
  const toRows = (html: string) =>
    [...html.matchAll(/aria-label="Open row (\d+) of.*?<td class="file"><a[^>]*><bdi>([^<]*)<\/bdi>/g)].map(
      ([, row, name]) => `${name} ${row}`,
    )

  test('are counted over all files, and every page follows the last', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`/d/${index % 3}/f${index}`, lines(index * 5)]),
    )
    const world = await createWorld({
      files: { ...files, '/d/_SUCCESS': 'x\n', '/d/bad.smile': toSmile().subarray(0, 60) },
    })
    const seen: string[] = []
    for (let link: string | undefined = toPage('/d', '&recursive=true&range=0-24'); link !== undefined; ) {
      const html = await world.page(link)
      expect(html).not.toContain('_SUCCESS')
      seen.push(...toRows(html))
      link = toLink(html, 'next')
    }
    const text = seen.filter(row => !row.startsWith('bad'))
    expect(text).toHaveLength(180)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('are one table, the newest file first, with the columns of all', async () => {
    let ms = 0
    const world = await createWorld({
      files: { '/d/a.csv': 'x,y\n1,2\n', '/d/b.json': '{"y":3,"z":4}\n', '/d/dt=1/c.txt': 'w\n' },
      memory: { now: () => ++ms },
    })
    const html = await world.page(toPage('/d', '&recursive=true'))
    expect(html.match(/<table>/g)).toHaveLength(1)
    expect(toRows(html).map(row => row.replace(/ \d+$/, ''))[0]).toBe('dt=1/c.txt')
    expect(new Set(toRows(html).map(row => row.slice(0, 6)))).toEqual(new Set(['dt=1/c', 'b.json', 'a.csv ']))
  })

  test('name what is damaged in one notice, and show the rest', async () => {
    const bad = toSmile().subarray(0, 60)
    const world = await createWorld({ files: { '/d/a.smile': bad, '/d/b.smile': bad, '/d/c.txt': lines(3) } })
    const html = await world.page(toPage('/d', '&recursive=true'))
    expect(html.match(/class="notice bad"/g)).toHaveLength(1)
    expect(html).toContain('2 paths could not be read to the end')
    expect(html).toMatch(/<li><a href="[^"]*path=\/d\/b.smile">/)
    expect(toRows(html).filter(row => row.startsWith('c.txt'))).toHaveLength(3)
  })

  test('are filtered by where, page after page, and an error in it is reported', async () => {
    const files = { '/d/1/a.txt': lines(150), '/d/2/b.txt': lines(300), '/d/3/c.txt': 'other\t7\n' }
    const world = await createWorld({ files })
    const seen: string[] = []
    const where = encodeURIComponent('col-0 ~ "line 1"')
    for (let link: string | undefined = toPage('/d', `&recursive=true&where=${where}`); link !== undefined; ) {
      const html = await world.page(link)
      seen.push(...toRows(html))
      link = toLink(html, 'next')
    }
    const numbers = (count: number) =>
      Array.from({ length: count }, (_, at) => at).filter(at => `${at}`.startsWith('1'))
    expect(seen).toEqual([...numbers(300).map(row => `2/b.txt ${row}`), ...numbers(150).map(row => `1/a.txt ${row}`)])
    const refused = await world.get(toPage('/d', '&recursive=true&where=col-0+and'))
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('id="where-fault"')])
  })

  test('begin with the newest, and say so, where the file before them is gone', async () => {
    const world = await createWorld({ files: { '/d/a': 'x\n', '/d/c': 'c\n' } })
    const html = await world.page(toPage('/d', '&recursive=true&range=2-9&startAfter=b&at=2-0'))
    expect(html).toContain('The file before these rows is gone')
    expect(toRows(html)).toEqual(['c 0', 'a 0'])
  })
})

describe('an error', () => {
  const refuse = (code: 'denied' | 'unavailable', path: string) =>
    new FileSystemError(code, path, `${code}: <why> of ${path}`)
  const world = createWorld({
    memory: {
      fail: (_operation, path) =>
        path.startsWith('/away') ? refuse('unavailable', path) : path === '/mine' ? refuse('denied', path) : undefined,
    },
  })
  test.each([
    { target: toPage('/nope'), status: 404, want: 'not-found' },
    { target: toPage('/mine'), status: 403, want: 'denied: &lt;why&gt; of /mine' },
    { target: toPage('/away/x'), status: 503, want: 'Try again' },
    { target: toPage('/a/../../b'), status: 400, want: 'leaves the root' },
  ])('is a page with its cause: $target', async ({ target, status, want }) => {
    const response = await (await world).get(target)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(want)])
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
  })

  test('is a problem for programs', async () => {
    const response = await (await world).get(toPage('/nope'), { accept: '*/*' })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  })
})

describe('a form', () => {
  const post = async (target: string, body: string | FormData, headers: Readonly<Record<string, string>> = {}) => {
    const world = await createWorld({ files: { '/d/old.txt': 'old', '/d/sub/x': 'x' } })
    const origin = { host: 'localhost', origin: 'http://localhost', accept: 'text/html' }
    const response = await world.app.request(`http://localhost${target}`, {
      method: 'POST',
      body,
      headers: { ...origin, ...headers },
    })
    const read = async (path: string) => await new Response(await world.fileSystem.open(path)).text()
    return { response, read, world }
  }
  const form = (name: string, content: string) => {
    const data = new FormData()
    data.set('file', new File([content], name))
    return data
  }

  test.each(['new.txt', 'a "b" #%+.txt', '日本.txt'])('uploads %j and leads back', async name => {
    const { response, read } = await post(`${toPage('/d')}&action=upload`, form(name, 'the content'))
    const location = response.headers.get('location') ?? ''
    expect([response.status, new URLSearchParams(location.split('?')[1]).get('path')]).toEqual([303, '/d'])
    // Browsers send a quote in a name as %22, as the standard for forms says.
    const stored = new URLSearchParams(location.split('?')[1]).get('name') ?? ''
    expect(await read(`/d/${stored}`)).toBe('the content')
    expect(stored.replaceAll('%22', '"')).toBe(name)
  })

  test('replaces only when asked to', async () => {
    const refused = await post(`${toPage('/d')}&action=upload`, form('old.txt', 'new'))
    expect([refused.response.status, await refused.read('/d/old.txt')]).toEqual([409, 'old'])
    const done = await post(`${toPage('/d')}&action=upload&overwrite=true`, form('old.txt', 'new'))
    expect([done.response.status, await done.read('/d/old.txt')]).toEqual([303, 'new'])
  })

  const plain = { 'content-type': 'application/x-www-form-urlencoded' }
  test('deletes, and leads to the directory', async () => {
    const { response, read } = await post(`${toPage('/d/old.txt')}&action=delete`, '', plain)
    expect(response.headers.get('location')).toBe('/rest/1.0/hdfs?path=/d&done=deleted&name=old.txt')
    await expect(read('/d/old.txt')).rejects.toMatchObject({ code: 'not-found' })
  })

  test('deletes a full directory only with recursive', async () => {
    expect((await post(`${toPage('/d/sub')}&action=delete`, '', plain)).response.status).toBe(409)
    expect((await post(`${toPage('/d/sub')}&action=delete&recursive=true`, '', plain)).response.status).toBe(303)
  })

  const fields = (values: Readonly<Record<string, string>>): string => String(new URLSearchParams(values))
  test.each([
    { name: 'reports', want: '/d/reports' },
    { name: 'a "b" #%+ 日本', want: '/d/a "b" #%+ 日本' },
  ])('makes the directory $name and leads back', async ({ name, want }) => {
    const { response, world } = await post(`${toPage('/d')}&action=mkdir`, fields({ name }), plain)
    const query = new URLSearchParams((response.headers.get('location') ?? '').split('?')[1])
    expect([response.status, Object.fromEntries(query)]).toEqual([303, { path: '/d', done: 'created', name }])
    expect(await world.fileSystem.getFileStatus(want)).toMatchObject({ isDirectory: true })
  })

  test.each([
    {
      path: '/d/old.txt',
      name: 'new.txt',
      directory: '',
      want: '/d/new.txt',
      leadsTo: 'path=/d&done=renamed&name=new.txt',
    },
    {
      path: '/d/old.txt',
      name: 'old.txt',
      directory: '/d/sub/',
      want: '/d/sub/old.txt',
      leadsTo: 'path=/d/sub&done=moved&name=old.txt',
    },
    { path: '/d/sub', name: 'up', directory: '/', want: '/up/x', leadsTo: 'path=/&done=moved&name=up' },
  ])('renames $path to $want', async ({ path, name, directory, want, leadsTo }) => {
    const { response, world } = await post(`${toPage(path)}&action=rename`, fields({ name, directory }), plain)
    expect(response.headers.get('location')).toBe(`/rest/1.0/hdfs?${leadsTo}`)
    expect(await world.fileSystem.getFileStatus(want)).toMatchObject({ isDirectory: false })
    await expect(world.fileSystem.getFileStatus(path)).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each([
    {
      what: 'a directory that is there',
      path: '/d',
      action: 'mkdir',
      name: 'sub',
      status: 409,
      says: 'the name is taken',
    },
    { what: 'a directory without a name', path: '/d', action: 'mkdir', name: '', status: 400, says: 'cannot be used' },
    {
      what: 'a directory that leads out',
      path: '/d',
      action: 'mkdir',
      name: '..',
      status: 400,
      says: 'cannot be used',
    },
    { what: 'two directories at once', path: '/d', action: 'mkdir', name: 'a/b', status: 400, says: 'cannot be used' },
    {
      what: 'a directory in a file',
      path: '/d/old.txt',
      action: 'mkdir',
      name: 'a',
      status: 409,
      says: 'is a file, not a directory',
    },
    {
      what: 'a directory in what is gone',
      path: '/gone',
      action: 'mkdir',
      name: 'a',
      status: 404,
      says: 'There is no directory',
    },
    {
      what: 'the root',
      path: '/',
      action: 'rename',
      name: 'a',
      status: 403,
      says: 'The root directory cannot be renamed',
    },
    { what: 'what is gone', path: '/d/gone', action: 'rename', name: 'a', status: 404, says: '/d/gone' },
    { what: 'to a name that is taken', path: '/d/old.txt', action: 'rename', name: 'sub', status: 409, says: 'exists' },
    { what: 'to its own name', path: '/d/old.txt', action: 'rename', name: 'old.txt', status: 409, says: 'exists' },
    { what: 'to a path', path: '/d/old.txt', action: 'rename', name: 'sub/x2', status: 400, says: 'cannot be used' },
    {
      what: 'into itself',
      path: '/d',
      action: 'rename',
      name: 'd',
      directory: '/d/sub',
      status: 400,
      says: 'into itself',
    },
    {
      what: 'into a file',
      path: '/d/sub',
      action: 'rename',
      name: 'a',
      directory: '/d/old.txt',
      status: 409,
      says: 'not a directory',
    },
    {
      what: 'into what is not there',
      path: '/d/sub',
      action: 'rename',
      name: 'a',
      directory: '/gone',
      status: 404,
      says: 'There is no directory',
    },
  ])('refuses: $action of $what', async ({ path, action, name, directory = '', status, says }) => {
    const { response, world } = await post(`${toPage(path)}&action=${action}`, fields({ name, directory }), plain)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(says)])
    expect((await Array.fromAsync(world.fileSystem.listStatus('/d'))).flat().map(({ path: at }) => at)).toEqual([
      '/d/old.txt',
      '/d/sub',
    ])
    await expect(world.fileSystem.getFileStatus('/gone')).rejects.toMatchObject({ code: 'not-found' })
  })

  test.each([
    { action: 'mkdir', path: '/d', name: 'sub', field: 'new-directory', status: 409, says: 'the name is taken' },
    { action: 'mkdir', path: '/', name: 'a/"b"', field: 'new-directory', status: 400, says: 'cannot be used' },
    { action: 'mkdir', path: '/gone', name: '<a>', field: undefined, status: 404, says: 'There is no directory' },
    { action: 'rename', path: '/d/old.txt', name: 'sub', field: 'name', status: 409, says: 'exists' },
    {
      action: 'rename',
      path: '/d/old.txt',
      name: 'a/"b"',
      directory: '/d',
      field: 'name',
      status: 400,
      says: 'cannot',
    },
    {
      action: 'rename',
      path: '/d/sub',
      name: 'a',
      directory: '/gone',
      field: 'directory',
      status: 404,
      says: 'There is',
    },
    {
      action: 'rename',
      path: '/d/sub',
      name: 'a',
      directory: '/d/old.txt',
      field: 'directory',
      status: 409,
      says: 'a file',
    },
    {
      action: 'rename',
      path: '/d',
      name: 'd',
      directory: '/d/sub',
      field: 'directory',
      status: 400,
      says: 'into itself',
    },
    { action: 'rename', path: '/d', name: 'd', directory: 'no path', field: 'directory', status: 400, says: 'no path' },
    { action: 'rename', path: '/d/gone', name: '<a>', field: undefined, status: 404, says: '/d/gone' },
  ])('keeps what was typed, with the error at its field: $action of $path, $name $directory', async given => {
    const { action, path, name, directory, field, status, says } = given
    const typed = fields({ name, ...(directory === undefined ? {} : { directory }) })
    const { response } = await post(`${toPage(path)}&action=${action}`, typed, plain)
    const html = await response.text()
    expect(response.status).toBe(status)
    expect(html).toContain(`action="${toPage(path).replaceAll('%2F', '/')}&amp;action=${action}"`)
    const toText = (text: string): string =>
      text.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    expect(html).toContain(`name="name" value="${toText(name)}"`)
    if (directory !== undefined) expect(html).toContain(`name="directory" value="${directory}"`)
    const invalid = [
      ...html.matchAll(/<input id="([^"]+)"[^>]* autofocus aria-invalid="true" aria-describedby="([^"]+)"/g),
    ]
    expect(invalid.map(([, id, by]) => [id, by])).toEqual(field === undefined ? [] : [[field, `${field}-fault`]])
    const alert =
      field === undefined ? /<div class="notice bad" role="alert">.*/ : new RegExp(`<span id="${field}-fault".*`)
    expect(alert.exec(html)?.[0]).toContain(says)
    expect(html.match(/role="alert"/g)).toHaveLength(1)
    expect(html.match(/ autofocus/g)?.length ?? 0).toBeLessThanOrEqual(1)
  })

  test('that uploads says at its field why a file was refused, and that it has to be chosen again', async () => {
    const { response } = await post(`${toPage('/d')}&action=upload`, form('old.txt', 'new'))
    const html = await response.text()
    expect(html).toMatch(/<input id="file" type="file" name="file" required autofocus aria-invalid="true"/)
    expect(html).toMatch(/<span id="file-fault"[^>]*>.*old\.txt.*exists/)
    expect(html).toContain('Choose the file again')
    expect(html).toContain('action=upload&amp;overwrite=true')
  })

  test('tells programs the error alone', async () => {
    const json = { ...plain, accept: 'application/json' }
    const { response } = await post(`${toPage('/d')}&action=mkdir`, fields({ name: 'sub' }), json)
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'exists' })])
  })

  test('that renames has the name and the directory as they are', async () => {
    const { world } = await post(toPage('/'), '', plain)
    const html = await world.page(toPage('/d/old.txt', '&show=rename'))
    expect(html).toContain('<form method="post" action="/rest/1.0/hdfs?path=/d/old.txt&amp;action=rename">')
    expect(html).toMatch(/name="name" value="old.txt"[\s\S]*name="directory" value="\/d"/)
  })

  test.each([
    { name: 'another site', headers: { origin: 'https://evil.example' } },
    { name: 'a frame without origin', headers: { origin: 'null' } },
    { name: 'a rebound name', headers: { host: 'evil.example', origin: 'http://evil.example' } },
  ])('of $name does nothing', async ({ headers }) => {
    const { response, read } = await post(`${toPage('/d/old.txt')}&action=delete`, '', { ...plain, ...headers })
    expect([response.status, await read('/d/old.txt')]).toEqual([403, 'old'])
  })

  test('is what the page that asks for confirmation has', async () => {
    const { world } = await post(toPage('/'), '', plain)
    const html = await world.page(toPage('/d', '&show=delete'))
    expect(html).toContain('<form method="post" action="/rest/1.0/hdfs?path=/d&amp;action=delete&amp;recursive=true">')
    expect(html).toContain('<strong>2 entries</strong>')
    expect(html).toContain('type="checkbox" required')
  })
})

describe('a login', () => {
  const login = async (body: string, to = '/rest/1.0/hdfs?path=/d', origin = 'http://localhost') => {
    const world = await createWorld({ auth: createTokenAuth('read'), files: { '/d/a.txt': 'x' } })
    const response = await world.app.request(`http://localhost/login?to=${encodeURIComponent(to)}`, {
      method: 'POST',
      body,
      headers: { host: 'localhost', origin, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    })
    return { world, response }
  }

  test('is asked for, and leads back to the page', async () => {
    const { world, response } = await login('token=secret')
    const asked = await world.get(toPage('/d'))
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      '/login?to=%2Frest%2F1.0%2Fhdfs%3Fpath%3D%252Fd',
    ])
    expect([response.status, response.headers.get('location')]).toEqual([303, '/rest/1.0/hdfs?path=/d'])
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^sluice-session=secret; Path=\/; HttpOnly; SameSite=Strict/)
    const html = await world.page(toPage('/d'), { cookie: cookie.split(';')[0] ?? '' })
    expect(html).toContain('Logged in as ann')
  })

  test('without the role to write has no upload and no delete', async () => {
    const { world } = await login('token=secret')
    const cookie = 'sluice-session=secret'
    expect(await world.page(toPage('/d'), { cookie })).not.toMatch(/upload|show=(delete|rename)|action=mkdir/)
    expect(await world.page(toPage('/d/a.txt', '&show=rename'), { cookie })).not.toContain('action=rename')
    const post = await world.app.request(`http://localhost${toPage('/d/a.txt', '&action=delete')}`, {
      method: 'POST',
      headers: { host: 'localhost', origin: 'http://localhost', accept: 'text/html', cookie },
    })
    expect(post.status).toBe(403)
  })

  test.each([
    { body: 'token=wrong', status: 401 },
    { body: 'token=', status: 401 },
    { body: 'x', status: 401 },
    { body: `token=${'a'.repeat(9000)}`, status: 413 },
  ])('with $status is no login', async ({ body, status }) => {
    const { response } = await login(body)
    expect([response.status, response.headers.get('set-cookie')]).toEqual([status, null])
    expect(await response.text()).toContain('<h1>')
  })

  test('never leads elsewhere, and never comes from elsewhere', async () => {
    expect((await login('token=secret', '//evil.example')).response.headers.get('location')).toBe('/')
    expect((await login('token=secret', '/', 'https://evil.example')).response.status).toBe(403)
  })

  test('shows nothing of the cluster before it, and ends with logout', async () => {
    const { world } = await login('token=secret')
    expect(await world.page('/login')).not.toContain('memory:')
    const out = await world.app.request('http://localhost/logout', {
      method: 'POST',
      headers: { host: 'localhost', origin: 'http://localhost', cookie: 'sluice-session=secret' },
    })
    expect([out.status, out.headers.get('location')]).toEqual([303, '/login'])
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  })

  test('is not needed without tokens', async () => {
    const world = await createWorld()
    expect((await world.get('/login?to=/docs')).headers.get('location')).toBe('/docs')
  })
})

describe('style and script', () => {
  test.each(['css', 'js'])('pages.%s is kept for good under its hash, and asked about without', async name => {
    const world = await createWorld()
    const html = await world.page(toPage('/'))
    const url = new RegExp(`"(/static/pages\\.${name}[^"]*)"`).exec(html)?.[1] ?? ''
    const response = await world.get(url)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await response.text()).length).toBeGreaterThan(1000)
    const bare = await world.get(`/static/pages.${name}`, { 'if-none-match': response.headers.get('etag') ?? '' })
    expect([bare.status, bare.headers.get('cache-control')]).toEqual([304, 'no-cache'])
  })
})

test('GET / leads to the browsing page', async () => {
  const response = await (await createWorld()).get('/')
  expect([response.status, response.headers.get('location')]).toEqual([303, '/rest/1.0/hdfs?path=/'])
})

test('the cluster and how it is are shown, with what is wrong', async () => {
  const world = await createWorld({
    cluster: { urlOf: () => 'hdfs://namenode:8020', problemOf: () => 'one of two name nodes is away' },
  })
  const html = await world.page(toPage('/'))
  expect(html).toContain('hdfs://namenode:8020')
  expect(html).toContain('one of two name nodes is away')
})

function toSmile(): Uint8Array {
  const writer = createSmileWriter()
  writer.startArray()
  for (let index = 0; index < 3; index += 1) {
    writer.write({
      eventName: 'PageView',
      payload: {
        path: '<script>',
        user: { id: 9_007_199_254_740_993n + BigInt(index), text: stringifyJson('é'.repeat(20)) },
      },
    })
  }
  writer.endArray()
  return writer.take()
}
