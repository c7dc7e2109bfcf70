import { expect, test } from 'vitest'
import { createInitiator } from '../../../src/kerberos/initiate.ts'
import { type GssContext, type Kerberos, KerberosError } from '../../../src/kerberos/kerberos.ts'

/** A library that says where it looked for keys and tickets, and what it was asked for. */
const createLibrary = (step: GssContext['step'] = async () => 'TICKET') => {
  const seen: string[] = []
  let atWork = 0
  const library: Kerberos = {
    initializeClient: async (service, { principal, mechOID }) => {
      atWork++
      await new Promise(resolve => setImmediate(resolve))
      const { KRB5_CLIENT_KTNAME: keys, KRB5CCNAME: cache = '' } = process.env
      seen.push(`${principal} to ${service} by ${mechOID}, ${keys}, ${atWork} at work`)
      caches.push(cache)
      atWork--
      return { step, contextComplete: false }
    },
    initializeServer: () => Promise.reject(new Error('unused')),
  }
  const caches: string[] = []
  return { seen, caches, load: async () => library }
}

test('a ticket by the keys of the keytab, one after another because the library reads variables', async () => {
  const { seen, caches, load } = createLibrary()
  const one = createInitiator({ principal: 'a@R', keytab: '/keys/a', load })
  const other = createInitiator({ principal: 'b/host@R', keytab: '/keys/b', load })
  const given = await Promise.all([one.authorization('nn1'), other.authorization('nn2'), one.authorization('nn2')])
  expect(given).toEqual(['Negotiate TICKET', 'Negotiate TICKET', 'Negotiate TICKET'])
  expect(other.principal).toBe('b/host@R')
  expect(seen).toEqual([
    'a@R to HTTP@nn1 by 6, FILE:/keys/a, 1 at work',
    `${other.principal} to HTTP@nn2 by 6, FILE:/keys/b, 1 at work`,
    'a@R to HTTP@nn2 by 6, FILE:/keys/a, 1 at work',
  ])
  expect(caches[0]).toMatch(/^MEMORY:/)
  expect(caches[2]).toBe(caches[0])
  expect(caches[1]).not.toBe(caches[0])
})

test('tickets that a server does not take are not shown again; forgotten ones stay in memory, so that is rare', async () => {
  const { caches, load } = createLibrary()
  let time = 0
  const initiator = createInitiator({ principal: 'a@R', keytab: '/keys/a', load, now: () => time })
  const forgotten: boolean[] = []
  for (time of [0, 1_000, 29_999, 30_000]) {
    await initiator.authorization('nn')
    forgotten.push(initiator.refused())
  }
  await initiator.authorization('nn')
  expect(forgotten).toEqual([true, false, false, true])
  const [first, second, third, fourth, fifth] = caches
  expect(second).not.toBe(first)
  expect([third, fourth]).toEqual([second, second])
  expect([first, second]).not.toContain(fifth)
})

test('a complaint of the library is reported in one line, with user and target; the next call is served', async () => {
  let fails = true
  const { load } = createLibrary(() => {
    if (!fails) return Promise.resolve('TICKET')
    fails = false
    return Promise.reject(
      new Error(
        "Unspecified GSS failure.  Minor code may provide more information: Cannot contact any KDC\nfor realm 'R'",
      ),
    )
  })
  const initiator = createInitiator({ principal: 'a@R', keytab: '/keys/a', load })
  const first = initiator.authorization('nn')
  const second = initiator.authorization('nn')
  await expect(first).rejects.toThrow(
    new KerberosError("a@R has no ticket for HTTP@nn: Cannot contact any KDC for realm 'R'"),
  )
  expect(await second).toBe('Negotiate TICKET')
})

test('a library that gives nothing, and one that is not there', async () => {
  const silent = createInitiator({ principal: 'a@R', keytab: '/k', load: createLibrary(async () => null).load })
  await expect(silent.authorization('nn')).rejects.toThrow('Kerberos library returned none')
  const missing = createInitiator({
    principal: 'a@R',
    keytab: '/k',
    load: () => Promise.reject(new KerberosError('no')),
  })
  await expect(missing.authorization('nn')).rejects.toThrow(new KerberosError('no'))
})
