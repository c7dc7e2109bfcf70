import { describe, expect, test } from 'vitest'
import type { Role } from '../../../../src/http/roles.ts'
import { createTokenAuth, createWorld, type World } from './world.ts'

/**
 * Which view answers: a line for each kind of path and value of `show`, a letter for each combination of the other
 * parameters. A view that is too early in their list, or takes a request of another view, changes letters.
 */

/** Parameters that choose among views; the first one alternates slowest, each without it first. */
const flags = Object.entries({ recursive: 'true', row: '1', range: '0-0', where: 'a > 0', by: 'a' })

const paths = {
  root: '/',
  directory: '/d',
  table: '/d/rows.json',
  drawing: '/d/drawing.svg',
  image: '/d/image.png',
  controls: '/d/controls.txt',
  noise: '/d/noise.bin',
  broken: '/d/broken.avro',
} as const

const files = {
  [paths.table]: '{"a":1}\n{"a":3}\n{"a":2}\n',
  [paths.drawing]: '<svg xmlns="http://www.w3.org/2000/svg">\n<g/>\n</svg>\n',
  [paths.image]: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0', 'latin1'),
  [paths.controls]: 'a\u0001\u0002\u0003\u0004\u0005b\nc\u0006\u0007\u0001d\n',
  [paths.noise]: Uint8Array.from({ length: 64 }, (_, index) => (index * 37) % 256),
  [paths.broken]: 'Obj\x01\x02',
}

/** What each view is known by, the more particular ones first. */
const marks = {
  // Redirects: to a row among others, to the last rows of a file, to an empty file.
  J: /^303 .*#row-/,
  N: /^303 .*range=/,
  P: /^303 /,
  // Forms: to rename, to delete, to delete what is selected.
  M: /<title>Rename /,
  D: /<title>Delete [^<]*\? .*<h1>Delete /s,
  S: /<h1>Nothing is selected/,
  // Of files: one row, bytes, rows that are sorted, found, or in their order.
  O: /<title>Row \d+ of /,
  B: /aria-current="page">Bytes</,
  s: /aria-current="page">Rows<.*<p>Sorted: /s,
  f: /aria-current="page">Rows<.*<p>Found /s,
  R: /aria-current="page">Rows</,
  // Of directories: the rows below, the listing with the size of all, the listing.
  T: /<title>Rows below /,
  Z: / in \d+ files? and \d+ director/,
  L: /placeholder="Filter by name"/,
} as const

const combinations = Array.from({ length: 2 ** flags.length }, (_, bits) =>
  flags.filter((_flag, place) => bits & (2 ** (flags.length - 1 - place))),
)

const createWorldFor = (...roles: readonly Role[]): Promise<World> =>
  createWorld({ files, auth: createTokenAuth(...roles) })
const [writer, reader] = [createWorldFor('read', 'write'), createWorldFor('read')]

const toLetters = async (world: Promise<World>, path: string, show: string): Promise<string> => {
  const { get } = await world
  const toLetter = async (flagged: typeof flags): Promise<string> => {
    const query = new URLSearchParams({ path, show, ...Object.fromEntries(flagged) })
    const target = `/rest/1.0/hdfs?${query.toString()}`
    const response = await get(target, { cookie: 'sluice-session=secret' })
    const told = `${response.status} ${response.headers.get('location') ?? ''}\n${await response.text()}`
    return Object.entries(marks).find(([, mark]) => mark.test(told))?.[0] ?? `(${target}: ${told})`
  }
  return (await Promise.all(combinations.map(toLetter))).join('')
}

describe('the view that answers somebody who may write', () => {
  test.each<[keyof typeof paths, show: string, string]>([
    ['root', '', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['root', 'delete', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['root', 'rename', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', '', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', 'rows', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', 'bytes', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', 'size', 'ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['directory', 'newest', 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN'],
    ['directory', 'delete', 'DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD'],
    ['directory', 'delete-selected', 'SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS'],
    ['directory', 'rename', 'MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM'],
    ['table', '', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
    ['table', 'rows', 'RsfsRsfsJJJJJJJJRsfsRsfsJJJJJJJJ'],
    ['table', 'bytes', 'BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'],
    ['table', 'size', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
    ['table', 'newest', 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN'],
    ['table', 'delete', 'DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD'],
    ['table', 'delete-selected', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
    ['table', 'rename', 'MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM'],
    ['drawing', '', 'BBffRRffBBOOOOOOBBffRRffBBOOOOOO'],
    ['drawing', 'rows', 'RRffRRffJJJJJJJJRRffRRffJJJJJJJJ'],
    ['drawing', 'bytes', 'BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB'],
    ['drawing', 'size', 'RRffRRffOOOOOOOORRffRRffOOOOOOOO'],
    ['image', '', 'BBffBBffOOOOOOOOBBffBBffOOOOOOOO'],
    ['image', 'rows', 'BBffBBffJJJJJJJJBBffBBffJJJJJJJJ'],
    ['controls', '', 'BBffBBffOOOOOOOOBBffBBffOOOOOOOO'],
    ['controls', 'rows', 'RRffRRffJJJJJJJJRRffRRffJJJJJJJJ'],
    ['controls', 'newest', 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN'],
    ['noise', '', 'BBffBBffOOOOOOOOBBffBBffOOOOOOOO'],
    ['noise', 'rows', 'BBffBBffJJJJJJJJBBffBBffJJJJJJJJ'],
    ['noise', 'newest', 'PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP'],
    ['broken', '', 'RRffRRffOOOOOOOORRffRRffOOOOOOOO'],
    ['broken', 'rows', 'RRffRRffJJJJJJJJRRffRRffJJJJJJJJ'],
    ['broken', 'newest', 'PPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPP'],
  ])('%s, show=%s', async (place, show, want) => expect(await toLetters(writer, paths[place], show)).toBe(want))
})

describe('the view that answers somebody who may read', () => {
  test.each<[keyof typeof paths, show: string, string]>([
    ['directory', 'delete', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', 'delete-selected', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['directory', 'rename', 'LLLLLLLLLLLLLLLLTTTTTTTTTTTTTTTT'],
    ['table', 'delete', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
    ['table', 'delete-selected', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
    ['table', 'rename', 'RsfsRsfsOOOOOOOORsfsRsfsOOOOOOOO'],
  ])('%s, show=%s', async (place, show, want) => expect(await toLetters(reader, paths[place], show)).toBe(want))
})

describe('of what is asked for', () => {
  const show = async (query: Readonly<Record<string, string>>): Promise<string> =>
    (await reader).page(`/rest/1.0/hdfs?${new URLSearchParams(query).toString()}`, { cookie: 'sluice-session=secret' })

  test('a column that is not among those chosen sorts nothing', async () => {
    expect(await show({ path: paths.table, by: 'a' })).toContain('<p>Sorted: ')
    expect(await show({ path: paths.table, by: 'a', columns: 'b' })).not.toContain('<p>Sorted: ')
  })

  test('the rows of a binary file are not sorted, unless requested', async () => {
    const query = { path: paths.controls, by: 'col-0' }
    expect(await show({ ...query, show: 'rows' })).toContain('<p>Sorted: ')
    expect(await show(query)).toContain('aria-current="page">Bytes<')
  })

  test('a file that is gone takes the place behind it along', async () => {
    const query = { path: '/d', recursive: 'true', startAfter: 'gone.json', range: '7-8', at: '7-0' }
    const html = await show(query)
    expect(html).toContain('The file before these rows is gone: these are the newest rows.')
    expect(html).toContain('Rows <strong>0</strong>–')
  })
})
