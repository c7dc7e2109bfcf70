import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import type { Logger } from '../../../../src/log/log.ts'
import { at, createTestGateway, type TestGateway } from '../../../suites/gateway.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'

let gateway: TestGateway | undefined
afterEach(async () => {
  await gateway?.close()
  gateway = undefined
})

const lines = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}\n`).join('')
const damaged = (count: number): Buffer => {
  const packed = gzipSync(lines(count, 'd'), { level: 0 })
  return packed.subarray(0, packed.length - 9)
}

type Line = { readonly level: string; readonly fields: { readonly [name: string]: unknown }; readonly message: string }

const setUp = async (files: Readonly<Record<string, string | Uint8Array>>) => {
  const fileSystem = createMemoryFileSystem()
  for (const [path, content] of Object.entries(files)) {
    await fileSystem.create(path, new Blob([Uint8Array.from(Buffer.from(content))]).stream())
  }
  const told: Line[] = []
  const note =
    (level: string): Logger['info'] =>
    (fields, message) =>
      void told.push({ level, fields, message })
  const logger = { debug: () => {}, info: note('info'), warn: note('warn'), error: note('error') }
  gateway = await createTestGateway({ fileSystem, settings: ['gateway.readers=0'], logger })
  const { call } = gateway
  return { told, fileSystem, text: async (more: string) => await call(at('/text', '/d', more)) }
}

describe('the CSV of a directory with a damaged file', () => {
  test('names it, and the way around it, where nothing was sent', async () => {
    const { text } = await setUp({ '/d/a.avro': 'Obj\u0001 nonsense', '/d/b.txt': 'fine\n' })
    const refused = await text('')
    expect(refused.status).toBe(422)
    const { detail } = (await refused.json()) as { readonly detail: string }
    expect(detail).toMatch(/^"\/d\/a\.avro": .*; to skip damaged files, add skipDamaged=true$/)
    const skipped = await text('&skipDamaged=true')
    expect([skipped.status, await skipped.text()]).toEqual([200, 'fine\r\n'])
  })

  test.each([3, 60_000])('continues after the %d rows before the damage on request', async count => {
    const { text, told } = await setUp({ '/d/a.txt.gz': damaged(count), '/d/b.txt': 'fine\n' })
    const answer = await text('&skipDamaged=true')
    const rows = (await answer.text()).split('\r\n')
    expect(rows.at(-2)).toBe('fine')
    expect(told.filter(({ level }) => level !== 'info')).toMatchObject([
      { level: 'warn', message: 'a damaged file was skipped', fields: { path: '/d/a.txt.gz' } },
    ])
  })

  test('breaks off otherwise, which is not an error of the server', async () => {
    const { text, told } = await setUp({ '/d/a.txt.gz': damaged(60_000), '/d/b.txt': 'fine\n' })
    await expect((await text('')).text()).rejects.toThrow()
    expect(told.filter(({ level }) => level !== 'info')).toMatchObject([
      {
        level: 'warn',
        message: 'a download stopped: the file is damaged',
        fields: { reason: expect.stringContaining('/d/a.txt.gz') },
      },
    ])
    expect(told.filter(({ fields }) => 'err' in fields)).toEqual([])
  })

  test('is an error all the same where the way to it breaks', async () => {
    const { fileSystem } = await setUp({ '/d/a.txt': lines(10, 'a') })
    await gateway?.close()
    const away = {
      ...fileSystem,
      open: () => Promise.reject(new FileSystemError('unavailable', '/d/a.txt', 'the cluster is away')),
    }
    gateway = await createTestGateway({ fileSystem: away, settings: ['gateway.readers=0'] })
    expect((await gateway.call(at('/text', '/d', '&skipDamaged=true'))).status).toBe(503)
  })
})
