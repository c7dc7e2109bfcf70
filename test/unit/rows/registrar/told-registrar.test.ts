import { expect, test } from 'vitest'
import { compileContract } from '../../../../src/event-contracts/compile-contract.ts'
import type { ContractSource } from '../../../../src/event-contracts/contract.ts'
import { noTypes } from '../../../../src/rows/registrar/registrar.ts'
import { createToldRegistrar } from '../../../../src/rows/registrar/told-registrar.ts'

const source = (type: string, field: string): ContractSource => ({
  type,
  file: `${type}.json`,
  texts: new Map([[`${type}.json`, JSON.stringify({ type: 'object', properties: { [field]: { type: 'string' } } })]]),
})
const field = { id: 1, name: 'x', type: 'string' }

test('a registrar that another thread tells knows the same, and compiles again only what has changed', () => {
  const compiled: string[] = []
  const registrar = createToldRegistrar({ ...noTypes, contracts: [source('A', 'a'), source('B', 'b')] }, given => {
    compiled.push(given.type)
    return compileContract(given)
  })
  expect(registrar.fields('A')).toMatchObject([{ name: 'a' }])
  const before = registrar.contracts?.().get('B')
  // As it comes from another thread: equal, and never the same.
  registrar.learn({ fields: new Map([['C', [field]]]), contracts: [source('A', 'other'), source('B', 'b')] })
  expect(compiled).toEqual(['A', 'B', 'A'])
  expect(registrar.fields('A')).toMatchObject([{ name: 'other' }])
  expect(registrar.contracts?.().get('B')).toBe(before)
  expect(registrar.fields('C')).toEqual([field])
  registrar.learn(noTypes)
  expect(['A', 'B', 'C'].map(type => registrar.fields(type))).toEqual([undefined, undefined, undefined])
})
