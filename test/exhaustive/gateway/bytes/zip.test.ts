import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createZip } from '../../../../src/gateway/bytes/zip.ts'

const status = (more: object = {}) => ({
  path: '/ignored',
  isDirectory: false,
  length: 5,
  modificationTime: Date.parse('2011-05-03T21:56:47Z'),
  owner: 'ann',
  group: 'staff',
  permission: 0o640,
  replication: 1,
  blockSize: 1,
  ...more,
})

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield Buffer.from(text)
}

type File = { readonly name: string; readonly content?: readonly string[]; readonly more?: object }

const write = async (...files: readonly File[]): Promise<Buffer> => {
  const zip = createZip()
  const parts: Uint8Array[] = []
  for (const { name, content, more } of files) {
    if (content === undefined) parts.push(zip.directory(name, status({ isDirectory: true, length: 0, ...more })))
    else {
      const length = Buffer.byteLength(content.join(''))
      for await (const part of zip.file(name, status({ length, ...more }), chunks(...content))) parts.push(part)
    }
  }
  return Buffer.concat([...parts, ...zip.end()])
}

/** What a program of this machine makes of an archive. */
const judge = (archive: Buffer, run: (path: string) => string): string => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-zip-'))
  try {
    writeFileSync(join(directory, 'a.zip'), archive)
    return run(join(directory, 'a.zip'))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const python = (archive: Buffer): unknown =>
  JSON.parse(
    judge(archive, path =>
      execFileSync(
        'python3',
        [
          '-c',
          `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, i.is_dir(), i.file_size, oct(i.external_attr >> 16), list(i.date_time),
  z.read(i).decode()[:20]] for i in z.infolist()][:50] + [len(z.infolist())]))`,
          path,
        ],
        { encoding: 'utf8' },
      ),
    ),
  )

const time = [2011, 5, 3, 21, 56, 46]

describe('a zip archive', () => {
  test('is what Python reads: names, sizes, times, permissions, bytes', async () => {
    const long = 'long '.repeat(50_000)
    const names = ['d/a b\'"$.txt', 'd/é 世界.txt', `d/${'x'.repeat(255)}`]
    const archive = await write(
      { name: 'd', more: { permission: 0o755 } },
      ...names.map(name => ({ name, content: ['he', 'llo'] })),
      { name: 'd/empty', content: [] },
      { name: 'd/long', content: [long, long] },
    )
    expect(archive.length).toBeLessThan(5_000)
    expect(python(archive)).toEqual([
      ['d/', true, 0, '0o40755', time, ''],
      ...names.map(name => [name, false, 5, '0o100640', time, 'hello']),
      ['d/empty', false, 0, '0o100640', time, ''],
      ['d/long', false, 500_000, '0o100640', time, 'long long long long '],
      6,
    ])
  })

  test.runIf(hasUnzip())('is what unzip reads, with exact times', async () => {
    const archive = await write({ name: 'd' }, { name: 'd/a.txt', content: ['hello'] })
    const run = (...args: readonly string[]) =>
      judge(archive, path =>
        execFileSync('unzip', [...args, path], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } }),
      )
    expect(run('-t')).toContain('No errors detected')
    expect(run('-v')).toMatch(/5\s+Defl:\S+\s+7 .*2011-05-03 21:56 3610a686\s+d\/a\.txt/)
  })

  test('of what says it is big has long sizes behind it', async () => {
    const archive = await write(
      { name: 'a', content: ['hello'], more: { length: 2 ** 33 } },
      { name: 'b', content: ['b'] },
    )
    expect(python(archive)).toEqual([
      ['a', false, 5, '0o100640', time, 'hello'],
      ['b', false, 1, '0o100640', time, 'b'],
      2,
    ])
    expect(archive.readUInt32LE(18)).toBe(0xffff_ffff)
    expect(archive.readUInt16LE(4)).toBe(45)
  })

  test('has more entries than an old one can', async () => {
    const archive = await write(...Array.from({ length: 70_000 }, (_, index) => ({ name: `d${index}` })))
    expect(python(archive)).toContain(70_000)
  })

  test('knows times from before zip', async () => {
    expect(python(await write({ name: 'a', content: [], more: { modificationTime: 0 } }))).toEqual([
      ['a', false, 0, '0o100640', [1980, 1, 1, 0, 0, 0], ''],
      1,
    ])
  })

  test('that would be remembered beyond its bound is never finished', async () => {
    const zip = createZip(150)
    zip.directory('a', status({ isDirectory: true }))
    expect(() => [zip.directory('b'.repeat(50), status({ isDirectory: true }))]).toThrow(
      'no more than 1 of these files',
    )
  })

  test('of a file that breaks off breaks off', async () => {
    const zip = createZip()
    async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.from('he')
      throw new Error('cut')
    }
    await expect(Array.fromAsync(zip.file('a', status(), broken()))).rejects.toThrow('cut')
  })
})

function hasUnzip(): boolean {
  try {
    execFileSync('unzip', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
