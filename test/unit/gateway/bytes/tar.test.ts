import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../../../src/gateway/bytes/tar.ts'

const status = (more: object = {}) => ({
  path: '/ignored',
  isDirectory: false,
  length: 5,
  modificationTime: Date.parse('2011-05-03T21:56:46Z'),
  owner: 'ann',
  group: 'staff',
  permission: 0o640,
  replication: 1,
  blockSize: 1,
  ...more,
})

/** What the tar of this machine reads. */
const list = (...parts: readonly Uint8Array[]): string =>
  execFileSync('tar', ['--list', '--verbose', '--full-time', '--utc', '--quoting-style=literal', '--file=-'], {
    input: Buffer.concat(parts),
    encoding: 'utf8',
  })

const content = Buffer.from('hello')

describe('tarHeader', () => {
  test.each([
    { name: 'dir/a.txt' },
    { name: `dir/${'long'.repeat(60)}.txt` },
    { name: 'dir/é 世界.txt' },
    { name: 'x'.repeat(100) },
    { name: 'x'.repeat(101) },
    { name: 'a b\'"$' },
  ])('$name is what tar reads', ({ name }) => {
    const text = list(tarHeader(name, status()), content, tarPadding(5), tarEnd())
    expect(text).toMatch(/^-rw-r----- ann\/staff +5 2011-05-03 21:56:46 /)
    expect(text.trimEnd().endsWith(` ${name}`)).toBe(true)
  })

  test('directories, owners of any length, and sizes beyond 8 GiB', () => {
    const text = list(
      tarHeader('dir', status({ isDirectory: true, length: 0, permission: 0o755 })),
      tarHeader('dir/a', status({ owner: 'o'.repeat(40), group: 'größe' })),
      content,
      tarPadding(5),
      tarEnd(),
    )
    expect(text).toContain('drwxr-xr-x ann/staff')
    expect(text).toContain(`${'o'.repeat(40)}/größe`)
    const header = Buffer.from(tarHeader('big', status({ length: 2 ** 40 }))).toString('latin1')
    expect(header).toContain('22 size=1099511627776\n')
  })

  test('pads to whole blocks', () => {
    expect([0, 1, 511, 512, 513].map(length => tarPadding(length).length)).toEqual([0, 511, 1, 0, 511])
  })
})
