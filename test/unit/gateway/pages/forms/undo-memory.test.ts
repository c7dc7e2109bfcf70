import { describe, expect, test } from 'vitest'
import { createUndoMemory, maxUndoChars, maxUndos } from '../../../../../src/gateway/pages/forms/undo-memory.ts'

const move = (name: string) => ({ path: `/d/${name}`, trashed: `/t/${name}` })

describe('what deletions are remembered', () => {
  test('for their caller, until nothing is left', () => {
    const memory = createUndoMemory()
    const key = memory.add('ann', [move('a'), move('b')])
    expect(memory.find(key, 'bob')).toBeUndefined()
    expect(memory.find(key, 'ann')).toEqual([move('a'), move('b')])
    memory.leave(key, [move('b')])
    expect(memory.find(key, 'ann')).toEqual([move('b')])
    memory.leave(key, [])
    expect(memory.find(key, 'ann')).toBeUndefined()
  })

  test('as many as there is room for, the latest', () => {
    const memory = createUndoMemory()
    const keys = Array.from({ length: maxUndos + 1 }, (_, index) => memory.add('ann', [move(String(index))]))
    expect(keys.filter(key => memory.find(key, 'ann') === undefined)).toEqual(keys.slice(0, 1))
  })

  test('no more of them than their paths leave room for', () => {
    const memory = createUndoMemory()
    const long = move('x'.repeat(maxUndoChars / 5))
    const keys = [1, 2, 3].map(() => memory.add('ann', [long]))
    expect(keys.map(key => memory.find(key, 'ann') !== undefined)).toEqual([false, true, true])
    memory.leave(keys[1] ?? '', [])
    const more = memory.add('ann', [long])
    expect([keys[2] ?? '', more].map(key => memory.find(key, 'ann') !== undefined)).toEqual([true, true])
  })
})
