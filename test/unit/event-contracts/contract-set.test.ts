import { expect, test } from 'vitest'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'
import { type ContractSet, noContracts, updateContracts } from '../../../src/event-contracts/contract-set.ts'

const update = (files: Readonly<Record<string, string>>, old: ContractSet = noContracts): Promise<ContractSet> =>
  updateContracts(new Map(Object.entries(files)), old)
const typesOf = ({ contracts }: ContractSet): string[] => [...contracts.keys()]
const problemsOf = ({ problems }: ContractSet): string[] => problems.map(({ message }) => message)

const text = '{"properties":{"a":{"type":"string"}}}'
const bad = '{\n"type": "text"}'

test('a file is for the type that its name says; what begins with _ is for others', async () => {
  const set = await update({ 'Order.json': text, 'a%2Fb%20c.json': text, '_shared.json': bad, 'x%FF.json': text })
  expect(typesOf(set)).toEqual(['Order', 'a/b c'])
  expect(problemsOf(set)).toEqual(['x%FF.json: its name is not an event type: expected %XX to be UTF-8'])
})

test('what did not change is the same as before, and so is what it refers to', async () => {
  const files = { 'A.json': '{"$ref":"_m.json"}', 'B.json': text, '_m.json': '{"maxProperties":1}' }
  const first = await update(files)
  const second = await update({ ...files, 'C.json': text }, first)
  expect(second.contracts.get('A')).toBe(first.contracts.get('A'))
  const third = await update({ ...files, '_m.json': '{"maxProperties":0}' }, second)
  expect(third.contracts.get('B')).toBe(first.contracts.get('B'))
  expect(third.contracts.get('A')?.judge({ x: 1 })).toMatch(/at most 0 fields/)
})

test('a file that cannot be used leaves the contract of before, for as long as it is there', async () => {
  const first = await update({ 'A.json': text, 'B.json': text })
  const second = await update({ 'A.json': bad, 'B.json': text, 'C.json': bad }, first)
  expect(second.contracts.get('A')).toBe(first.contracts.get('A'))
  expect(typesOf(second)).toEqual(['A', 'B'])
  const why = 'type must be equal to one of the allowed values: array, boolean, integer, null, number, object, string'
  expect(problemsOf(second)).toEqual([`A.json:2: ${why}`, `C.json:2: ${why}`])
  const third = await update({ 'A.json': text, 'B.json': text }, second)
  expect(problemsOf(third)).toEqual([])
  expect(typesOf(await update({ 'B.json': text }, third))).toEqual(['B'])
})

test('what is referred to and is gone leaves the contract of before', async () => {
  const first = await update({ 'A.json': '{"$ref":"_m.json"}', '_m.json': text })
  const second = await update({ 'A.json': '{"$ref":"_m.json"}' }, first)
  expect(second.contracts.get('A')).toBe(first.contracts.get('A'))
  expect(problemsOf(second)).toEqual(['A.json:1: $ref: there is no file _m.json beside it'])
})

test('a contract can be made again of its source, in another thread', async () => {
  const set = await update({ 'A.json': '{"$ref":"_m.json"}', '_m.json': text, 'B.json': text })
  const source = set.contracts.get('A')?.source
  if (source === undefined) throw new Error('no contract')
  const copy = structuredClone(source)
  expect([...copy.texts.keys()]).toEqual(['A.json', '_m.json'])
  expect(compileContract(copy).judge({ a: 1 })).toBe('/a is the number 1; expected a text')
})
