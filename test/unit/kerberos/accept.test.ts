import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TicketRefused } from '../../../src/http/auth/tickets.ts'
import { defaultEdgeLimits } from '../../../src/http/limits.ts'
import { createAcceptor } from '../../../src/kerberos/accept.ts'
import { type GssAcceptor, type Kerberos, KerberosError } from '../../../src/kerberos/kerberos.ts'
import { keytabEntry, keytabOf } from './keytab-bytes.ts'

let directory = ''
let keytab = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-keytab-'))
  keytab = join(directory, 'keytab')
  await writeFile(keytab, keytabOf([keytabEntry('sluice/host@R'), keytabEntry('HTTP/host@R')]))
  vi.stubEnv('KRB5_KTNAME', 'FILE:/elsewhere')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

const toMessage = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
const spnego = toMessage('600906062b06010505020001')
const plain = toMessage('6082000b06092a864886f712010202000000')

type Step = (message: string) => Promise<Partial<GssAcceptor> & { readonly answer?: string | null }>

/** A library whose contexts do as the test says. */
const createLibrary = (step: Step) => ({
  initializeServer: vi.fn<Kerberos['initializeServer']>(async () => {
    const context = { username: undefined as string | null | undefined, contextComplete: false }
    return Object.assign(context, {
      step: async (message: string) => {
        const { answer, ...state } = await step(message)
        Object.assign(context, { contextComplete: true, ...state })
        return answer
      },
    })
  }),
})
/** Nothing here waits for more than promises. */
const settled = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))
const accept = async (step: Step, message = spnego) =>
  (await createAcceptor({ keytab, kerberos: createLibrary(step) }))(message)

describe('createAcceptor', () => {
  test.each([spnego, plain])('says whose ticket it is, and what proves this server', async message => {
    const library = createLibrary(async () => ({ username: 'bob@R', answer: 'proof' }))
    const take = await createAcceptor({ keytab, kerberos: library })
    expect(await take(message)).toEqual({ principal: 'bob@R', answer: 'proof' })
    await take(message)
    // One conversation is of one caller; and only keys of HTTP count.
    expect(library.initializeServer.mock.calls).toEqual([['HTTP'], ['HTTP']])
    expect(process.env['KRB5_KTNAME']).toBe(`FILE:${keytab}`)
  })

  test('takes a message as long as all headers of a request may be, and none that is longer', async () => {
    const take = async (chars: number) =>
      accept(async () => ({ username: 'bob@R', answer: null }), spnego + 'A'.repeat(chars - spnego.length))
    expect(await take(49_152)).toMatchObject({ principal: 'bob@R' })
    expect(await take(defaultEdgeLimits.maxHeaderBytes)).toMatchObject({ principal: 'bob@R' })
    await expect(take(defaultEdgeLimits.maxHeaderBytes + 4)).rejects.toThrow(TicketRefused)
  })

  test('needs no answer for a client who wants none', async () => {
    expect(await accept(async () => ({ username: 'bob@R', answer: null }))).toEqual({
      principal: 'bob@R',
      answer: undefined,
    })
  })

  test.each([
    ['', 'base 64'],
    ['a b', 'base 64'],
    ['abc', 'base 64'],
    ['YII=\n', 'base 64'],
    [`${'YII='.repeat(16_385)}`, 'base 64'],
    ['TlRMTVNTUAABAAAA', 'NTLM'],
    [toMessage('6109060602b06010505020001'.slice(0, 24)), 'first message'],
    [toMessage('a10906062b0601050502'), 'first message'],
    [toMessage('600b060a2b06010401823702020a'), 'first message'],
    [toMessage('60'), 'first message'],
  ])('refuses %.20j before the library sees it: %s', async (message, words) => {
    const library = createLibrary(async () => ({ username: 'bob@R' }))
    const take = await createAcceptor({ keytab, kerberos: library })
    await expect(take(message)).rejects.toThrow(words)
    await expect(take(message)).rejects.toThrow(TicketRefused)
    expect(library.initializeServer).not.toHaveBeenCalled()
  })

  const gss = 'Unspecified GSS failure.  Minor code may provide more information: '
  test.each([
    ['Clock skew too great', 'the clocks of client and server differ'],
    ['Request is a replay', 'was sent before'],
    ['Ticket expired', 'has ended'],
    ['Ticket not yet valid', 'is not valid yet'],
    ['No key table entry found matching HTTP/@', 'is for another server'],
    ['Request ticket server sluice/h@R found in keytab but does not match server principal HTTP/@', 'another server'],
    ['Decrypt integrity check failed', 'a key that this one does not have'],
    ['A required input parameter could not be read: Unknown error', 'more than one request'],
    ['Something else of /etc/hidden', 'The Kerberos ticket is not valid here'],
  ])('says of "%s" what a caller may know, and the rest to the log', async (words, told) => {
    const error: unknown = await accept(() => Promise.reject(new Error(gss + words))).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(TicketRefused)
    const { message, cause } = error as TicketRefused
    expect(message).toContain(told)
    expect(message).not.toContain('/etc')
    expect(cause).toMatchObject({ message: expect.stringContaining(words) })
  })

  test.each([{ contextComplete: false, username: 'bob@R' }, { username: null }, { username: '' }])(
    'refuses a conversation that is to go on: %j',
    async state => {
      await expect(accept(async () => state)).rejects.toThrow('more than one request')
    },
  )

  test('has two at work, a bounded number waiting, and says when there are too many', async () => {
    const ends: (() => void)[] = []
    const take = await createAcceptor({
      keytab,
      kerberos: createLibrary(async () => {
        await new Promise<void>(resolve => void ends.push(resolve))
        return { username: 'bob@R' }
      }),
    })
    const taken = Array.from({ length: 502 }, () => take(spnego))
    await settled()
    expect(ends).toHaveLength(2)
    await expect(take(spnego)).rejects.toMatchObject({ code: 'overloaded' })
    for (let i = 0; i < taken.length; i++) {
      ends[i]?.()
      await settled()
      expect(ends).toHaveLength(Math.min(i + 3, taken.length))
    }
    expect((await Promise.all(taken)).every(({ principal }) => principal === 'bob@R')).toBe(true)
    const last = take(spnego)
    await settled()
    ends[502]?.()
    expect(await last).toMatchObject({ principal: 'bob@R' })
  })

  test.each([
    ['that is not there', undefined, /ENOENT/],
    ['that is empty', Buffer.alloc(0), /expected 05 02/],
    ['that is something else', Buffer.from('secret text'), /expected 05 02/],
    ['without a key', keytabOf([]), /no key for HTTP\/<host>@REALM, but no key at all/],
    [
      'with keys of others',
      keytabOf([keytabEntry('sluice/host@R')]),
      /no key for HTTP\/<host>@REALM, but sluice\/host@R/,
    ],
  ])('refuses at the start a keytab %s', async (_, bytes, words) => {
    const path = join(directory, 'other')
    if (bytes) await writeFile(path, bytes)
    const started = createAcceptor({ keytab: path, kerberos: createLibrary(async () => ({})) })
    await expect(started).rejects.toThrow(KerberosError)
    await expect(started).rejects.toThrow(/^auth\.kerberos\.keytab \S+other cannot be used: /)
    await expect(started).rejects.toThrow(words)
    await expect(started).rejects.not.toThrow(/secret text/)
  })
})
