import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { checkKeytab, readKeytabPrincipals } from '../../../src/kerberos/keytab.ts'

const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
/** An entry with the fields after the principal: name type, time, key version, key. */
const entry = (principal: string): Buffer => {
  const [name = '', realm = ''] = principal.split('@')
  const parts = name.split('/')
  const count = Buffer.from([0, parts.length])
  const rest = Buffer.alloc(20, 0xff)
  const body = Buffer.concat([count, counted(realm), ...parts.map(counted), rest])
  return Buffer.concat([int32(body.length), body])
}
const magic = Buffer.from([5, 2])
const keytab = (...principals: string[]): Buffer => Buffer.concat([magic, ...principals.map(entry)])

describe('readKeytabPrincipals', () => {
  test('each principal once, holes and what fills a file up left out', () => {
    const hole = Buffer.concat([int32(-6), Buffer.from('secret')])
    const bytes = Buffer.concat([keytab('a@R', 'b/h.x@R', 'a@R'), hole, entry('c@R'), int32(0), Buffer.alloc(9, 7)])
    expect(readKeytabPrincipals(bytes)).toEqual(['a@R', 'b/h.x@R', 'c@R'])
    expect(readKeytabPrincipals(magic)).toEqual([])
  })

  test.for<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['an older version', Buffer.from([5, 1])],
    ['text', Buffer.from('BEGIN KEYTAB')],
    ['an entry that is cut', keytab('a@R').subarray(0, -1)],
    ['a principal longer than its entry', Buffer.concat([magic, int32(4), Buffer.from([0, 1, 0xff, 0xff])])],
    ['a hole beyond the end', Buffer.concat([magic, int32(-2_147_483_648)])],
  ])('%s is none', ([, bytes]) => {
    expect(() => readKeytabPrincipals(bytes)).toThrow(FormatError)
  })

  test('any bytes are principals or a known error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
        try {
          readKeytabPrincipals(Buffer.concat([magic, bytes]))
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      }),
    )
  })
})

describe('checkKeytab', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sluice-keytab-'))
    await writeFile(join(directory, 'good'), keytab('a@R', 'HTTP/h@R'))
    await writeFile(join(directory, 'empty'), magic)
    await writeFile(join(directory, 'text'), 'secret-secret')
  })
  afterAll(() => rm(directory, { recursive: true }))
  const check = (file: string, principal: string, isOne?: (one: string) => boolean): Promise<void> =>
    checkKeytab({ setting: 'x.keytab', keytab: join(directory, file), principal, ...(isOne && { isOne }) })

  test('has a key of the principal, or of one of those that will do', async () => {
    await check('good', 'a@R')
    await check('good', 'HTTP/<host>@REALM', one => one.startsWith('HTTP/'))
  })

  test('what is wrong names setting, file and what was expected, and holds nothing of the file but principals', async () => {
    const file = (name: string): string => `x.keytab ${join(directory, name)} cannot be used`
    await expect(check('good', 'b@R')).rejects.toThrow(`${file('good')}: it has no key for b@R, but a@R, HTTP/h@R`)
    await expect(check('empty', 'b@R')).rejects.toThrow(`${file('empty')}: it has no key for b@R, but no key at all`)
    await expect(check('none', 'b@R')).rejects.toThrow(`${file('none')}: ENOENT`)
    const error = await check('text', 'b@R').catch((thrown: unknown) => String(thrown))
    expect(error).toContain(`${file('text')}: `)
    expect(error).toContain('expected 05 02')
    expect(error).not.toContain('secret')
  })
})
